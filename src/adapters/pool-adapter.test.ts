import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { ScanningBackend } from '../../test/adapters/scanning-backend.ts';
import { temporaryFolder } from '../../test/e2e/loci-command.ts';
import { PoolAdapter, type PoolAdapterOptions, type PoolQuery } from './pool-adapter.ts';
import type { MemoryPoolDefinition, MemoryQuery, MemoryResult } from './contract.ts';

const QUERY: MemoryQuery = { agentId: 'main', query: 'heron' };

/** A backend whose calls are recorded, and can be replaced. */
class Recorded extends ScanningBackend {
  override readonly id: string;
  readonly calls: string[] = [];
  constructor(id = 'recorded') {
    super();
    this.id = id;
  }
  override async open(): Promise<void> {
    this.calls.push('open');
  }
  override async registerPools(): Promise<void> {
    this.calls.push('registerPools');
  }
  override async readPools(): Promise<void> {
    this.calls.push('readPools');
  }
  override async close(): Promise<void> {
    this.calls.push('close');
  }
}

interface Made {
  readonly adapter: PoolAdapter;
  readonly warnings: string[];
  /** A pool that every agent sees, with one note about a heron. */
  readonly open: MemoryPoolDefinition;
}

function adapterOf(backend: ScanningBackend, options: Partial<PoolAdapterOptions> = {}): Made {
  const warnings: string[] = [];
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'a.md'), 'A heron.\n');
  const open: MemoryPoolDefinition = { id: 'open', tier: 'hot', path: folder };
  const adapter = new PoolAdapter(backend, {
    dataDir: folder,
    pools: [open],
    roles: {},
    deadlineMs: 0,
    onWarning: (message) => warnings.push(message),
    ...options,
  });
  return { adapter, warnings, open };
}

describe('a recall', () => {
  it('answers from the pools of the settings without other calls', async () => {
    const { adapter } = adapterOf(new Recorded());
    expect(await adapter.recall(QUERY)).toHaveLength(1);
  });

  it('ends at the deadline, and tells the backend and the status', async () => {
    const backend = new Recorded();
    const hanging = Promise.withResolvers<AbortSignal>();
    vi.spyOn(backend, 'recall').mockImplementationOnce(({ signal }) => {
      hanging.resolve(signal);
      return Promise.withResolvers<never>().promise;
    });
    const { adapter, warnings } = adapterOf(backend, { deadlineMs: 500 });
    expect(await adapter.recall(QUERY)).toEqual([]);
    expect((await hanging.promise).aborted).toBe(true);
    const late = 'the recall took longer than 500 ms, and its answer is empty';
    expect(await adapter.status()).toMatchObject({ ok: false, message: late });
    expect(warnings).toEqual([late]);
    expect(await adapter.recall(QUERY)).toHaveLength(1);
    expect((await adapter.status()).ok).toBe(true);
  });

  it.each([new Error('broken'), 'broken'])(
    'is empty where the backend fails, and warns once',
    async (error) => {
      const backend = new Recorded();
      vi.spyOn(backend, 'recall').mockRejectedValue(error);
      const { adapter, warnings } = adapterOf(backend);
      for (let i = 0; i < 3; i++) expect(await adapter.recall(QUERY)).toEqual([]);
      expect(warnings).toEqual(['broken']);
      expect(await adapter.status()).toMatchObject({ ok: false, message: 'broken' });
    },
  );

  it('answers from what is indexed where the index cannot be written, and the status says so', async () => {
    const backend = new Recorded();
    vi.spyOn(backend, 'registerPools').mockRejectedValue(new Error('a read-only file system'));
    const { adapter } = adapterOf(backend);
    expect(await adapter.recall(QUERY)).toHaveLength(1);
    const message = 'the index of the pools is not up to date: a read-only file system';
    expect(await adapter.status()).toMatchObject({ ok: false, message });
  });

  it('does not fail where the warning does', async () => {
    const backend = new Recorded();
    vi.spyOn(backend, 'recall').mockRejectedValue(new Error('broken'));
    const { adapter } = adapterOf(backend, {
      onWarning: () => {
        throw new Error('no terminal');
      },
    });
    expect(await adapter.recall(QUERY)).toEqual([]);
  });

  it('is empty for a query that is not valid, and names what is wrong', async () => {
    const { adapter, warnings } = adapterOf(new Recorded());
    expect(await adapter.recall({ ...QUERY, limit: -1 })).toEqual([]);
    expect(warnings).toEqual(['limit of the query is not a whole number from 0']);
  });

  it('passes the query on with its defaults and within limits', async () => {
    const backend = new Recorded();
    const recall = vi.spyOn(backend, 'recall');
    const { adapter } = adapterOf(backend);
    await adapter.recall({ agentId: 'main', query: ' heron ' });
    await adapter.recall({ ...QUERY, limit: 1e9, filters: { a: 'b', c: ['d'] }, mode: 'keyword' });
    await adapter.recall({ ...QUERY, query: 'x'.repeat(1e6) });
    expect(recall.mock.calls.map(([query]) => query)).toMatchObject([
      { text: 'heron', limit: 10, filters: {}, mode: 'all' },
      { text: 'heron', limit: 1000, filters: { a: ['b'], c: ['d'] }, mode: 'keyword' },
      { text: 'x'.repeat(10_000) },
    ]);
    for (const none of [{ limit: 0 }, { query: ' ' }, { tiers: [] }, { poolIds: ['unknown'] }])
      expect(await adapter.recall({ ...QUERY, ...none })).toEqual([]);
    expect(recall).toHaveBeenCalledTimes(3);
  });

  it('does not answer from a pool that the agent has ceased to see meanwhile', async () => {
    const backend = new Recorded();
    const [began, goOn] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const answer = (query: PoolQuery): Promise<readonly MemoryResult[]> =>
      ScanningBackend.prototype.recall.call(backend, query);
    vi.spyOn(backend, 'recall').mockImplementationOnce(async (query) => {
      began.resolve(undefined);
      await goOn.promise;
      return answer(query);
    });
    const { adapter, open } = adapterOf(backend);
    const recall = adapter.recall(QUERY);
    await began.promise;
    await adapter.registerPools([{ ...open, agents: ['other'] }]);
    goOn.resolve(undefined);
    expect(await recall).toEqual([]);
    expect(await adapter.recall({ ...QUERY, agentId: 'other' })).toHaveLength(1);
  });

  it('does not wait for files that are indexed meanwhile', async () => {
    const backend = new Recorded();
    const { adapter, open } = adapterOf(backend);
    await adapter.registerPools([open]);
    const [began, goOn] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    vi.spyOn(backend, 'readPools').mockImplementationOnce(() => {
      began.resolve(undefined);
      return goOn.promise;
    });
    const indexed = adapter.indexPaths([open.path]);
    await began.promise;
    expect(await adapter.recall(QUERY)).toHaveLength(1);
    goOn.resolve(undefined);
    await indexed;
  });
});

describe('registering pools', () => {
  it('changes the index only if the list is another one', async () => {
    const backend = new Recorded();
    const { adapter, open } = adapterOf(backend);
    const b = { ...open, id: 'b' };
    for (let i = 0; i < 3; i++) await adapter.registerPools([open, { ...b }]);
    await adapter.recall(QUERY);
    expect(backend.calls).toEqual(['open', 'registerPools']);
    await adapter.registerPools([open, { ...b, tier: 'cold' }]);
    await adapter.registerPools([open]);
    expect(backend.calls).toEqual(['open', 'registerPools', 'registerPools', 'registerPools']);
  });

  it('makes the index again after it has failed, also for the list before', async () => {
    const backend = new Recorded();
    const { adapter, open } = adapterOf(backend);
    await adapter.registerPools([open]);
    const register = vi.spyOn(backend, 'registerPools').mockRejectedValueOnce(new Error('full'));
    await expect(adapter.registerPools([])).rejects.toThrow('full');
    await adapter.registerPools([open]);
    expect(register).toHaveBeenCalledTimes(2);
  });

  it('warns once of a folder that does not exist', async () => {
    const { adapter, warnings, open } = adapterOf(new Recorded());
    const missing = { ...open, path: join(open.path, 'missing') };
    await adapter.registerPools([missing]);
    expect(await adapter.recall(QUERY)).toEqual([]);
    expect(warnings).toEqual([
      `the pool ${open.id} is empty: ${missing.path} cannot be read: it does not exist`,
    ]);
  });

  it.each([[null], ['open'], [{ id: 'a' }], [[null]]])('refuses %j', async (pools) => {
    const { adapter } = adapterOf(new Recorded());
    await expect(adapter.registerPools(pools as never)).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it.each([
    ['registerPools', 'registerPools'],
    ['indexPaths', 'readPools'],
  ] as const)('says that %s failed until it succeeds', async (call, backendCall) => {
    const backend = new Recorded();
    const { adapter } = adapterOf(backend);
    vi.spyOn(backend, backendCall).mockRejectedValueOnce(new Error('full'));
    await expect(adapter[call]([])).rejects.toThrow('full');
    const message = expect.stringMatching(/^the index of the pools is not up to date: full$/m) as string;
    expect(await adapter.status()).toMatchObject({ ok: false, message });
    await adapter.registerPools([]);
    await adapter.indexPaths([]);
    expect(await adapter.status()).toMatchObject({ ok: true });
  });

  it('keeps the root of the vault that init does not name', async () => {
    const vaultRoot = temporaryFolder();
    const { adapter } = adapterOf(new Recorded(), { pools: [], vaultRoot });
    await adapter.init({ dataDir: vaultRoot, vaultRoot: undefined as never });
    await adapter.registerPools([{ id: 'a', tier: 'hot', path: 'a' }]);
    expect(await adapter.status()).toMatchObject({
      ok: false,
      message: `the pool a is empty: ${join(vaultRoot, 'a')} cannot be read: it does not exist`,
      details: { adapter: 'recorded', pools: [{ id: 'a', tier: 'hot', path: join(vaultRoot, 'a') }] },
    });
  });
});

it.each([[null], ['a.md'], [['a.md', 5]]])('indexPaths refuses %j', async (paths) => {
  const backend = new Recorded();
  const { adapter } = adapterOf(backend);
  const invalid = { code: 'invalid_input', message: 'the paths are not a list of texts' };
  await expect(adapter.indexPaths(paths as string[])).rejects.toMatchObject(invalid);
  expect(backend.calls).toEqual([]);
});

describe('a backend that cannot be opened', () => {
  it('is replaced by the fallback, which the status and one warning say', async () => {
    const [broken, fallback] = [new Recorded('broken'), new Recorded('fallback')];
    vi.spyOn(broken, 'open').mockRejectedValue(new Error('it is not installed'));
    const { adapter, warnings } = adapterOf(broken, { fallback });
    expect(adapter.id).toBe('broken');
    expect((await adapter.status()).ok).toBe(false);
    for (let i = 0; i < 2; i++) expect(await adapter.recall(QUERY)).toHaveLength(1);
    expect(adapter.id).toBe('fallback');
    const message = 'broken cannot be used, and fallback is in its place: it is not installed';
    expect(await adapter.status()).toMatchObject({ ok: false, message });
    expect(warnings).toEqual([message]);
    await adapter.close();
    expect([broken.calls, fallback.calls]).toEqual([['close'], ['open', 'registerPools', 'close']]);
  });

  it('makes recalls empty without a fallback, until it can be opened', async () => {
    const backend = new Recorded();
    const locked = new Error('it is locked');
    vi.spyOn(backend, 'open').mockRejectedValueOnce(locked).mockRejectedValueOnce(locked);
    const { adapter } = adapterOf(backend);
    await expect(adapter.init({ dataDir: '/' })).rejects.toThrow(locked);
    expect(await adapter.recall(QUERY)).toEqual([]);
    expect(await adapter.recall(QUERY)).toHaveLength(1);
  });

  it('makes recalls empty with a fallback that cannot be opened either, until that can be', async () => {
    const [broken, fallback] = [new Recorded('broken'), new Recorded('fallback')];
    const locked = new Error('it is locked');
    vi.spyOn(broken, 'open').mockRejectedValue(new Error('it is not installed'));
    vi.spyOn(fallback, 'open').mockRejectedValueOnce(locked).mockRejectedValueOnce(locked);
    const { adapter } = adapterOf(broken, { fallback });
    for (const count of [0, 0, 1]) expect(await adapter.recall(QUERY)).toHaveLength(count);
    const { message } = await adapter.status();
    expect(message).toBe('broken cannot be used, and fallback is in its place: it is not installed');
    expect(fallback.calls).toEqual(['open', 'registerPools']);
  });
});

it('a reference is resolved by the pools that are registered last, and not after closing', async () => {
  const { adapter, open } = adapterOf(new Recorded());
  const resolve = () => adapter.resolveReference(join(open.path, 'a.md'), 'main');
  expect(await resolve()).toMatchObject({ content: 'A heron.\n' });
  let resolved = resolve();
  await adapter.registerPools([{ ...open, agents: ['other'] }]);
  expect(await resolved).toBeNull();
  await adapter.registerPools([open]);
  resolved = resolve();
  await adapter.close();
  expect([await resolved, await resolve()]).toEqual([null, null]);
});

describe('closing', () => {
  it('waits for the change that runs, ends those that wait, and closes the backend once', async () => {
    const backend = new Recorded();
    const { adapter, open } = adapterOf(backend);
    await adapter.registerPools([open]);
    const [began, goOn] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    vi.spyOn(backend, 'readPools').mockImplementation(async () => {
      began.resolve(undefined);
      await goOn.promise;
      backend.calls.push('indexed');
    });
    const running = adapter.indexPaths([open.path]);
    const waiting = adapter.indexPaths([open.path]);
    await began.promise;
    const closed = [adapter.close(), adapter.close()].map((each) => each.then(() => backend.calls.at(-1)));
    goOn.resolve(undefined);
    await running;
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
    expect(await Promise.all(closed)).toEqual(['close', 'close']);
    expect(backend.calls).toEqual(['open', 'registerPools', 'indexed', 'close']);
    await expect(adapter.registerPools([])).rejects.toMatchObject({ code: 'aborted' });
    expect(await adapter.status()).toMatchObject({ ok: false, message: 'the adapter is closed' });
  });
});

it('a program waits for vectors for as long as the backend says, and commands for as long as they say', async () => {
  const { promise: embedded, resolve: finish } = Promise.withResolvers<undefined>();
  const backend = Object.assign(new Recorded(), { settled: () => embedded, maxSettleMs: 1 });
  const { adapter } = adapterOf(backend);
  await adapter.registerPools([]);
  await adapter.indexPaths([]);
  let isDone = false;
  const whole = adapter.prepare(0).then(() => {
    isDone = true;
  });
  await adapter.prepare(1);
  expect(isDone).toBe(false);
  finish(undefined);
  await whole;
});

import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderForEach, openInline, settings } from '../../../test/contract/engines.ts';
import type { Metadata } from '../../core/types.ts';
import { openStore } from '../../store/registry.ts';
import type { Store } from '../../store/store.ts';
import type { EngineContext } from '../context.ts';
import { search } from './search.ts';
import { update } from './update.ts';
import { write } from './write.ts';
import { get } from './get.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import { reindex } from '../health/reindex.ts';
import { doctor } from '../health/doctor.ts';

const NOW = Date.UTC(2026, 10, 22, 12);

const folder = folderForEach();
let loci: EngineContext;

beforeEach(async () => {
  loci = await open();
});

afterEach(() => loci.close());

function open(values: Readonly<Record<string, unknown>> = {}): Promise<EngineContext> {
  return openInline(settings(folder.path, { search: { minScore: 0 }, ...values }), { now: () => NOW });
}

/** Opens the file of the store a second time for `work`. */
async function withSecondConnection<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
  const { path } = settings(folder.path).store;
  const store = await openStore({ path }, { create: false });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function foundIds(query: string, from: EngineContext = loci): Promise<number[]> {
  return (await search(from, { query })).results.map(({ id }) => id);
}

describe('an update', () => {
  it('of a record that was changed since it was read is a conflict, if the caller says when that was', async () => {
    const { id } = await write(loci, { content: 'one' });
    const { updated_at } = await get(loci, { citation: `record/${String(id)}` });
    await update(loci, { id, content: 'two', if_updated_at: updated_at });
    await expect(update(loci, { id, content: 'three', if_updated_at: updated_at })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect((await get(loci, { citation: `record/${String(id)}` })).text).toBe('two');
  });
});

describe('an engine', () => {
  it('compares no vectors of two models: words answer, a reindex is refused, and both are named', async () => {
    await write(loci, { content: 'The plumber is called Zebulon.' });
    await withSecondConnection(async (store) => {
      const { id } = await store.vectors.setGeneration(ADMIN_NAMESPACE, {
        add: {
          provider: 'ollama',
          model: 'nomic',
          dimensions: 768,
        },
      });
      await store.vectors.setGeneration(ADMIN_NAMESPACE, { activate: id });
    });
    const embedding = await open({ embedding: { provider: 'local' } });
    try {
      const mismatch = {
        code: 'embedding_mismatch',
        message: expect.stringContaining('ollama nomic (768 dimensions)'),
        hint: expect.stringContaining('`loci embed backfill`'),
      };
      expect(await search(embedding, { query: 'plumber' })).toMatchObject({
        results: [{ snippet: expect.stringContaining('Zebulon') as string }],
        missing: [{ signal: 'vector' }],
        notices: [expect.stringContaining('ollama nomic (768 dimensions)') as string],
      });
      expect(await write(embedding, { content: 'x' })).toMatchObject({ embedded: false });
      await indexVaults(embedding, { embed: false });
      await expect(reindex(embedding)).rejects.toMatchObject(mismatch);
      const failed = (await doctor(embedding)).filter(({ result }) => result === 'failed');
      expect(failed).toMatchObject([{ name: 'embedding', hint: mismatch.hint }]);
      expect((await get(embedding, { citation: 'record/1' })).text).toContain('Zebulon');
    } finally {
      await embedding.close();
    }
    expect(await foundIds('plumber')).toEqual([1]);
  });

  it('rejects metadata that is nested too deeply for structured cloning', async () => {
    const expected = { code: 'invalid_input', message: 'metadata is nested deeper than 100 levels' };
    let deep: Metadata = {};
    for (let i = 0; i < 50_000; i++) deep = { deep };
    await expect(write(loci, { content: 'deep', metadata: deep })).rejects.toMatchObject(expected);
    const endless: Metadata = {};
    Object.assign(endless, { one: endless, other: [endless, endless] });
    await expect(write(loci, { content: 'endless', metadata: endless })).rejects.toMatchObject(expected);
    let allowed: Metadata = {};
    for (let i = 0; i < 100; i++) allowed = { allowed };
    await write(loci, { content: 'marzipan', metadata: allowed });
    expect((await get(loci, { citation: 'record/1' })).metadata).toEqual(allowed);
  });
});

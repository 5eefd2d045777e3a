import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openInline, settings, temporaryFolder } from '../../../test/contract/engines.ts';
import type { Metadata } from '../../core/types.ts';
import { openStore } from '../../store/registry.ts';
import type { Store } from '../../store/store.ts';
import { chunking, estimateTokens } from '../../ingest/passages.ts';
import { addRecords } from '../../ingest/record-draft.ts';
import { MAX_CONTENT_BYTES } from '../fields/limits.ts';
import type { EngineContext } from '../context.ts';
import { search } from './search.ts';
import { write } from './write.ts';
import { status } from '../health/status.ts';
import { get } from './get.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import { reindex } from '../health/reindex.ts';
import { doctor } from '../health/doctor.ts';

const NOW = Date.UTC(2026, 10, 22, 12);

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let loci: EngineContext;
let now: number;

beforeEach(async () => {
  now = NOW;
  folder = await temporaryFolder();
  loci = await open();
});

afterEach(async () => {
  await loci.close();
  await folder[Symbol.asyncDispose]();
});

function open(values: Readonly<Record<string, unknown>> = {}): Promise<EngineContext> {
  return openInline(settings(folder.path, { search: { minScore: 0 }, ...values }), { now: () => now });
}

/** Opens the file of the store a second time for `work`. */
async function withSecondConnection<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
  const { path } = settings(folder.path).store;
  const store = await openStore({ driver: 'sqlite', path, busyTimeoutMs: 5000, create: false });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function foundIds(query: string, from: EngineContext = loci): Promise<number[]> {
  return (await search(from, { query })).results.map(({ id }) => id);
}

describe('write', () => {
  it('rejects invalid fields and names them', async () => {
    const expectRefused = async (content: string, message: string): Promise<void> => {
      await expect(write(loci, { content })).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringContaining(message),
      });
    };
    await expectRefused('', 'content is empty');
    await expectRefused(' \n\t ', 'content is empty');
    await expectRefused('a\0b', 'U+0000 at offset 1');
    await expectRefused('red \u001b[31m', 'U+001b at offset 4');
    await expectRefused('a\rb', 'U+000d at offset 1');
    await expectRefused('x'.repeat(MAX_CONTENT_BYTES + 1), '1048577 bytes');
    await expectRefused('茶'.repeat(MAX_CONTENT_BYTES / 2), 'bytes');
    expect((await status(loci)).ownStats).toBeNull();
  });

  it('accepts fields of the maximum length, and CRLF', async () => {
    const long = 'oven '.repeat(MAX_CONTENT_BYTES / 5) + 'x'.repeat(MAX_CONTENT_BYTES % 5);
    const { id } = await write(loci, { content: long.slice(0, MAX_CONTENT_BYTES) });
    expect((await get(loci, { citation: `record/${String(id)}` })).text).toHaveLength(
      Math.min(long.length, MAX_CONTENT_BYTES),
    );
    const content = 'first\r\nsecond\tcolumn\n';
    const windows = await write(loci, { content });
    expect((await get(loci, { citation: windows.citation })).text).toBe(content);
  });

  it('stores the properties of a record, and search filters by them', async () => {
    const properties = {
      title: 'Oven',
      category: 'home',
      record_type: 'decision',
      tags: ['Kitchen'],
      project: 'remodel',
    };
    const { id } = await write(loci, { content: 'We take induction.', ...properties });
    expect(await get(loci, { citation: `record/${String(id)}` })).toMatchObject({
      ...properties,
      origin: 'memory',
      created_at: new Date(NOW).toISOString(),
    });
    const countResults = async (filter: object): Promise<number> =>
      (await search(loci, { query: 'induction', ...filter })).results.length;
    expect(
      await countResults({
        project: 'remodel',
        category: 'home',
        record_type: 'decision',
        tags: ['kitchen'],
      }),
    ).toBe(1);
    expect(await countResults({ project: 'other' })).toBe(0);
    expect(await countResults({ from: NOW, until: NOW + 1 })).toBe(1);
    expect(await countResults({ until: NOW })).toBe(0);
  });
});

describe('an engine', () => {
  it('shows no record from the millisecond at which it expires', async () => {
    const [id] = await withSecondConnection((store) =>
      addRecords(
        store,
        'default',
        [
          {
            content: 'The parking code is 4711.',
            title: '',
            project: 'default',
            origin: 'memory',
            source: 'library',
            trust: 'operator',
            key: null,
            category: 'general',
            recordType: 'fact',
            tags: [],
            metadata: {},
            createdAt: NOW - 1000,
            expiresAt: NOW,
          },
        ],
        chunking('estimate', { maxTokens: 200, countTokens: estimateTokens }),
        NOW - 1000,
      ),
    );
    now = NOW - 1;
    expect(await foundIds('parking code')).toEqual([id]);
    expect((await get(loci, { citation: `record/${String(id)}` })).text).toContain('4711');
    now = NOW;
    expect(await foundIds('parking code')).toEqual([]);
    await expect(get(loci, { citation: `record/${String(id)}` })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('shows only records of its namespace', async () => {
    const other = await open({ namespace: 'other' });
    try {
      await write(loci, { content: 'The plumber is called Zebulon.' });
      await write(other, { content: 'The gardener is called Ottoline.' });
      await write(other, { content: 'The baker is called Zebedee.' });
      expect(await foundIds('gardener ottoline')).toEqual([]);
      expect(await foundIds('plumber zebulon', other)).toEqual([]);
      // A word is not corrected to one that occurs only in the other namespace.
      expect((await search(loci, { query: 'ottolina' })).corrections).toEqual([]);
      await expect(get(loci, { citation: 'record/2' })).rejects.toMatchObject({ code: 'not_found' });
      const before = await search(other, { query: 'called' });
      await write(loci, { content: 'called '.repeat(50) });
      const after = await search(other, { query: 'called' });
      expect({ ...after, took_ms: 0 }).toEqual({ ...before, took_ms: 0 });
    } finally {
      await other.close();
    }
  });

  it('refuses to compare vectors of two models, and names both and the command to run', async () => {
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
        hint: expect.stringContaining('`loci embed backfill`, then `loci embed switch`'),
      };
      await expect(search(embedding, { query: 'plumber' })).rejects.toMatchObject(mismatch);
      await expect(write(embedding, { content: 'x' })).rejects.toMatchObject(mismatch);
      await expect(indexVaults(embedding)).rejects.toMatchObject(mismatch);
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

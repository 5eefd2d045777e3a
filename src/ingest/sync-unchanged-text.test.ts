import { addVectors } from '../../test/contract/store-samples.ts';
import { searchText } from '../../test/contract/queries.ts';
import { openSqliteInMemory } from '../../test/contract/sqlite-in-memory.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../core/ids.ts';
import type { Source, SourceDocument } from '../sources/source.ts';
import type { Store } from '../store/store.ts';
import { chunking, estimateModelTokens } from './passages.ts';
import { syncSource, type SyncReport } from './sync.ts';

const NOW = Date.UTC(2026, 10, 22);
const CONTENT = '# Oven\n\nWe chose induction.\n\n# Sink\n\nSteel, two bowls.';

/** A source that lists and returns the one document it was given. */
class SingleDocumentSource implements Source {
  readonly name = 'chat';
  readonly origin = 'vault';
  readonly trust = 'operator';
  document: SourceDocument;

  constructor(document: SourceDocument) {
    this.document = document;
  }

  async *list(): ReturnType<Source['list']> {
    yield { key: this.document.key, revision: this.document.revision, bytes: 1 };
  }

  async read(): Promise<SourceDocument> {
    return this.document;
  }
}

const ORIGINAL: SourceDocument = {
  key: 'a',
  revision: '1',
  identity: null,
  project: null,
  category: null,
  recordType: null,
  title: 'Kitchen',
  tags: ['home'],
  content: CONTENT,
  metadata: { speaker: 'Ada', aliases: ['cooking'], links: ['b'] },
  createdAt: NOW,
  updatedAt: NOW,
};

let store: Store;
let generation: number;

beforeEach(async () => {
  store = openSqliteInMemory();
  generation = await addVectors(store);
});

afterEach(async () => store.close());

async function sync(document: SourceDocument): Promise<SyncReport> {
  const options = chunking('estimate', { maxTokens: 16, countTokens: estimateModelTokens });
  return syncSource(store, new SingleDocumentSource(document), {
    namespace: 'n',
    project: 'home',
    chunking: options,
    now: () => NOW,
    allowEmpty: false,
  });
}

async function hashes(): Promise<string[]> {
  return ((await store.records.passagesOf('n', [1])).get(1) ?? []).map(({ hash }) => hash);
}

async function embedAll(): Promise<void> {
  const pending = (await store.vectors.pending('n', generation, { limit: 100 })).passages;
  const vector = Float32Array.of(1, 0, 0);
  await store.vectors.put(
    'n',
    generation,
    pending.map(({ hash }) => ({ hash, vector })),
  );
}

describe('a document whose text did not change', () => {
  it.each<[string, Partial<SourceDocument>]>([
    ['title', { title: 'Remodel' }],
    ['speaker', { metadata: { ...ORIGINAL.metadata, speaker: 'Ben' } }],
    ['key and title', { key: 'b', title: 'Remodel' }],
  ])('is embedded again after a change of its %s', async (_, changed) => {
    await sync(ORIGINAL);
    await embedAll();
    const before = await hashes();
    expect(before.length).toBeGreaterThan(1);
    await sync({ ...ORIGINAL, revision: '2', ...changed });
    const after = await hashes();
    expect(after).toHaveLength(before.length);
    expect(after.filter((hash) => before.includes(hash))).toEqual([]);
    expect((await store.vectors.pending('n', generation, { totals: true })).texts).toBe(before.length);
    const [record] = await store.records.get('n', [1], { liveAt: NOW });
    expect(record).toMatchObject({ title: 'Kitchen', ...changed });
  });

  it.each<[string, Partial<SourceDocument>]>([
    ['revision', {}],
    ['aliases', { metadata: { ...ORIGINAL.metadata, aliases: ['stove'] } }],
    ['links', { metadata: { ...ORIGINAL.metadata, links: [] } }],
    ['tags', { tags: ['house'] }],
    ['category and type', { category: 'recipes', recordType: 'list' }],
    ['key', { key: 'folder/a' }],
  ])('is not embedded again after a change of its %s', async (_, changed) => {
    await sync(ORIGINAL);
    await embedAll();
    const before = await hashes();
    await sync({ ...ORIGINAL, revision: '2', ...changed });
    expect(await hashes()).toEqual(before);
    expect((await store.vectors.pending('n', generation, { totals: true })).texts).toBe(0);
    const [record] = await store.records.get('n', [1], { liveAt: NOW });
    expect(record).toMatchObject({ revision: '2', ...changed, contentHash: sha256(CONTENT) });
  });

  it('is a note by default', async () => {
    const storedRecord = async () => (await store.records.get('n', [1], { liveAt: NOW }))[0];
    await sync({ ...ORIGINAL, category: 'recipes', recordType: 'list' });
    expect(await storedRecord()).toMatchObject({ category: 'recipes', recordType: 'list' });
    await sync({ ...ORIGINAL, revision: '2' });
    expect(await storedRecord()).toMatchObject({ category: 'note', recordType: 'note' });
  });

  it('counts as updated if its title changes, and as unchanged otherwise', async () => {
    await sync(ORIGINAL);
    expect(await sync({ ...ORIGINAL, revision: '2' })).toMatchObject({ updated: 0, unchanged: 1 });
    expect(await sync({ ...ORIGINAL, revision: '3', title: 'Remodel' })).toMatchObject({
      updated: 1,
      unchanged: 0,
    });
  });

  it('is found by its new aliases at once', async () => {
    await sync(ORIGINAL);
    await sync({ ...ORIGINAL, revision: '2', metadata: { ...ORIGINAL.metadata, aliases: ['stove'] } });
    const weights = { title: 1, headings: 1, body: 1, tags: 1 };
    const found = async (word: string): Promise<number> => {
      const query = { any: [{ terms: [word], prefix: false }], all: [], weights };
      return (await searchText(store, 'n', query, { now: NOW }, 10)).length;
    };
    expect(await found('stove')).toBeGreaterThan(0);
    expect(await found('cook')).toBe(0);
  });
});

import { addVectors } from '../../test/contract/store-samples.ts';
import { openSqliteInMemory } from '../../test/contract/sqlite-in-memory.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../core/ids.ts';
import type { LociRecord } from '../core/types.ts';
import type { Source, SourceDocument } from '../sources/source.ts';
import type { Store } from '../store/store.ts';
import { chunking, estimateModelTokens } from './passages.ts';
import { syncSource, type SyncReport } from './sync.ts';

const NOW = Date.UTC(2026, 10, 22);
const CHUNKING = chunking('estimate', { maxTokens: 40, countTokens: estimateModelTokens });

const NOTE = [
  '# Kitchen',
  'We chose the induction oven because gas would need a new pipe through the hall.',
  '## Sink',
  'Steel with two bowls, and a tap that can be pulled out to fill the large pots.',
  '## Floor',
  'Oak, oiled twice, laid before the cupboards so that the dishwasher can be moved.',
].join('\n\n');
const EDITED = NOTE.replace('Oak, oiled twice', 'Oak, oiled three times');

type Notes = Readonly<Record<string, string | { readonly content: string; readonly identity: string }>>;

/** A vault whose notes are in memory. */
class Vault implements Source {
  readonly name = 'notes';
  readonly origin = 'vault';
  readonly trust = 'operator';
  readonly #documents: ReadonlyMap<string, SourceDocument>;

  constructor(notes: Notes) {
    const documents = Object.entries(notes).map(([key, note]) => documentOf(key, note));
    this.#documents = new Map(documents.map((document) => [document.key, document]));
  }

  async *list(): ReturnType<Source['list']> {
    for (const { key, revision, content } of this.#documents.values())
      yield { key, revision, bytes: content.length };
  }

  async read({ key }: { readonly key: string }): Promise<SourceDocument | null> {
    return this.#documents.get(key) ?? null;
  }
}

function documentOf(key: string, note: Notes[string]): SourceDocument {
  const { content, identity } = typeof note === 'string' ? { content: note, identity: null } : note;
  return {
    key,
    identity,
    content,
    revision: sha256(content),
    project: null,
    category: null,
    recordType: null,
    title: 'Kitchen',
    tags: [],
    metadata: {},
    createdAt: NOW,
    updatedAt: NOW,
  };
}

let store: Store;

beforeEach(() => {
  store = openSqliteInMemory();
});

afterEach(async () => store.close());

function sync(notes: Notes): Promise<SyncReport> {
  const options = { namespace: 'n', project: 'home', now: () => NOW, allowEmpty: true };
  return syncSource(store, new Vault(notes), { ...options, chunking: CHUNKING });
}

async function record(key: string): Promise<LociRecord | undefined> {
  const filter = { now: NOW, origins: ['vault' as const], key };
  return (await store.records.list('n', { filter }, { after: null, limit: 1 }))[0];
}

/** Syncs one state of the vault after another, and returns the counts of the second. */
async function change(before: Notes, after: Notes): Promise<Partial<SyncReport>> {
  await sync(before);
  const { renamed, added, removed, updated } = await sync(after);
  return { renamed, added, removed, updated };
}

const NONE = { renamed: 0, added: 0, removed: 0, updated: 0 };

describe('a note that was renamed and edited between two sweeps', () => {
  it('keeps its record, and the vectors of the passages that did not change', async () => {
    const generation = await addVectors(store);
    await sync({ 'a.md': NOTE, 'other.md': 'About tiles.' });
    const pending = (await store.vectors.pending('n', generation, { limit: 100 })).passages;
    const vector = Float32Array.of(1, 0, 0);
    const vectors = pending.map(({ hash }) => ({ hash, vector }));
    await store.vectors.put('n', generation, vectors);
    const before = await record('a.md');
    const report = await sync({ 'Home/b.md': EDITED, 'other.md': 'About tiles.' });
    expect(report).toMatchObject({ ...NONE, renamed: 1, unchanged: 1, seen: 2 });
    const after = await record('Home/b.md');
    expect(after).toMatchObject({ id: before?.id, uuid: before?.uuid, content: EDITED });
    expect(await record('a.md')).toBeUndefined();
    const passages = (await store.records.passagesOf('n', [after?.id ?? 0])).get(after?.id ?? 0) ?? [];
    expect(passages.length).toBeGreaterThan(2);
    expect((await store.vectors.pending('n', generation, { totals: true })).texts).toBe(1);
  });

  it('is a new note if the texts differ much, or are too short to tell', async () => {
    const rewritten = `${NOTE.slice(0, 100)} ${'Something else was written here by hand. '.repeat(5)}`;
    expect(await change({ 'a.md': NOTE }, { 'b.md': rewritten })).toEqual({ ...NONE, added: 1, removed: 1 });
    expect(await change({ 'b.md': 'Buy oak oil.' }, { 'c.md': 'Buy oak boards.' })).toMatchObject({
      renamed: 0,
      added: 1,
    });
  });

  it('is a new note if it may be one of several, or if both have ids of their own', async () => {
    const copy = NOTE.replace('Steel', 'Brass');
    const ambiguous = await change({ 'a.md': NOTE, 'copy.md': copy }, { 'b.md': EDITED });
    expect(ambiguous).toEqual({ ...NONE, added: 1, removed: 2 });
    const twoHeirs = await change({ 'b.md': EDITED }, { 'c.md': NOTE, 'd.md': copy });
    expect(twoHeirs).toEqual({ ...NONE, added: 2, removed: 1 });
    const withIds = await change(
      { 'e.md': { content: NOTE, identity: 'one' } },
      { 'f.md': { content: EDITED, identity: 'two' } },
    );
    expect(withIds).toMatchObject({ renamed: 0, added: 1 });
  });

  it('leaves the record to a note with the same text, which was only renamed', async () => {
    await sync({ 'a.md': NOTE });
    const before = await record('a.md');
    expect(await sync({ 'b.md': EDITED, 'c.md': NOTE })).toMatchObject({ ...NONE, renamed: 1, added: 1 });
    expect((await record('c.md'))?.id).toBe(before?.id);
  });

  it('is recognised while thousands of others move, and gets its record from its own old note', async () => {
    const words = (i: number, word: string): string =>
      Array.from({ length: 30 }, (_, j) => `${word}${String(i)}x${String(j)}`).join(' ');
    const vault = (folder: string, edit: (text: string, i: number) => string): Notes =>
      Object.fromEntries(
        Array.from({ length: 2100 }, (_, i) => [`${folder}/${String(i)}.md`, edit(words(i, 'w'), i)]),
      );
    await sync(vault('old', (text) => text));
    const before = await record('old/7.md');
    const counts = await sync(vault('new', (text, i) => (i % 10 === 7 ? `${text} edited today` : text)));
    expect(counts).toMatchObject({ ...NONE, renamed: 2100 });
    expect((await record('new/7.md'))?.uuid).toBe(before?.uuid);
    const rewritten = await sync(vault('last', (text) => `${text} edited again`));
    expect(rewritten).toMatchObject({ ...NONE, added: 2100, removed: 2100 });
  });
});

import { searchText } from './queries.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { shortHash, sha256 } from '../../src/core/ids.ts';
import type { LociRecord, Passage } from '../../src/core/types.ts';
import type { NamespaceStats } from '../../src/store/admin-model.ts';
import type { ChunkedRecord, RecordDraft, RecordWrite } from '../../src/store/model.ts';
import type {
  FieldWeights,
  PendingEmbedding,
  SearchFilter,
  TextQuery,
  TextTerm,
} from '../../src/store/search-model.ts';
import type { Store } from '../../src/store/store.ts';
import { analyze } from '../../src/core/text/analyze.ts';

/** The current time in the tests of stores. */
export const NOW: number = Date.UTC(2026, 4, 1);
export const CHUNKING = 'test/1';
export const EQUAL_WEIGHTS: FieldWeights = { title: 1, headings: 1, body: 1, tags: 1 };
export const ALL_LIVE: SearchFilter = { now: NOW };

/** The reads that these helpers call. */
interface RecordReads {
  readonly records: Pick<Store['records'], 'list' | 'count'>;
}

let drafts = 0;

/** The record of a note in a vault; the given fields replace the defaults. */
export function draft(fields: Partial<RecordDraft> = {}): RecordDraft {
  drafts++;
  const content = fields.content ?? '';
  return {
    uuid: `00000000-0000-7000-8000-${String(drafts).padStart(12, '0')}`,
    project: 'default',
    origin: 'vault',
    source: 'notes',
    trust: 'operator',
    // A short file name, which is not searched for.
    key: `${String(drafts)}/n.md`,
    identity: null,
    category: 'note',
    recordType: 'note',
    title: '',
    tags: [],
    content,
    metadata: {},
    createdAt: NOW - 1000,
    updatedAt: NOW - 1000,
    expiresAt: null,
    contentHash: sha256(content),
    revision: null,
    ...fields,
  };
}

export function passage(text: string, fields: Partial<Passage> = {}): Passage {
  return {
    ordinal: 0,
    headings: [],
    text,
    context: null,
    startLine: 1,
    endLine: 1,
    hash: shortHash(text),
    ...fields,
  };
}

/** A new record with one passage for each text. */
export function note(texts: string | readonly string[], fields: Partial<RecordDraft> = {}): RecordWrite {
  const list = typeof texts === 'string' ? [texts] : texts;
  return {
    id: null,
    draft: draft({ content: list.join('\n\n'), ...fields }),
    passages: list.map((text, ordinal) =>
      passage(text, { ordinal, startLine: ordinal + 1, endLine: ordinal + 1 }),
    ),
  };
}

export async function write(
  store: Store,
  namespace: string,
  ...writes: readonly RecordWrite[]
): Promise<number[]> {
  return store.records.commit(namespace, { writes, chunking: CHUNKING });
}

export async function evict(store: Store, namespace: string, ...evictions: readonly number[]): Promise<void> {
  await store.records.commit(namespace, { evictions, chunking: CHUNKING });
}

/** The analysed term of a word, or the phrase of several words. */
export function term(words: string, prefix = false): TextTerm {
  return { terms: analyze(words).map((token) => token.term), prefix };
}

export function anyOf(...words: readonly string[]): TextQuery {
  return { any: words.map((word) => term(word)), all: [], weights: EQUAL_WEIGHTS };
}

/** Ids of the records whose passages contain any of the words, best first. */
export async function matchingRecords(
  store: Store,
  namespace: string,
  ...words: readonly string[]
): Promise<number[]> {
  const scores = await searchText(store, namespace, anyOf(...words), ALL_LIVE, 100);
  return scores.map(({ record }) => record);
}

/** Ids of the passages that contain the word, ascending. */
export async function matchingPassages(store: Store, namespace: string, text: string): Promise<number[]> {
  const scores = await searchText(store, namespace, anyOf(text), ALL_LIVE, 1000);
  return scores.map(({ passage: id }) => id).sort((a, b) => a - b);
}

/** The passages of the namespace that have no vector, at most 10,000. */
export async function pendingEmbeddings(
  store: Store,
  generation: number,
  namespace: string,
): Promise<readonly PendingEmbedding[]> {
  return (await store.vectors.pending(namespace, generation, { limit: 10_000 })).passages;
}

/** The live notes with this key, of all sources. */
export function notesWithKey(
  { records }: RecordReads,
  namespace: string,
  key: string,
  now: number = NOW,
): Promise<LociRecord[]> {
  return records.list(namespace, { filter: { now, origins: ['vault'], key } }, { after: null, limit: 100 });
}

/** How many live notes have each of these keys. */
export function countNotesWithKeys(
  { records }: RecordReads,
  namespace: string,
  keys: readonly string[],
  now: number = NOW,
): Promise<number[]> {
  return Promise.all(keys.map((key) => records.count(namespace, { now, origins: ['vault'], key })));
}

/** `undefined` for a namespace that was never written. */
export async function statsOf({ admin }: Pick<Store, 'admin'>, namespace: string): Promise<NamespaceStats> {
  return admin.stats(namespace);
}

/** The findings of the checks of the file and of the derived state of every namespace. */
export async function verifyStore({ admin }: Pick<Store, 'admin'>): Promise<string[]> {
  const findings = await admin.verify(ADMIN_NAMESPACE);
  for (let after: string | undefined = ''; after !== undefined;) {
    const page = await admin.verifyNamespaces(ADMIN_NAMESPACE, after);
    findings.push(...page.flatMap((each) => each.findings));
    after = page.at(-1)?.namespace;
  }
  return findings;
}

/** Replacements for the passages of records, cut from the current state of each record. */
export async function chunkCurrentRecords(
  store: { readonly records: Pick<Store['records'], 'list'> },
  namespace: string,
  passages: ReadonlyMap<number, readonly Passage[]>,
): Promise<Map<number, ChunkedRecord>> {
  const records = await store.records.list(namespace, { scan: 'undeleted' }, { after: null, limit: 1000 });
  const byId = new Map(records.map((record) => [record.id, record]));
  return new Map([...passages].map(([id, pieces]) => [id, chunkedRecord(byId.get(id), pieces)]));
}

/** Passages that were cut from this state of a record; `undefined` stands for a state that it never had. */
export function chunkedRecord(record: LociRecord | undefined, passages: readonly Passage[]): ChunkedRecord {
  return { state: record ?? draft(), passages };
}

/** Adds a set of vectors with three dimensions and returns its id. */
export async function addVectors({ vectors }: Pick<Store, 'vectors'>): Promise<number> {
  const spec = { provider: 'test', model: 'm', dimensions: 3 };
  return (await vectors.setGeneration(ADMIN_NAMESPACE, { add: spec })).id;
}

/** Stores a vector for every content of the namespace that has none. */
export async function embed(
  store: Store,
  generation: number,
  namespace: string,
  vectorOf: (text: string) => Float32Array,
): Promise<void> {
  const pending = await pendingEmbeddings(store, generation, namespace);
  await store.vectors.put(
    namespace,
    generation,
    pending.map(({ hash, text }) => ({ hash, vector: vectorOf(text) })),
  );
}

/** A unit vector in the direction of the components. */
export function unit(...components: readonly number[]): Float32Array {
  const length = Math.hypot(...components);
  return Float32Array.from(components, (component) => component / length);
}

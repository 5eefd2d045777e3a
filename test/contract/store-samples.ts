import { searchText } from './queries.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { shortHash, sha256 } from '../../src/core/ids.ts';
import type { LociRecord, Passage } from '../../src/core/types.ts';
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

/** The time at which tests look at the store. */
export const NOW: number = Date.UTC(2026, 4, 1);
export const CHUNKING = 'test/1';
export const EQUAL_WEIGHTS: FieldWeights = { title: 1, headings: 1, body: 1, tags: 1 };
export const ALL_LIVE: SearchFilter = { now: NOW };

let made = 0;

/** The record of a note in a vault; the given fields replace the defaults. */
export function draft(given: Partial<RecordDraft> = {}): RecordDraft {
  made++;
  const content = given.content ?? '';
  return {
    uuid: `00000000-0000-7000-8000-${String(made).padStart(12, '0')}`,
    project: 'default',
    origin: 'vault',
    source: 'notes',
    trust: 'operator',
    key: `note-${String(made)}.md`,
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
    ...given,
  };
}

export function passage(text: string, given: Partial<Passage> = {}): Passage {
  return {
    ordinal: 0,
    headings: [],
    text,
    context: null,
    startLine: 1,
    endLine: 1,
    hash: shortHash(text),
    ...given,
  };
}

/** A new record of one passage a text. */
export function note(texts: string | readonly string[], given: Partial<RecordDraft> = {}): RecordWrite {
  const list = typeof texts === 'string' ? [texts] : texts;
  return {
    id: null,
    draft: draft({ content: list.join('\n\n'), ...given }),
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

/** A word as the analyzer gives it, or several as a phrase. */
export function term(words: string, prefix = false): TextTerm {
  return { terms: analyze(words).map((token) => token.term), prefix };
}

export function anyOf(...words: readonly string[]): TextQuery {
  return { any: words.map((word) => term(word)), all: [], weights: EQUAL_WEIGHTS };
}

/** Ids of the records whose passages hold any of the words, best first. */
export async function matchingRecords(
  store: Store,
  namespace: string,
  ...words: readonly string[]
): Promise<number[]> {
  const scores = await searchText(store, namespace, anyOf(...words), ALL_LIVE, 100);
  return scores.map(({ record }) => record);
}

/** Ids of the passages that hold the word, ascending. */
export async function matchingPassages(store: Store, namespace: string, text: string): Promise<number[]> {
  const scores = await searchText(store, namespace, anyOf(text), ALL_LIVE, 1000);
  return scores.map(({ passage: id }) => id).sort((a, b) => a - b);
}

/** The passages of the namespace without a vector. */
export async function pendingEmbeddings(
  store: Store,
  generation: number,
  namespace: string,
): Promise<PendingEmbedding[]> {
  const pending: PendingEmbedding[] = [];
  for (let after: PendingEmbedding | null = null; ;) {
    const page: PendingEmbedding[] = await store.vectors.pending(namespace, generation, {
      after,
      limit: 500,
    });
    pending.push(...page);
    after = page.at(-1) ?? null;
    if (after === null) return pending;
  }
}

/** The faults of the file and of the derived state of every namespace. */
export async function verifyStore({ admin }: Pick<Store, 'admin'>): Promise<string[]> {
  const findings = await admin.verify(ADMIN_NAMESPACE);
  for (const { namespace } of (await admin.stats(ADMIN_NAMESPACE)).namespaces)
    findings.push(...(await admin.verify(namespace)));
  return findings;
}

/** Passages to put in place of those that records have, as these are now. */
export async function chunkCurrentRecords(
  store: { readonly records: Pick<Store['records'], 'list'> },
  namespace: string,
  passages: ReadonlyMap<number, readonly Passage[]>,
): Promise<Map<number, ChunkedRecord>> {
  const records = await store.records.list(namespace, { scan: 'undeleted' }, { after: null, limit: 1000 });
  const held = new Map(records.map((record) => [record.id, record]));
  return new Map([...passages].map(([id, made]) => [id, chunkedRecord(held.get(id), made)]));
}

/** Passages that were cut from this state of a record; `undefined` for one that never was. */
export function chunkedRecord(record: LociRecord | undefined, passages: readonly Passage[]): ChunkedRecord {
  return { state: record ?? draft(), passages };
}

/** Gives every content of the namespace a vector: that of its text, or the one for all. */
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

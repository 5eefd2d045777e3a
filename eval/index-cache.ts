import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { LociError } from '../src/core/errors.ts';
import { sha256, uuidv7 } from '../src/core/ids.ts';
import type { LociRecord } from '../src/core/types.ts';
import { embedPending } from '../src/ingest/embed.ts';
import { makePassages } from '../src/ingest/passages.ts';
import type { RecordInput } from '../src/ingest/record-draft.ts';
import { deriveBelongsTo } from '../src/search/belongs-to.ts';
import type { RecordWrite } from '../src/store/model.ts';
import { openStore } from '../src/store/registry.ts';
import { ADMIN_NAMESPACE } from '../src/store/rules/admin-namespace.ts';
import type { Store } from '../src/store/store.ts';
import type { Model } from './model.ts';
import { Progress } from './progress.ts';
import { recordKey, recordsOf } from './records.ts';
import { type EvalCollection, type EvalSet, isFromSource } from './sets.ts';

const POLL_INTERVAL_MS = 200;
const SQLITE_BUSY = 5;
const BEGIN = { exclusive: 'BEGIN EXCLUSIVE', shared: 'BEGIN; SELECT count(*) FROM sqlite_schema' } as const;

/**
 * A lock on an indexed set, shared by the processes that measure it and exclusive for one that builds it. It is a lock of SQLite on
 * an empty database, which the operating system releases when the process ends, however it ends.
 */
class IndexLock {
  readonly #db: DatabaseSync;
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    this.#db = new DatabaseSync(path, { timeout: 0 });
  }

  /**
   * Takes the lock in place of the one that it has, and waits for other processes. Another process may take it between the two.
   * @throws LociError `aborted`
   */
  async take(mode: keyof typeof BEGIN, signal?: AbortSignal): Promise<void> {
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
    for (let isWaiting = false; !this.#tryTake(mode); isWaiting = true) {
      if (!isWaiting)
        process.stderr.write(`waiting for another run of eval, which has locked ${this.#path}\n`);
      await setTimeout(POLL_INTERVAL_MS);
      if (signal?.aborted === true) throw new LociError('aborted', 'waiting for another run was stopped');
    }
  }

  #tryTake(mode: keyof typeof BEGIN): boolean {
    try {
      this.#db.exec(BEGIN[mode]);
      return true;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return false;
      throw error;
    }
  }

  close(): void {
    this.#db.close();
  }
}

/** A set in a store of its own, each collection in its own namespace. */
export interface IndexedSet {
  readonly store: Store;
  /** The generation of its vectors; `null` without a model. */
  readonly generation: number | null;
  /** Closes the store, and lets other runs build the set. */
  close(): Promise<void>;
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The code that decides how documents are stored, besides the chunking. */
const INDEXING_CODE = [
  'src/core/text/**',
  'src/ingest/**',
  'src/sources/**',
  'src/store/**',
  'eval/index-cache.ts',
  'eval/records.ts',
  'eval/source-records.ts',
];
const BATCH = 200;
const PAGE = 1000;
/** Any fixed time: documents carry their own dates. */
const WRITTEN_AT = Date.UTC(2026, 0, 1);

export function namespaceOf(set: EvalSet, collection: string): string {
  return `${set.name}/${collection}`;
}

const CACHE_FOLDER: string = join(ROOT, '.cache', 'eval');

/** Whether the set is stored and embedded by the current code. */
export function isIndexed(set: EvalSet, model: Model, folder: string = CACHE_FOLDER): boolean {
  const stamp = readStamp(storePath(set, model, folder));
  return stamp?.code === indexingCode() && stamp.embedded;
}

/**
 * Opens the set's store and indexes what is missing. When the indexing code has changed, all records are stored again;
 * the vectors of unchanged texts stay. Until it is closed, other runs can measure the set but not change it; a run that has to
 * build it or to derive its edges has it alone.
 * @throws LociError `aborted`, `store_corrupt` if the store does not have what the set should have, and the errors of the store and
 *   the model
 */
export async function openIndexed(
  set: EvalSet,
  model: Model,
  options: { readonly folder?: string; readonly signal?: AbortSignal } = {},
): Promise<IndexedSet> {
  const { folder = CACHE_FOLDER, signal } = options;
  mkdirSync(folder, { recursive: true });
  const path = storePath(set, model, folder);
  const lock = new IndexLock(`${path}.lock`);
  let store: Store | null = null;
  const close = async (): Promise<void> => {
    await store?.close();
    lock.close();
  };
  try {
    await lock.take('shared', signal);
    if (!isIndexed(set, model, folder) || set.collections.some(hasSources))
      await lock.take('exclusive', signal);
    store = await openStore({ path }, { create: true });
    return { store, generation: await index(store, set, model, path, signal), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Indexes what is missing. Returns the generation of the vectors. */
async function index(
  store: Store,
  set: EvalSet,
  model: Model,
  path: string,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  const code = indexingCode();
  let stamp = readStamp(path);
  if (stamp?.code !== code) {
    stamp = { code, passages: await storeRecords(store, set, model, signal), embedded: false };
    writeStamp(path, stamp);
  }
  const generation = await embedAll(store, set, model, signal);
  writeStamp(path, { ...stamp, embedded: true });
  await deriveEdges(store, set, model, generation);
  await assertComplete(store, set, path, stamp.passages);
  return generation;
}

/** @throws LociError `store_corrupt` unless the store has the records of the set and this number of passages */
async function assertComplete(store: Store, set: EvalSet, path: string, passages: number): Promise<void> {
  const totals = await store.admin.totals(ADMIN_NAMESPACE);
  const stored = { documents: totals.records, passages: totals.passages };
  const expected = { documents: countDocuments(set), passages };
  if (isDeepStrictEqual(stored, expected)) return;
  const described = ({ documents, passages }: typeof stored): string =>
    `${String(documents)} documents and ${String(passages)} passages`;
  throw new LociError(
    'store_corrupt',
    `the indexed set ${set.name} has ${described(stored)} and should have ${described(expected)}`,
    { hint: `Delete the cached set, ${path}*, and run again.` },
  );
}

function countDocuments({ collections }: EvalSet): number {
  return collections.reduce((sum, { docs }) => sum + docs.length, 0);
}

export function storePath(
  set: EvalSet,
  { embedder, chunking }: Model,
  folder: string = CACHE_FOLDER,
): string {
  const modelName = embedder === null ? 'none' : `${embedder.provider}-${embedder.model}`;
  const parts = [set.name, set.hash.slice(0, 12), chunking.signature, modelName];
  return join(folder, `${parts.join('_').replaceAll(/[^\w.-]/g, '-')}.db`);
}

/** Returns the number of passages. */
async function storeRecords(
  store: Store,
  set: EvalSet,
  { chunking }: Model,
  signal: AbortSignal | undefined,
): Promise<number> {
  const progress = new Progress(`storing ${set.name}`, 'records');
  const total = countDocuments(set);
  let done = 0;
  let passages = 0;
  for (const collection of set.collections) {
    const namespace = namespaceOf(set, collection.id);
    const stored = await storedRecords(store, namespace);
    if (stored.size > 0) await store.admin.resetDerived(namespace, { text: false, vectors: false });
    const inputs = await recordsOf(set, collection);
    const keys = new Set(inputs.map(recordKey));
    const others = [...stored].flatMap(([key, { id }]) => (keys.has(key) ? [] : [{ id, at: WRITTEN_AT }]));
    if (others.length > 0) await store.records.commit(namespace, { deletions: others });
    for (let start = 0; start < inputs.length; start += BATCH) {
      assertNotAborted(signal);
      const writes = inputs.slice(start, start + BATCH).map((input): RecordWrite => {
        const before = stored.get(recordKey(input));
        const draft = draftOf(input, before);
        return { id: before?.id ?? null, draft, passages: makePassages(draft, chunking) };
      });
      await store.records.commit(namespace, { writes, chunking: chunking.signature });
      done += writes.length;
      passages += writes.reduce((sum, write) => sum + write.passages.length, 0);
      progress.report(done, total);
    }
  }
  progress.end();
  return passages;
}

function draftOf(input: RecordInput, before: LociRecord | undefined): RecordWrite['draft'] {
  return {
    ...input,
    uuid: before?.uuid ?? uuidv7(WRITTEN_AT),
    identity: null,
    updatedAt: WRITTEN_AT,
    contentHash: sha256(input.content),
    revision: null,
  };
}

/** The records of a namespace by their keys. */
export async function storedRecords(store: Store, namespace: string): Promise<Map<string, LociRecord>> {
  const stored = new Map<string, LociRecord>();
  let after: number | null = null;
  for (;;) {
    const page: LociRecord[] = await store.records.list(
      namespace,
      { scan: 'undeleted' },
      { after, limit: PAGE },
    );
    for (const record of page) stored.set(recordKey(record), record);
    const last = page.at(-1);
    if (last === undefined) return stored;
    after = last.id;
  }
}

async function embedAll(
  store: Store,
  set: EvalSet,
  { embedder }: Model,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  if (embedder === null) return null;
  const { provider, model, dimensions } = embedder;
  const generation = await store.vectors.setGeneration(ADMIN_NAMESPACE, {
    add: { provider, model, dimensions },
  });
  if (!generation.active) await store.vectors.setGeneration(ADMIN_NAMESPACE, { activate: generation.id });
  const progress = new Progress(`embedding ${set.name}`, 'passages');
  await embedPending(store, embedder, generation.id, {
    onProgress: ({ done, total }) => progress.report(done, total),
    ...(signal === undefined ? {} : { signal }),
  });
  progress.end();
  return generation.id;
}

/** Always anew, because the ranking code decides to which notes documents belong. */
async function deriveEdges(
  store: Store,
  set: EvalSet,
  { embedder }: Model,
  generation: number | null,
): Promise<void> {
  const vectors = embedder === null || generation === null ? null : { embedder, generation };
  for (const collection of set.collections)
    if (hasSources(collection))
      await deriveBelongsTo({
        ...{ store, namespace: namespaceOf(set, collection.id), vectors, excludedSources: [], all: true },
        now: set.now ?? WRITTEN_AT,
      });
}

function hasSources({ docs }: EvalCollection): boolean {
  return docs.some(isFromSource);
}

interface Stamp {
  /** Digest of the code that stored the records. */
  readonly code: string;
  /** How many passages the set has. */
  readonly passages: number;
  readonly embedded: boolean;
}

function readStamp(path: string): Stamp | null {
  const file = `${path}.stamp`;
  return existsSync(path) && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Stamp) : null;
}

function writeStamp(path: string, stamp: Stamp): void {
  writeFileSync(`${path}.stamp`, JSON.stringify(stamp));
}

function indexingCode(): string {
  const digest = createHash('sha256');
  const files = globSync(INDEXING_CODE, { cwd: ROOT }).filter(
    (file) => /\.(ts|sql)$/.test(file) && !file.endsWith('.test.ts'),
  );
  for (const file of files.sort()) digest.update(file).update(readFileSync(join(ROOT, file)));
  return digest.digest('hex');
}

function assertNotAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new LociError('aborted', 'indexing was stopped');
}

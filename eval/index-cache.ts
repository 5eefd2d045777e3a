import { ADMIN_NAMESPACE } from '../src/store/rules/admin-namespace.ts';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LociError } from '../src/core/errors.ts';
import { sha256, uuidv7 } from '../src/core/ids.ts';
import type { LociRecord } from '../src/core/types.ts';
import { embedPending } from '../src/ingest/embed.ts';
import { makePassages } from '../src/ingest/passages.ts';
import type { RecordInput } from '../src/ingest/record-draft.ts';
import { deriveBelongsTo } from '../src/search/belongs-to.ts';
import { openStore } from '../src/store/registry.ts';
import type { RecordWrite } from '../src/store/model.ts';
import type { Store } from '../src/store/store.ts';
import type { Model } from './model.ts';
import { Progress } from './progress.ts';
import { recordKey, recordsOf } from './records.ts';
import { isFromSource, type EvalSet } from './sets.ts';

/** A set in a store of its own, each collection in its own namespace. */
export interface IndexedSet {
  readonly store: Store;
  /** The generation of its vectors; `null` without a model. */
  readonly generation: number | null;
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The code that decides how documents are stored, besides the chunking. */
const INDEXING_CODE = [
  'src/core/text/**',
  'src/ingest/**',
  'src/sources/**',
  'src/store/**',
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
 * the vectors of unchanged texts stay.
 * @throws LociError `aborted`, and the errors of the store and the model
 */
export async function openIndexed(
  set: EvalSet,
  model: Model,
  options: { readonly folder?: string; readonly signal?: AbortSignal } = {},
): Promise<IndexedSet> {
  const { folder = CACHE_FOLDER, signal } = options;
  mkdirSync(folder, { recursive: true });
  const path = storePath(set, model, folder);
  const store = await openStore({ driver: 'sqlite', path, busyTimeoutMs: 60_000, create: true });
  try {
    const code = indexingCode();
    if (readStamp(path)?.code !== code) {
      await storeRecords(store, set, model, signal);
      writeStamp(path, { code, embedded: false });
    }
    const generation = await embedAll(store, set, model, signal);
    writeStamp(path, { code, embedded: true });
    await deriveEdges(store, set, model, generation);
    return { store, generation };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function storePath(set: EvalSet, { embedder, chunking }: Model, folder: string): string {
  const modelName = embedder === null ? 'none' : `${embedder.provider}-${embedder.model}`;
  const parts = [set.name, set.hash.slice(0, 12), chunking.signature, modelName];
  return join(folder, `${parts.join('_').replaceAll(/[^\w.-]/g, '-')}.db`);
}

async function storeRecords(
  store: Store,
  set: EvalSet,
  { chunking }: Model,
  signal: AbortSignal | undefined,
): Promise<void> {
  const progress = new Progress(`storing ${set.name}`, 'records');
  const total = set.collections.reduce((sum, { docs }) => sum + docs.length, 0);
  let done = 0;
  for (const collection of set.collections) {
    const namespace = namespaceOf(set, collection.id);
    const stored = await storedRecords(store, namespace);
    if (stored.size > 0) await store.admin.resetDerived(namespace, { drop: true, vectors: false });
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
      progress.report(done, total);
    }
  }
  progress.end();
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
  const generation = await store.vectors.addGeneration(ADMIN_NAMESPACE, { provider, model, dimensions });
  if (!generation.active) await store.vectors.activateGeneration(ADMIN_NAMESPACE, generation.id);
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
  for (const { id, docs } of set.collections)
    if (docs.some(isFromSource))
      await deriveBelongsTo({
        ...{ store, namespace: namespaceOf(set, id), vectors, excludedSources: [], all: true },
        now: set.now ?? WRITTEN_AT,
      });
}

interface Stamp {
  /** Digest of the code that stored the records. */
  readonly code: string;
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

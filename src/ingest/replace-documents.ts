import { setImmediate } from 'node:timers/promises';
import { sha256 } from '../core/hash.ts';
import { LociError } from '../core/errors.ts';
import type { LociRecord, Metadata, Timestamp } from '../core/types.ts';
import { uuidv7 } from '../core/uuid.ts';
import type { MemoryDocument } from '../sources/document.ts';
import type { SourceState } from '../store/source-states.ts';
import type { CommitBatch, RecordDraft, RecordWrite, SourceEntry, Store } from '../store/store.ts';
import { contentOf, DOCUMENT_FORMAT } from './document-content.ts';
import { knownByKey } from './known-entries.ts';
import { samePassages, type Chunking } from './passages.ts';
import { withinCap } from './within-cap.ts';

/** What a source has to say now. */
export interface DocumentSet {
  /** Its id. */
  readonly source: string;
  /** No two have the same id. */
  readonly documents: readonly MemoryDocument[];
  /** Ids of documents that could not be read: what was known of them stays. */
  readonly unreadable: ReadonlySet<string>;
}

export interface ReplaceOptions {
  readonly namespace: string;
  /** Of documents that name none. */
  readonly project: string;
  readonly chunking: Chunking;
  readonly now: Timestamp;
  readonly maxDocuments: number;
  readonly keepCompleted: boolean;
  readonly fence: NonNullable<CommitBatch['fence']>;
  /** What is noted of the source in the same transaction. */
  readonly noted: (report: ReplaceReport) => Partial<SourceState>;
  readonly signal?: AbortSignal;
}

export interface ReplaceReport {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  /** No longer listed, or too many. */
  readonly removed: number;
  /** Listed, and left out because there are too many. */
  readonly overCap: number;
}

/** Records that are read at once, and documents between two turns of the event loop. */
const BATCH = 64;

/**
 * Makes the store's copy of a source what its documents are now: new, changed and gone in one transaction. Documents
 * that are as they were are not touched, so that nothing of them is embedded again.
 * @throws LociError `conflict` when another process holds the lease by now; `aborted`; what `commit` throws
 */
export async function replaceDocuments(
  store: Store,
  set: DocumentSet,
  options: ReplaceOptions,
): Promise<ReplaceReport> {
  const known = await knownByKey(store, options.namespace, set.source);
  const staying = withinCap(set.documents, options);
  const changed = staying.filter(
    (document) => known.get(document.id)?.revision !== revisionOf(document, options),
  );
  const writes = await writesOf(store, set, changed, known, options);
  const listed = new Set(staying.map(({ id }) => id));
  const evictions = [...known.values()]
    .filter(({ key }) => !listed.has(key) && !set.unreadable.has(key))
    .map(({ id }) => id);
  const added = changed.filter(({ id }) => !known.has(id)).length;
  const report: ReplaceReport = {
    added,
    updated: changed.length - added,
    unchanged: staying.length - changed.length,
    removed: evictions.length,
    overCap: set.documents.length - staying.length,
  };
  await store.commit(options.namespace, {
    writes,
    evictions,
    chunking: options.chunking.signature,
    fence: options.fence,
    sourceState: { source: set.source, change: options.noted(report) },
  });
  return report;
}

/** Everything that a record is made of, and how: what is equal need not be written again. */
function revisionOf(document: MemoryDocument, { project }: ReplaceOptions): string {
  const { id: _, metadata, ...rest } = document;
  const entries = Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = Object.values({ ...rest, project: document.project ?? project });
  return sha256(JSON.stringify([DOCUMENT_FORMAT, parts, entries]));
}

async function writesOf(
  store: Store,
  { source }: DocumentSet,
  changed: readonly MemoryDocument[],
  known: ReadonlyMap<string, SourceEntry>,
  options: ReplaceOptions,
): Promise<RecordWrite[]> {
  const writes: RecordWrite[] = [];
  for (let start = 0; start < changed.length; start += BATCH) {
    const batch = changed.slice(start, start + BATCH);
    const ids = batch.flatMap(({ id }) => known.get(id)?.id ?? []);
    const earlier = await store.records(options.namespace, ids, options.now);
    const byKey = new Map(earlier.map((record) => [record.key, record]));
    for (const document of batch) {
      const before = byKey.get(document.id);
      const draft = draftOf(source, document, before, options);
      const isSame = before !== undefined && samePassages(before, draft);
      const passages = isSame ? 'keep' : await options.chunking.cut(draft, options.signal);
      writes.push({ id: known.get(document.id)?.id ?? null, draft, passages });
    }
    // Short texts are cut where we are: others have their turn now and then.
    await setImmediate();
    if (options.signal?.aborted === true) throw new LociError('aborted', `reading ${source} was stopped`);
  }
  return writes;
}

function draftOf(
  source: string,
  document: MemoryDocument,
  earlier: LociRecord | undefined,
  options: ReplaceOptions,
): RecordDraft {
  const { now } = options;
  const kind = document.completed === null ? 'document' : 'task';
  const content = contentOf(document);
  return {
    uuid: earlier?.uuid ?? uuidv7(now),
    project: document.project ?? options.project,
    origin: 'source',
    source,
    trust: 'external',
    key: document.id,
    identity: null,
    category: kind,
    recordType: kind,
    title: document.title ?? '',
    tags: document.tags,
    content,
    metadata: metadataOf(document),
    createdAt: document.timestamp ?? earlier?.createdAt ?? now,
    updatedAt: now,
    expiresAt: null,
    contentHash: sha256(content),
    revision: revisionOf(document, options),
  };
}

function metadataOf({ metadata, completed, url, timestamp }: MemoryDocument): Metadata {
  // Whether it is done, and where it stands, has been looked at where it was told as such.
  const { completed: _, url: __, undated: ___, ...rest } = metadata;
  return {
    ...rest,
    ...(completed !== null && { completed }),
    ...(url !== null && { url }),
    // Its record's time is when it was first seen, which is no day that it is of.
    ...(timestamp === null && { undated: true }),
  };
}

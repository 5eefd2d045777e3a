import { setImmediate } from 'node:timers/promises';
import { sha256, uuidv7 } from '../core/ids.ts';
import { LociError } from '../core/errors.ts';
import { utcDayOf } from '../core/time/whole-day.ts';
import type { LociRecord, Metadata, Timestamp } from '../core/types.ts';
import type { MemoryDocument } from '../sources/document.ts';
import type { SourceState } from '../store/admin-model.ts';
import type { CommitBatch, RecordDraft, RecordWrite, SourceEntry } from '../store/model.ts';
import type { Store } from '../store/store.ts';
import { sourceStateChange } from '../store/items/kinds.ts';
import { storedEntriesByKey } from './source-entries.ts';
import { samePassages, type Chunking } from './passages.ts';

/**
 * Increase this number whenever a change of this module gives the same document a different record. The next refresh of each
 * source then rewrites all of its documents. Documents whose passages do not change are not embedded again.
 */
const DOCUMENT_FORMAT = 4;

/** The documents that a source lists now. */
interface DocumentSet {
  readonly source: string;
  /** The ids are unique. */
  readonly documents: readonly MemoryDocument[];
  /** Ids of documents that could not be read. Their stored records are kept. */
  readonly unreadableIds: ReadonlySet<string>;
}

interface ReplaceOptions {
  readonly namespace: string;
  /** The project of documents that do not name a project. */
  readonly project: string;
  readonly chunking: Chunking;
  readonly now: Timestamp;
  readonly maxDocuments: number;
  readonly keepCompleted: boolean;
  readonly fence: NonNullable<CommitBatch['fence']>;
  /** The change of the source's state that is written in the same transaction. */
  readonly sourceStateChange: (report: ReplaceReport) => Partial<SourceState>;
  readonly signal?: AbortSignal;
}

export interface ReplaceReport {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Documents that are no longer listed or exceed the cap. */
  readonly removed: number;
  /** Documents that are listed but exceed the cap. */
  readonly overCap: number;
}

/** Records read in one call, and documents cut between two turns of the event loop. */
const BATCH_SIZE = 64;

/**
 * Brings the records of a source up to date with its documents in one transaction: adds new ones, updates changed ones and
 * evicts those that are gone. Unchanged documents are not touched, so they are not embedded again.
 * @throws LociError `conflict` if another process has taken over the lease; `aborted`; the errors of `commit`
 */
export async function replaceDocuments(
  store: Store,
  set: DocumentSet,
  options: ReplaceOptions,
): Promise<ReplaceReport> {
  const entries = await storedEntriesByKey(store.records, options.namespace, set.source);
  const kept = withinCap(set.documents, options);
  const changed = kept.filter(
    (document) => entries.get(document.id)?.revision !== revisionOf(document, options),
  );
  const writes = await recordWrites(store, set, changed, entries, options);
  const listed = new Set(kept.map(({ id }) => id));
  const evictions = [...entries.values()]
    .filter(({ key }) => !listed.has(key) && !set.unreadableIds.has(key))
    .map(({ id }) => id);
  const added = changed.filter(({ id }) => !entries.has(id)).length;
  const report: ReplaceReport = {
    added,
    updated: changed.length - added,
    unchanged: kept.length - changed.length,
    removed: evictions.length,
    overCap: set.documents.length - kept.length,
  };
  await store.records.commit(options.namespace, {
    writes,
    evictions,
    chunking: options.chunking.signature,
    fence: options.fence,
    items: [sourceStateChange(set.source, options.sourceStateChange(report))],
  });
  return report;
}

/** A hash of everything a record is made of and of how it is made. A document with the same revision is not written again. */
function revisionOf(document: MemoryDocument, { project }: ReplaceOptions): string {
  const { id: _, metadata, ...rest } = document;
  const entries = Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1));
  const { timestamp, wholeDay } = document;
  // In another time zone, a day begins at another time, but the document has not changed.
  const time = timestamp !== null && wholeDay ? utcDayOf(timestamp) : timestamp;
  const parts = Object.values({ ...rest, timestamp: time, project: document.project ?? project });
  return sha256(JSON.stringify([DOCUMENT_FORMAT, parts, entries]));
}

async function recordWrites(
  store: Store,
  { source }: DocumentSet,
  changed: readonly MemoryDocument[],
  entries: ReadonlyMap<string, SourceEntry>,
  options: ReplaceOptions,
): Promise<RecordWrite[]> {
  const writes: RecordWrite[] = [];
  for (let start = 0; start < changed.length; start += BATCH_SIZE) {
    const batch = changed.slice(start, start + BATCH_SIZE);
    const ids = batch.flatMap(({ id }) => entries.get(id)?.id ?? []);
    const existing = await store.records.get(options.namespace, ids, {
      liveAt: options.now,
      damaged: 'is empty',
    });
    const byKey = new Map(existing.map((record) => [record.key, record]));
    for (const document of batch) {
      const before = byKey.get(document.id);
      const draft = recordDraft(source, document, before, options);
      const isSame = before !== undefined && samePassages(before, draft);
      const passages = isSame ? 'keep' : await options.chunking.cut(draft, options.signal);
      writes.push({ id: entries.get(document.id)?.id ?? null, draft, passages });
    }
    // Short texts are cut on this thread, so the event loop gets a turn between two batches.
    await setImmediate();
    if (options.signal?.aborted === true) throw new LociError('aborted', `reading ${source} was stopped`);
  }
  return writes;
}

function recordDraft(
  source: string,
  document: MemoryDocument,
  existing: LociRecord | undefined,
  options: ReplaceOptions,
): RecordDraft {
  const { now } = options;
  const kind = document.completed === null ? 'document' : 'task';
  return {
    uuid: existing?.uuid ?? uuidv7(now),
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
    content: document.text,
    metadata: metadataOf(document),
    createdAt: document.timestamp ?? existing?.createdAt ?? now,
    updatedAt: now,
    expiresAt: null,
    contentHash: sha256(document.text),
    revision: revisionOf(document, options),
  };
}

function metadataOf({ metadata, completed, url, timestamp, wholeDay }: MemoryDocument): Metadata {
  // `completed` and `url` were validated as fields of the document; metadata must not overrule them.
  const { completed: _, url: __, undated: ___, wholeDay: ____, ...rest } = metadata;
  return {
    ...rest,
    ...(completed !== null && { completed }),
    ...(url !== null && { url }),
    // The record's time is when the document was first seen, which says nothing about the document.
    ...(timestamp === null && { undated: true }),
    ...(wholeDay && { wholeDay }),
  };
}

interface CapOptions {
  readonly maxDocuments: number;
  /** Whether completed documents are treated like the others. Otherwise they are removed first. */
  readonly keepCompleted: boolean;
  /** The time of documents without a timestamp: they are listed now. */
  readonly now: Timestamp;
}

/** The documents that are kept, in their original order. Completed ones are removed first, then the oldest (S7). */
export function withinCap(documents: readonly MemoryDocument[], cap: CapOptions): readonly MemoryDocument[] {
  if (documents.length <= cap.maxDocuments) return documents;
  const ordered = documents.map((document, index) => ({
    index,
    isRemovedFirst: document.completed === true && !cap.keepCompleted,
    time: document.timestamp ?? cap.now,
  }));
  ordered.sort(
    (a, b) => Number(a.isRemovedFirst) - Number(b.isRemovedFirst) || b.time - a.time || a.index - b.index,
  );
  const kept = new Set(ordered.slice(0, cap.maxDocuments).map(({ index }) => index));
  return documents.filter((_, index) => kept.has(index));
}

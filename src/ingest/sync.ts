import { formatCount } from '../core/text/format-count.ts';
import { LociError } from '../core/errors.ts';
import { sha256, uuidv7 } from '../core/ids.ts';
import type { LociRecord, Timestamp } from '../core/types.ts';
import type { ExcludedFiles, Source, SourceDocument, SourceItem, SourceProblem } from '../sources/source.ts';
import type { CommitBatch, RecordDraft, RecordWrite, SourceEntry } from '../store/model.ts';
import type { Store } from '../store/store.ts';
import {
  MAX_COMPARED,
  MissingDocuments,
  pairRenamed,
  sketch,
  type NewDocument,
} from './renamed-documents.ts';
import { compareRevision, storedEntriesByKey, storedRevision } from './source-entries.ts';
import { cutOrReport, samePassages, type Chunking } from './passages.ts';

export interface SyncOptions {
  readonly namespace: string;
  /** The project of documents that do not name a project. */
  readonly project: string;
  readonly chunking: Chunking;
  readonly now: () => Timestamp;
  readonly signal?: AbortSignal;
  /** Whether a source that had documents and now has none may remove all of its records. */
  readonly allowEmpty: boolean;
  /** The lease under which the source is read. Without it nothing more is written. */
  readonly fence?: NonNullable<CommitBatch['fence']>;
  readonly onProgress?: (done: number, total: number) => void;
  /** Called for each document that is not read because it has not changed. */
  readonly onUnchanged?: (key: string) => void;
}

export interface SyncReport {
  readonly source: string;
  readonly seen: number;
  readonly added: number;
  readonly updated: number;
  readonly renamed: number;
  readonly removed: number;
  readonly unchanged: number;
  readonly problems: readonly SourceProblem[];
  /** See `Source.otherFiles`. */
  readonly otherFiles: ReadonlyMap<string, number>;
  /** See `Source.excluded`. */
  readonly excluded: readonly ExcludedFiles[];
}

const EVICTION_BATCH = 1000;
/** One transaction contains at most this many documents, or about this many characters. */
const MAX_BATCH_DOCUMENTS = 64;
const MAX_BATCH_CHARACTERS = 2_000_000;
const MAX_HELD_CHARACTERS = 20_000_000;

interface Plan {
  readonly unchanged: number;
  /** Documents that are new or may have changed. */
  readonly toRead: readonly SourceItem[];
  readonly missing: MissingDocuments;
}

/**
 * Brings the records of a source up to date: reads changed documents, keeps the records of renamed ones and evicts those
 * that are gone. Every batch is one transaction. After an interruption the next call continues.
 * @throws LociError `unreadable` if the source cannot be read or is suddenly empty; `aborted`; `conflict` if another
 *   process has taken over the lease
 */
export async function syncSource(store: Store, source: Source, options: SyncOptions): Promise<SyncReport> {
  const run = new Sync(store, source, options);
  return run.finish();
}

class Sync {
  readonly #store: Store;
  readonly #source: Source;
  readonly #options: SyncOptions;
  readonly #problems: SourceProblem[] = [];
  #entries: ReadonlyMap<string, SourceEntry> = new Map();
  #writes: RecordWrite[] = [];
  #characters = 0;
  #held: NewDocument[] = [];
  #heldCharacters = 0;
  #added = 0;
  #updated = 0;
  #renamed = 0;
  #unchanged = 0;

  constructor(store: Store, source: Source, options: SyncOptions) {
    this.#store = store;
    this.#source = source;
    this.#options = options;
  }

  async finish(): Promise<SyncReport> {
    this.#entries = await storedEntriesByKey(this.#store.records, this.#options.namespace, this.#source.name);
    const { toRead, missing, unchanged } = await this.#plan();
    this.#unchanged = unchanged;
    let done = 0;
    for (const item of toRead) {
      this.#assertNotAborted();
      await this.#ingest(item, missing);
      this.#options.onProgress?.(++done, toRead.length);
    }
    await this.#ingestHeld(missing);
    await this.#commit();
    const removed = await this.#evict(missing);
    return {
      source: this.#source.name,
      seen: toRead.length + unchanged,
      added: this.#added,
      updated: this.#updated,
      renamed: this.#renamed,
      removed,
      unchanged: this.#unchanged,
      problems: this.#problems,
      otherFiles: this.#source.otherFiles?.() ?? new Map(),
      excluded: this.#source.excluded?.() ?? [],
    };
  }

  async #plan(): Promise<Plan> {
    const missing = new Map(this.#entries);
    const [toRead, unsettled]: [SourceItem[], SourceItem[]] = [[], []];
    const onUnchanged = ({ key }: SourceItem): void => this.#options.onUnchanged?.(key);
    let unchanged = 0;
    for await (const item of this.#source.list(this.#report, this.#options.signal)) {
      missing.delete(item.key);
      const comparison = compareRevision(item, this.#entries.get(item.key));
      if (comparison === 'changed') toRead.push(item);
      else if (comparison === 'unsettled') unsettled.push(item);
      else {
        unchanged++;
        onUnchanged(item);
      }
    }
    if (toRead.length > 0 || missing.size > 0) toRead.push(...unsettled);
    else {
      unchanged += unsettled.length;
      unsettled.forEach(onUnchanged);
    }
    const excluded = new Set(await this.#source.excludedOf?.([...missing.keys()]));
    this.#excludeSkipped(missing, excluded);
    const isEmpty = unchanged + toRead.length === 0;
    if (isEmpty && [...missing.keys()].some((key) => !excluded.has(key)) && !this.#options.allowEmpty) {
      // What is skipped is there, but does not show that the rest is gone: a service may have moved all of it elsewhere.
      const state = this.#problems.some(({ skipped }) => skipped)
        ? 'has nothing that can be read'
        : 'is empty';
      throw new LociError(
        'unreadable',
        `${this.#source.name} ${state}, and ${formatCount(this.#entries.size, 'record')} came from it; nothing was removed`,
        { hint: 'If its documents are really gone, say so with --allow-empty.' },
      );
    }
    return { toRead, missing: new MissingDocuments(missing), unchanged };
  }

  /**
   * A skipped document keeps its last good state, unless its owner excludes it. A link that leads out of the source is no longer part
   * of it.
   */
  #excludeSkipped(missing: Map<string, SourceEntry>, excluded: ReadonlySet<string>): void {
    for (const { key, reason, skipped } of this.#problems) {
      if (!skipped || reason === 'outside_root') continue;
      for (const stored of missing.keys()) {
        if (excluded.has(stored)) continue;
        if (stored === key || stored.startsWith(`${key}/`)) missing.delete(stored);
      }
    }
  }

  async #ingest(item: SourceItem, missing: MissingDocuments): Promise<void> {
    const reported = this.#problems.length;
    const document = await this.#source.read(item, this.#report, this.#options.signal);
    if (document === null) return;
    const entry = this.#entries.get(item.key);
    if (entry?.revision === storedRevision(document)) {
      // It was read for the sake of others, and is still unsettled. Its problems were reported before.
      this.#problems.length = reported;
      this.#options.onUnchanged?.(item.key);
      this.#unchanged++;
      return;
    }
    const contentHash = sha256(document.content);
    const moved = entry === undefined ? missing.take(document.identity, contentHash) : undefined;
    if (entry === undefined && moved === undefined && this.#hold(document, contentHash, missing)) return;
    await this.#put(document, contentHash, entry ?? moved);
  }

  /** Holds a new document back until it is known which entries are missing. Returns false if it is to be added at once. */
  #hold(document: SourceDocument, contentHash: string, missing: MissingDocuments): boolean {
    const { length } = document.content;
    const isFull = this.#held.length >= MAX_COMPARED || this.#heldCharacters + length > MAX_HELD_CHARACTERS;
    if (isFull || missing.size === 0) return false;
    this.#held.push({ document, contentHash, sketch: sketch(document.content) });
    this.#heldCharacters += length;
    return true;
  }

  /** Adds the documents that were held back, each with the record of the missing document that it was made from, if any. */
  async #ingestHeld(missing: MissingDocuments): Promise<void> {
    const renamed = await pairRenamed(this.#held, missing.entries(), (ids) => this.#existingRecords(ids));
    for (const held of this.#held) {
      this.#assertNotAborted();
      const entry = renamed.get(held);
      if (entry !== undefined) missing.remove(entry);
      await this.#put(held.document, held.contentHash, entry);
    }
    this.#held = [];
  }

  /** @param before the entry of the document, or of the one that it was renamed from */
  async #put(document: SourceDocument, contentHash: string, before: SourceEntry | undefined): Promise<void> {
    const existing = before === undefined ? undefined : (await this.#existingRecords([before.id]))[0];
    const draft = this.#draft(document, contentHash, existing);
    const keep = existing !== undefined && samePassages(existing, draft);
    const { chunking, signal } = this.#options;
    const passages = keep
      ? 'keep'
      : await cutOrReport(chunking, draft, draft.key ?? '', this.#report, signal);
    if (passages === null) return;
    if (this.#characters + document.content.length > MAX_BATCH_CHARACTERS) await this.#commit();
    this.#writes.push({ id: before?.id ?? null, draft, passages });
    this.#characters += document.content.length;
    if (before === undefined) this.#added++;
    else if (before.key !== document.key) this.#renamed++;
    else if (keep) this.#unchanged++;
    else this.#updated++;
    if (this.#writes.length >= MAX_BATCH_DOCUMENTS || this.#characters >= MAX_BATCH_CHARACTERS)
      await this.#commit();
  }

  #existingRecords(ids: readonly number[]): Promise<LociRecord[]> {
    this.#assertNotAborted();
    const state = { liveAt: this.#options.now(), damaged: 'is empty' } as const;
    return this.#store.records.get(this.#options.namespace, ids, state);
  }

  #draft(document: SourceDocument, contentHash: string, existing: LociRecord | undefined): RecordDraft {
    const now = this.#options.now();
    return {
      uuid: existing?.uuid ?? uuidv7(now),
      project: document.project ?? this.#options.project,
      origin: this.#source.origin,
      source: this.#source.name,
      trust: this.#source.trust,
      key: document.key,
      identity: document.identity,
      category: document.category ?? 'note',
      recordType: document.recordType ?? 'note',
      title: document.title,
      tags: document.tags,
      content: document.content,
      metadata: document.metadata,
      createdAt: document.createdAt ?? existing?.createdAt ?? now,
      updatedAt: document.updatedAt ?? now,
      expiresAt: null,
      contentHash,
      revision: storedRevision(document),
    };
  }

  async #commit(): Promise<void> {
    if (this.#writes.length === 0) return;
    try {
      await this.#write({ writes: this.#writes });
    } catch (error) {
      if (!(error instanceof LociError) || error.code !== 'not_found') throw error;
      const message = `another process removed a record that ${this.#source.name} was about to change`;
      throw new LociError('conflict', message, { cause: error });
    }
    this.#writes = [];
    this.#characters = 0;
  }

  async #evict(missing: MissingDocuments): Promise<number> {
    const ids = missing.entries().map(({ id }) => id);
    for (let start = 0; start < ids.length; start += EVICTION_BATCH) {
      this.#assertNotAborted();
      await this.#evictBatch(ids.slice(start, start + EVICTION_BATCH));
    }
    return ids.length;
  }

  /** If another process has evicted some of them in the meantime, each is evicted separately. */
  async #evictBatch(ids: readonly number[]): Promise<void> {
    try {
      await this.#write({ evictions: ids });
    } catch (error) {
      if (!(error instanceof LociError) || error.code !== 'not_found') throw error;
      if (ids.length > 1) for (const id of ids) await this.#evictBatch([id]);
    }
  }

  #write(batch: Pick<CommitBatch, 'writes' | 'evictions'>): Promise<unknown> {
    const { namespace, chunking, fence } = this.#options;
    return this.#store.records.commit(namespace, {
      ...batch,
      chunking: chunking.signature,
      ...(fence !== undefined && { fence }),
    });
  }

  readonly #report = (problem: SourceProblem): void => {
    this.#problems.push(problem);
  };

  #assertNotAborted(): void {
    if (this.#options.signal?.aborted === true)
      throw new LociError('aborted', `reading ${this.#source.name} was stopped`);
  }
}

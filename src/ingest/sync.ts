import { counted } from '../core/text/counted.ts';
import { LociError } from '../core/errors.ts';
import { sha256 } from '../core/hash.ts';
import type { LociRecord, Passage, Timestamp } from '../core/types.ts';
import { uuidv7 } from '../core/uuid.ts';
import type { Source, SourceDocument, SourceItem, SourceProblem } from '../sources/source.ts';
import type { CommitBatch, RecordDraft, RecordWrite, SourceEntry, Store } from '../store/store.ts';
import { knownByKey } from './known-entries.ts';
import { samePassages, type Chunking } from './passages.ts';

export interface SyncOptions {
  readonly namespace: string;
  /** Of documents that name none. */
  readonly project: string;
  readonly chunking: Chunking;
  readonly now: () => Timestamp;
  readonly signal?: AbortSignal;
  /** Lets a source that had documents and now has none take them all away. */
  readonly allowEmpty: boolean;
  /** Under which it is read: whoever has lost it writes nothing more. */
  readonly fence?: NonNullable<CommitBatch['fence']>;
  readonly onProgress?: (done: number, total: number) => void;
  /** Called for each document that is not read, since it has not changed. */
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
}

const PAGE = 1000;
/** One transaction holds at most so many documents, or about so many characters. */
const BATCH_DOCUMENTS = 64;
const BATCH_CHARACTERS = 2_000_000;

interface Plan {
  readonly unchanged: number;
  /** New or perhaps changed. */
  readonly toRead: readonly SourceItem[];
  readonly vanished: Vanished;
}

/**
 * Brings the store's copy of a source up to date: reads what changed, keeps the record of what was renamed,
 * evicts what is gone. Every batch is a transaction; stopped anywhere, the next call goes on from there.
 * @throws LociError `unreadable` when the source cannot be looked at or is suddenly empty, `aborted`; `conflict` when
 *   another process has taken the lease over
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
  #known: ReadonlyMap<string, SourceEntry> = new Map();
  #writes: RecordWrite[] = [];
  #characters = 0;
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
    this.#known = await knownByKey(this.#store, this.#options.namespace, this.#source.name);
    const { toRead, vanished, unchanged } = await this.#plan();
    this.#unchanged = unchanged;
    let done = 0;
    for (const item of toRead) {
      this.#refuseAborted();
      await this.#take(item, vanished);
      this.#options.onProgress?.(++done, toRead.length);
    }
    await this.#commit();
    const removed = await this.#evict(vanished);
    return {
      source: this.#source.name,
      seen: toRead.length + unchanged,
      added: this.#added,
      updated: this.#updated,
      renamed: this.#renamed,
      removed,
      unchanged: this.#unchanged,
      problems: this.#problems,
    };
  }

  async #plan(): Promise<Plan> {
    const vanished = new Map(this.#known);
    const toRead: SourceItem[] = [];
    let unchanged = 0;
    for await (const item of this.#source.list(this.#report, this.#options.signal)) {
      vanished.delete(item.key);
      if (this.#known.get(item.key)?.revision !== item.revision) toRead.push(item);
      else {
        unchanged++;
        this.#options.onUnchanged?.(item.key);
      }
    }
    this.#keepSkipped(vanished);
    const nothingThere = unchanged + toRead.length === 0 && vanished.size === this.#known.size;
    if (nothingThere && vanished.size > 0 && !this.#options.allowEmpty) {
      throw new LociError(
        'unreadable',
        `${this.#source.name} is empty, and ${counted(this.#known.size, 'record')} came from it; nothing was removed`,
        { hint: 'If its documents are really gone, say so with --allow-empty.' },
      );
    }
    return { toRead, vanished: new Vanished(vanished), unchanged };
  }

  /** What is skipped is not gone: its last good state stays. What a link leads out to is no longer of the source. */
  #keepSkipped(vanished: Map<string, SourceEntry>): void {
    for (const { key, reason, skipped } of this.#problems) {
      if (!skipped || reason === 'outside_root') continue;
      for (const known of vanished.keys()) {
        if (known === key || known.startsWith(`${key}/`)) vanished.delete(known);
      }
    }
  }

  async #take(item: SourceItem, vanished: Vanished): Promise<void> {
    const document = await this.#source.read(item, this.#report, this.#options.signal);
    if (document === null) return;
    const known = this.#known.get(item.key);
    const contentHash = sha256(document.content);
    const moved = known === undefined ? vanished.take(document.identity, contentHash) : undefined;
    const before = known ?? moved;
    const earlier = before === undefined ? undefined : await this.#earlier(before.id);
    const draft = this.#draft(document, contentHash, earlier);
    const keep = earlier !== undefined && samePassages(earlier, draft);
    const passages = keep ? 'keep' : await this.#cut(draft, item.key);
    if (passages === null) return;
    if (this.#characters + document.content.length > BATCH_CHARACTERS) await this.#commit();
    this.#writes.push({ id: before?.id ?? null, draft, passages });
    this.#characters += document.content.length;
    if (moved !== undefined) this.#renamed++;
    else if (known === undefined) this.#added++;
    else if (keep) this.#unchanged++;
    else this.#updated++;
    if (this.#writes.length >= BATCH_DOCUMENTS || this.#characters >= BATCH_CHARACTERS) await this.#commit();
  }

  /** `null`, and reported, for a text that is too much. */
  async #cut(draft: RecordDraft, key: string): Promise<Passage[] | null> {
    const { chunking, signal } = this.#options;
    try {
      return await chunking.cut(draft, signal);
    } catch (error) {
      if (!(error instanceof LociError) || error.code !== 'unreadable') throw error;
      this.#report({ key, reason: 'unreadable', detail: error.message, skipped: true });
      return null;
    }
  }

  async #earlier(id: number): Promise<LociRecord | undefined> {
    return (await this.#store.records(this.#options.namespace, [id], this.#options.now()))[0];
  }

  #draft(document: SourceDocument, contentHash: string, earlier: LociRecord | undefined): RecordDraft {
    const now = this.#options.now();
    return {
      uuid: earlier?.uuid ?? uuidv7(now),
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
      createdAt: document.createdAt ?? earlier?.createdAt ?? now,
      updatedAt: document.updatedAt ?? now,
      expiresAt: null,
      contentHash,
      revision: document.revision,
    };
  }

  async #commit(): Promise<void> {
    if (this.#writes.length === 0) return;
    try {
      await this.#write({ writes: this.#writes, evictions: [] });
    } catch (error) {
      if (!(error instanceof LociError) || error.code !== 'not_found') throw error;
      const what = `another process took away what ${this.#source.name} was about to change`;
      throw new LociError('conflict', what, { cause: error });
    }
    this.#writes = [];
    this.#characters = 0;
  }

  async #evict(vanished: Vanished): Promise<number> {
    const ids = vanished.ids();
    for (let start = 0; start < ids.length; start += PAGE) {
      this.#refuseAborted();
      await this.#evictBatch(ids.slice(start, start + PAGE));
    }
    return ids.length;
  }

  /** Another process may have evicted some of them meanwhile: then each is tried by itself. */
  async #evictBatch(ids: readonly number[]): Promise<void> {
    try {
      await this.#write({ writes: [], evictions: ids });
    } catch (error) {
      if (!(error instanceof LociError) || error.code !== 'not_found') throw error;
      if (ids.length > 1) for (const id of ids) await this.#evictBatch([id]);
    }
  }

  #write(batch: Pick<CommitBatch, 'writes' | 'evictions'>): Promise<unknown> {
    const { namespace, chunking, fence } = this.#options;
    return this.#store.commit(namespace, {
      ...batch,
      chunking: chunking.signature,
      ...(fence !== undefined && { fence }),
    });
  }

  readonly #report = (problem: SourceProblem): void => {
    this.#problems.push(problem);
  };

  #refuseAborted(): void {
    if (this.#options.signal?.aborted === true)
      throw new LociError('aborted', `reading ${this.#source.name} was stopped`);
  }
}

/** Documents that are gone from where they were, to be recognised elsewhere. */
class Vanished {
  readonly #byKey: Map<string, SourceEntry>;
  readonly #byIdentity = new Map<string, string>();
  readonly #byContent = new Map<string, string[]>();

  constructor(entries: ReadonlyMap<string, SourceEntry>) {
    this.#byKey = new Map(entries);
    for (const { key, identity, contentHash } of entries.values()) {
      if (identity !== null) this.#byIdentity.set(identity, key);
      const twins = this.#byContent.get(contentHash);
      if (twins === undefined) this.#byContent.set(contentHash, [key]);
      else twins.push(key);
    }
  }

  /** A new document is an old one under another name when its own id says so, else when its content is the same. */
  take(identity: string | null, contentHash: string): SourceEntry | undefined {
    const byIdentity = identity === null ? undefined : this.#byKey.get(this.#byIdentity.get(identity) ?? '');
    const found = byIdentity ?? this.#firstOf(this.#byContent.get(contentHash) ?? []);
    if (found !== undefined) this.#byKey.delete(found.key);
    return found;
  }

  /** Of several with the same content, the first that is still to be found; those behind it stay for its twins. */
  #firstOf(keys: string[]): SourceEntry | undefined {
    for (let key = keys.shift(); key !== undefined; key = keys.shift()) {
      const entry = this.#byKey.get(key);
      if (entry !== undefined) return entry;
    }
    return undefined;
  }

  ids(): number[] {
    return [...this.#byKey.values()].map(({ id }) => id);
  }
}

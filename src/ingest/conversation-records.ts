import { LociError } from '../core/errors.ts';
import { sha256, shortHash, uuidv7 } from '../core/ids.ts';
import { dayText } from '../core/time/whole-day.ts';
import type { LociRecord, Timestamp } from '../core/types.ts';
import { type Conversation, CONVERSATION_TYPE, type ReportProblem } from '../sources/conversation.ts';
import type { CommitBatch, RecordDraft, RecordWrite } from '../store/model.ts';
import type { Store } from '../store/store.ts';
import {
  formatState,
  mergeTurns,
  parseState,
  storedTurns,
  textOfTurns,
  type Turn,
  turnOf,
  turnDigest,
} from './conversation-text.ts';
import { type Chunking, cutOrReport, samePassages } from './passages.ts';
import { storedEntries } from './source-entries.ts';

export interface ConversationOptions {
  readonly namespace: string;
  readonly source: string;
  readonly project: string;
  readonly chunking: Chunking;
  readonly now: () => Timestamp;
  /** Masks the secrets of texts. @throws LociError `secret_refused` */
  readonly screen: (
    texts: readonly string[],
  ) => Promise<{ texts: readonly string[]; masked: readonly string[] }>;
  /** What `screen` depends on. With another value, everything is screened again. */
  readonly screenedBy: string;
  /** The lease under which it is written; `null` to write nothing, and only count what would be done. */
  readonly fence: NonNullable<CommitBatch['fence']> | null;
  readonly report: ReportProblem;
  /** Called for each conversation with secrets. */
  readonly onMasked: (location: string, kinds: readonly string[]) => void;
  readonly signal?: AbortSignal;
  /** Changes of items that are made with each batch of records. */
  readonly items: NonNullable<CommitBatch['items']>;
}

const MAX_BATCH_RECORDS = 64;
const MAX_BATCH_CHARACTERS = 1_000_000;
/** A day with more text has several records. */
const MAX_RECORD_CHARACTERS = 400_000;

/** A record of a conversation in the store. */
interface StoredDay {
  readonly id: number;
  readonly revision: string | null;
}

/** The messages of a conversation that one record has. */
interface Day {
  readonly turns: Turn[];
  characters: number;
  /** Times of those that have one. */
  readonly times: Timestamp[];
}

/** Writes conversations as records, one for each day of each conversation. Nothing that is stored is removed because it is missing. */
export class ConversationWriter {
  readonly counts = {
    ...{ conversations: 0, empty: 0, messages: 0, days: 0 },
    ...{ added: 0, updated: 0, unchanged: 0, removed: 0 },
  };
  readonly #store: Store;
  readonly #options: ConversationOptions;
  /** By conversation and key. */
  readonly #stored = new Map<string, Map<string, StoredDay>>();
  readonly #seen = new Set<string>();
  #pending = new Set<string>();
  #writes: RecordWrite[] = [];
  #evictions: number[] = [];
  #characters = 0;

  private constructor(store: Store, options: ConversationOptions) {
    this.#store = store;
    this.#options = options;
  }

  static async open(store: Store, options: ConversationOptions): Promise<ConversationWriter> {
    const writer = new ConversationWriter(store, options);
    for await (const { key, ...day } of storedEntries(store.records, options.namespace, options.source))
      writer.#daysOf(key.slice(0, key.lastIndexOf('/'))).set(key, day);
    return writer;
  }

  #daysOf(conversation: string): Map<string, StoredDay> {
    const days = this.#stored.get(conversation) ?? new Map<string, StoredDay>();
    this.#stored.set(conversation, days);
    return days;
  }

  /** @throws LociError `aborted`; `conflict` when another process has taken over the lease */
  async add(conversation: Conversation): Promise<void> {
    const { id, messages } = conversation;
    const { counts } = this;
    if (this.#pending.has(id)) await this.flush();
    const isNew = Number(!this.#seen.has(id));
    this.#seen.add(id);
    counts[messages.length === 0 ? 'empty' : 'conversations'] += isNew;
    counts.messages += messages.length;
    if (this.#isOlderExport(conversation)) {
      counts.unchanged += this.#daysOf(id).size;
      return;
    }
    const superseded = new Set(conversation.superseded.map(turnDigest));
    const days = this.#arrange(conversation, superseded);
    counts.days += days.size;
    try {
      for (const [key, day] of days) await this.#addDay(conversation, key, day, superseded);
    } catch (error) {
      if (!(error instanceof LociError) || error.code !== 'secret_refused') throw error;
      this.#options.report({ location: id, message: error.message });
    }
    if (this.#writes.length >= MAX_BATCH_RECORDS || this.#characters >= MAX_BATCH_CHARACTERS)
      await this.flush();
  }

  /** Whether a newer export of the conversation is stored, in which other branches may be the current ones. A log has parts instead. */
  #isOlderExport({ id, url, updatedAt }: Conversation): boolean {
    if (url === null || updatedAt === null) return false;
    const stored = [...this.#daysOf(id).values()];
    return stored.some(({ revision }) => (parseState(revision)?.updatedAt ?? 0) > updatedAt);
  }

  /** The messages by the key of their record. A message keeps its record, though its day is another one in another time zone. */
  #arrange({ id, messages, createdAt }: Conversation, superseded: ReadonlySet<string>): Map<string, Day> {
    const days = new Map<string, Day>();
    const dayAt = (key: string): Day => {
      const day = days.get(key) ?? { turns: [], characters: 0, times: [] };
      days.set(key, day);
      return day;
    };
    const storedKeys = new Map<string, string>();
    for (const [key, { revision }] of this.#daysOf(id))
      for (const { digest } of parseState(revision)?.turns ?? []) {
        storedKeys.set(digest, key);
        if (superseded.has(digest)) dayAt(key);
      }
    /** The last record of each day. */
    const lastKeys = new Map<string, string>();
    for (const message of messages) {
      const turn = turnOf(message);
      const at = message.at ?? createdAt;
      const first = `${id}/${at === null ? 'undated' : dayText(at)}`;
      let key = storedKeys.get(turn.digest) ?? lastKeys.get(first) ?? first;
      if (!storedKeys.has(turn.digest)) {
        const isFull = (each: string): boolean => {
          const { characters = 0 } = days.get(each) ?? {};
          return characters > 0 && characters + turn.text.length > MAX_RECORD_CHARACTERS;
        };
        for (let part = 2; isFull(key); part++) key = `${first}~${String(part)}`;
        lastKeys.set(first, key);
      }
      const day = dayAt(key);
      day.turns.push(turn);
      day.characters += turn.text.length;
      if (at !== null) day.times.push(at);
    }
    return days;
  }

  async #addDay(
    conversation: Conversation,
    key: string,
    day: Day,
    superseded: ReadonlySet<string>,
  ): Promise<void> {
    const { namespace, screenedBy, chunking, report, signal, now } = this.#options;
    const { id, title, url, folder } = conversation;
    const stored = this.#daysOf(id).get(key);
    const before = parseState(stored?.revision ?? null);
    const made = shortHash(JSON.stringify([screenedBy, title, url, folder, day.turns])).slice(0, 16);
    if (before?.made === made) {
      this.counts.unchanged++;
      return;
    }
    const ids = stored === undefined ? [] : [stored.id];
    const [existing] = await this.#store.records.get(namespace, ids, { liveAt: now(), damaged: 'is empty' });
    const kept = existing === undefined || before === null ? [] : storedTurns(existing.content, before);
    const updatedAt = conversation.updatedAt ?? 0;
    // An older export does not replace what is newer.
    const isOlder = existing !== undefined && before !== null && updatedAt < before.updatedAt;
    const newer = new Map(isOlder ? kept.map((turn) => [turn.digest, turn]) : []);
    const screened = await this.#screened(conversation, day.turns);
    const given = screened.turns.map((turn) => newer.get(turn.digest) ?? turn);
    const turns = mergeTurns(given, kept, isOlder ? new Set() : superseded);
    const state = { made, updatedAt: Math.max(updatedAt, before?.updatedAt ?? 0) };
    const draft = this.#draft(conversation, day, existing, {
      ...{ key, content: textOfTurns(turns), revision: formatState(state, turns) },
      ...{ title: isOlder ? existing.title : screened.title, folder: screened.folder },
    });
    const isSame = existing !== undefined && samePassages(existing, draft);
    if (turns.length === 0 && stored !== undefined) this.#evict(id, key, stored);
    else if (isSame && isOlder) this.counts.unchanged++;
    if (turns.length === 0 || (isSame && isOlder)) return;
    const location = `${id} (${title})`;
    const onProblem = ({ detail }: { detail: string }): void => report({ location, message: detail });
    const passages = isSame ? 'keep' : await cutOrReport(chunking, draft, key, onProblem, signal);
    if (passages === null) return;
    this.counts[stored === undefined ? 'added' : isSame ? 'unchanged' : 'updated']++;
    this.#pending.add(id);
    this.#writes.push({ id: stored?.id ?? null, draft, passages });
    this.#characters += draft.content.length;
  }

  async #screened({ id, title, folder }: Conversation, turns: readonly Turn[]) {
    const { texts, masked } = await this.#options.screen([
      title,
      folder ?? '',
      ...turns.map(({ text }) => text),
    ]);
    this.#options.onMasked(id, masked);
    const [newTitle = '', newFolder = '', ...rest] = texts;
    return {
      title: newTitle,
      folder: newFolder,
      turns: turns.map((turn, i) => ({ ...turn, text: rest[i] ?? '' })),
    };
  }

  #evict(conversation: string, key: string, { id }: StoredDay): void {
    this.counts.removed++;
    this.#evictions.push(id);
    this.#daysOf(conversation).delete(key);
  }

  #draft(
    { id, url, createdAt, updatedAt: changedAt }: Conversation,
    { times }: Day,
    existing: LociRecord | undefined,
    {
      folder,
      ...texts
    }: Pick<RecordDraft, 'key' | 'title' | 'content' | 'revision'> & { readonly folder: string },
  ): RecordDraft {
    const { now, project, source } = this.#options;
    const sorted = times.toSorted((a, b) => a - b);
    const known = sorted[0] ?? createdAt ?? changedAt;
    const at = known ?? existing?.createdAt ?? now();
    // With a scheme before it, the session is not indexed as a topic.
    const session = `conversation:${id}`;
    return {
      ...{ project, source, origin: 'source', trust: 'external', identity: null, tags: [], expiresAt: null },
      ...{ category: CONVERSATION_TYPE, recordType: CONVERSATION_TYPE, ...texts },
      uuid: existing?.uuid ?? uuidv7(now()),
      metadata: {
        ...{ session, ...(url !== null && { url }), ...(folder !== '' && { folder }) },
        ...(known === null && { undated: true }),
      },
      createdAt: Math.min(at, existing?.createdAt ?? at),
      updatedAt: Math.max(sorted.at(-1) ?? at, existing?.updatedAt ?? at),
      contentHash: sha256(texts.content),
    };
  }

  /** Writes what was added and is not written yet, in one transaction. @throws LociError `aborted`, `conflict` */
  async flush(given: NonNullable<CommitBatch['items']> = []): Promise<void> {
    const { namespace, source, fence, signal } = this.#options;
    if (signal?.aborted === true) throw new LociError('aborted', `reading ${source} was stopped`);
    const [writes, evictions] = [this.#writes, this.#evictions];
    [this.#writes, this.#evictions, this.#characters] = [[], [], 0];
    this.#pending = new Set();
    if (fence === null || writes.length + evictions.length + given.length === 0) return;
    const items = [...this.#options.items, ...given];
    const chunking = this.#options.chunking.signature;
    const ids = await this.#store.records.commit(namespace, { writes, evictions, items, fence, chunking });
    for (const [i, { draft }] of writes.entries()) {
      const { key, revision } = draft;
      this.#daysOf(key!.slice(0, key!.lastIndexOf('/'))).set(key!, { id: ids[i]!, revision });
    }
  }
}

import { LociError } from '../../../core/errors.ts';
import type { LociRecord, Passage, Timestamp } from '../../../core/types.ts';
import { sameFields } from '../../lexical/text-fields.ts';
import type {
  ChangeKind,
  ChunkedRecord,
  Deletion,
  RecordDraft,
  RecordImport,
  RecordWrite,
  Restoration,
} from '../../model.ts';
import { isSourced } from '../../rules/filter.ts';
import { isUnchangedSinceChunking } from '../../rules/record-page.ts';
import { assertRecordState, assertUnchanged } from '../../rules/validation.ts';

/** A record, and which chunking made its passages; `null` if none did. */
export interface StoredRecord {
  readonly record: LociRecord;
  readonly chunking: string | null;
}

/** What a transaction does to a record, from its first change to its last one. */
export interface PlannedRecord {
  readonly id: number;
  /** `null` for a new record. */
  readonly before: LociRecord | null;
  /** `null` for a record that is removed. */
  after: LociRecord | null;
  chunking: string | null;
  /** Whether more than the state of the record changes. */
  isRewritten: boolean;
  /** The new passages. Those of a record that is not live are removed in any case. */
  passages: readonly Passage[] | 'keep';
  /** Whether no byte of the passages before may remain. */
  erases: boolean;
  /** Whether the change is one for the feed. Passages that are cut again are none. */
  kind: ChangeKind | null;
}

/** Applies the parts of a batch to records in memory, one after the other, and collects what to write. */
export class RecordPlan {
  readonly #namespace: string;
  readonly #records = new Map<number, StoredRecord>();
  readonly #byUuid = new Map<string, number>();
  readonly #byKey = new Map<string, number>();
  readonly #planned = new Map<number, PlannedRecord>();
  #nextId: number;

  /** @param stored the records that the batch changes, and those whose identity it may take */
  constructor(namespace: string, stored: readonly StoredRecord[], nextId: number) {
    this.#namespace = namespace;
    this.#nextId = nextId;
    for (const each of stored) this.#add(each);
  }

  get nextId(): number {
    return this.#nextId;
  }

  /** In the order of their last change. */
  get planned(): readonly PlannedRecord[] {
    return [...this.#planned.values()];
  }

  evict(id: number): void {
    const { record } = this.#require(id);
    if (!isSourced(record))
      throw new LociError(
        'invalid_input',
        `record ${String(id)} is ${record.origin}: only documents of a source can be evicted`,
      );
    this.#change(id, { after: null, kind: 'removed' });
  }

  purge(id: number): void {
    this.#change(id, { after: null, kind: 'removed', erases: true });
  }

  delete({ id, at }: Deletion): void {
    const { record } = this.#requireState(id, 'live');
    this.#change(id, { after: { ...record, deletedAt: at }, chunking: null, kind: 'deleted', erases: true });
  }

  restore({ id, at, passages }: Restoration, chunking: string | null): void {
    const { record } = this.#requireState(id, 'deleted');
    const { deletedAt, updatedAt } = record;
    const taken = this.#byKey.get(keyOf({ ...record, deletedAt: null }) ?? '');
    if (record.origin === 'fact' && taken !== undefined && taken !== id)
      throw new LociError('conflict', `record ${String(taken)} already is ${record.key ?? ''}`);
    // An older export still has the deletion. The restoration must be newer, also when the clock was set back.
    const after = { ...record, deletedAt: null, updatedAt: Math.max(updatedAt, deletedAt! + 1, at) };
    this.#change(id, { after, chunking, passages, kind: 'written' });
  }

  /** Returns the id of the record. */
  write({ id, draft, passages, expected }: RecordWrite, chunking: string | null): number {
    this.#assertIdentityIsFree(id, draft);
    if (id === null && passages === 'keep')
      throw new LociError('invalid_input', 'a new record has no passages to keep');
    if (id !== null) {
      const stored = this.#require(id);
      assertUnchanged(stored.record, { id, draft, passages, ...(expected !== undefined && { expected }) });
      if (passages === 'keep') chunking = stored.chunking;
    }
    return this.#put(id ?? this.#newId(null), draft, { deletedAt: null, passages, chunking });
  }

  /** Returns the id of the record. */
  import(imported: RecordImport, chunking: string | null): number {
    const { replaces, draft, deletedAt, preferredId } = imported;
    const isLive = deletedAt === null;
    this.#assertIdentityIsFree(replaces, draft, isLive);
    if (replaces !== null) assertRecordState(this.#require(replaces).record, imported);
    const passages = isLive ? imported.passages : [];
    return this.#put(replaces ?? this.#newId(preferredId), draft, {
      deletedAt,
      passages,
      chunking: isLive ? chunking : null,
    });
  }

  /**
   * Replaces the passages of a record unless they are the same. One that was deleted, written again with newer passages, or
   * changed since its passages were cut is skipped.
   */
  rechunk(id: number, { state, passages }: ChunkedRecord, chunking: string, isSame: boolean): void {
    const stored = this.#records.get(id);
    if (stored === undefined || stored.record.deletedAt !== null || stored.chunking === chunking) return;
    if (!isUnchangedSinceChunking(stored.record, state)) return;
    this.#change(id, {
      after: stored.record,
      chunking,
      kind: null,
      ...(!isSame && { passages }),
    });
  }

  #put(
    id: number,
    draft: RecordDraft,
    state: { deletedAt: Timestamp | null; passages: readonly Passage[] | 'keep'; chunking: string | null },
  ): number {
    const { deletedAt, passages, chunking } = state;
    const after = { ...draft, namespace: this.#namespace, id, deletedAt };
    const kind = deletedAt === null ? 'written' : 'deleted';
    this.#change(id, { after, chunking, passages, kind, isRewritten: true });
    return id;
  }

  #change(id: number, change: Partial<PlannedRecord> & Pick<PlannedRecord, 'after'>): void {
    const stored = this.#records.get(id);
    const before = this.#planned.get(id);
    const planned: PlannedRecord = before ?? {
      id,
      before: stored?.record ?? null,
      after: null,
      chunking: stored?.chunking ?? null,
      isRewritten: false,
      passages: 'keep',
      erases: false,
      kind: null,
    };
    // New passages stay new if a later change keeps them.
    const { passages = 'keep', ...rest } = change;
    Object.assign(planned, rest, passages === 'keep' ? {} : { passages }, {
      erases: planned.erases || change.erases === true,
      isRewritten: planned.isRewritten || change.isRewritten === true,
    });
    // Removing the entry first moves the record to the end of the order.
    this.#planned.delete(id);
    this.#planned.set(id, planned);
    if (stored !== undefined) this.#remove(stored.record);
    if (planned.after !== null) this.#add({ record: planned.after, chunking: planned.chunking });
  }

  #newId(preferred: number | null): number {
    const id = Math.max(this.#nextId, preferred ?? 0);
    this.#nextId = id + 1;
    return id;
  }

  #add(stored: StoredRecord): void {
    const { record } = stored;
    this.#records.set(record.id, stored);
    this.#byUuid.set(record.uuid, record.id);
    const key = keyOf(record);
    if (key !== null) this.#byKey.set(key, record.id);
  }

  #remove(record: LociRecord): void {
    this.#records.delete(record.id);
    if (this.#byUuid.get(record.uuid) === record.id) this.#byUuid.delete(record.uuid);
    const key = keyOf(record);
    if (key !== null && this.#byKey.get(key) === record.id) this.#byKey.delete(key);
  }

  #assertIdentityIsFree(id: number | null, draft: RecordDraft, isLive = true): void {
    const key = keyOf({ ...draft, deletedAt: isLive ? null : 0 });
    const taken = [this.#byUuid.get(draft.uuid), key === null ? undefined : this.#byKey.get(key)].find(
      (other) => other !== undefined && other !== id,
    );
    if (taken === undefined) return;
    const what = key === null ? draft.uuid : `${draft.source}:${draft.key ?? ''}`;
    throw new LociError('conflict', `record ${String(taken)} already is ${what}`);
  }

  #require(id: number): StoredRecord {
    const stored = this.#records.get(id);
    if (stored !== undefined) return stored;
    throw new LociError('not_found', `no record ${String(id)} in namespace ${this.#namespace}`);
  }

  #requireState(id: number, state: 'live' | 'deleted'): StoredRecord {
    const stored = this.#records.get(id);
    if (stored !== undefined && (stored.record.deletedAt === null) === (state === 'live')) return stored;
    throw new LociError('not_found', `no ${state} record ${String(id)} in namespace ${this.#namespace}`);
  }
}

/** What one record can have only: the key of its source, or of the category of facts, where a deleted fact frees its key. */
export function keyOf({
  origin,
  source,
  category,
  key,
  deletedAt,
}: Pick<LociRecord, 'origin' | 'source' | 'category' | 'key' | 'deletedAt'>): string | null {
  if (key === null || (origin === 'fact' && deletedAt !== null)) return null;
  return JSON.stringify(origin === 'fact' ? ['fact', category, key] : ['document', source, key]);
}

/** Whether the passages of a record are indexed again with other fields. */
export function isReindexed({ before, after, passages }: PlannedRecord): boolean {
  return (
    passages === 'keep' &&
    before?.deletedAt === null &&
    after?.deletedAt === null &&
    !sameFields(before, after)
  );
}

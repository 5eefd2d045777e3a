import type { LociRecord, Passage, Timestamp } from '../core/types.ts';
import type { AuditDraft } from './audit.ts';

/** A record that goes out of every index and can be brought back until it is purged. */
export interface Deletion {
  readonly id: number;
  readonly at: Timestamp;
}

/** A deleted record that comes back, with its passages. */
export interface Restoration {
  readonly id: number;
  readonly passages: readonly Passage[];
}

/** What a caller asked once under a key of their own. Asked again, it is not done again. */
export interface IdempotencyKey {
  readonly key: string;
  /** Of what was asked: another request under the same key is a mistake. */
  readonly fingerprint: string;
  readonly at: Timestamp;
  readonly expiresAt: Timestamp;
}

export interface IdempotentResult {
  readonly fingerprint: string;
  /** Ids of the records that it wrote, in order. */
  readonly records: readonly number[];
}

/** What has had its time. */
export interface PurgeRequest {
  /** Records that expire at or before this time go. */
  readonly expiredBy: Timestamp;
  /** Records that were deleted before this time go. */
  readonly deletedBefore: Timestamp;
  readonly limit: number;
  /** For the audit log, which gets an entry a record. */
  readonly by: Pick<AuditDraft, 'at' | 'actor' | 'surface'>;
}

/** How records end: by being deleted, and by time alone. */
export interface RecordLifecycle {
  /** Records by id in any state, in the order asked for; what is not there is left out. */
  heldRecords(namespace: string, ids: readonly number[]): Promise<LociRecord[]>;
  /** The ids of the records with these UUIDs that are held, in any state. */
  idsOf(namespace: string, uuids: readonly string[]): Promise<Map<string, number>>;
  /** The highest id that was ever given; 0 before the first. Above it nothing ever was. */
  highestId(namespace: string): Promise<number>;
  /** The next time at which a record expires or has done so; `null` when none ever will. */
  nextExpiry(namespace: string): Promise<Timestamp | null>;
  /** The earliest time at which a record was deleted that is still held. */
  oldestDeletion(namespace: string): Promise<Timestamp | null>;
  /** Removes what has had its time, and the diffs that tell of its contents. Answers how many records went. */
  purge(namespace: string, request: PurgeRequest): Promise<number>;
  /** What was done under this key before; `null` when nothing was, or too long ago. */
  doneOnce(namespace: string, key: string, now: Timestamp): Promise<IdempotentResult | null>;
}

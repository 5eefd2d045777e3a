import { sha256, uuidv7 } from '../core/ids.ts';
import type { Metadata, Origin, Timestamp, Trust } from '../core/types.ts';
import type { RecordDraft } from '../store/model.ts';

/** The fields of a new record that its writer chooses. `newDraft` sets the others. */
export interface RecordInput {
  readonly content: string;
  readonly title: string;
  readonly project: string;
  readonly origin: Origin;
  readonly source: string;
  readonly trust: Trust;
  readonly key: string | null;
  readonly category: string;
  readonly recordType: string;
  readonly tags: readonly string[];
  readonly metadata: Metadata;
  readonly createdAt: Timestamp;
  readonly expiresAt: Timestamp | null;
}

export function newDraft(input: RecordInput, now: Timestamp): RecordDraft {
  return {
    ...input,
    uuid: uuidv7(now),
    identity: null,
    updatedAt: now,
    contentHash: sha256(input.content),
    revision: null,
  };
}

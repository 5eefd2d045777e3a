import { sha256, uuidv7 } from '../core/ids.ts';
import type { Metadata, Origin, Timestamp, Trust } from '../core/types.ts';
import type { RecordDraft, RecordWrite } from '../store/model.ts';
import type { Store } from '../store/store.ts';
import type { Chunking } from './passages.ts';

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

/** Writes new records in one transaction. They are found by text when this resolves. Returns their ids, in order. */
export async function addRecords(
  store: Store,
  namespace: string,
  inputs: readonly RecordInput[],
  chunking: Chunking,
  now: Timestamp,
): Promise<number[]> {
  const writes: RecordWrite[] = [];
  for (const input of inputs) {
    const draft = newDraft(input, now);
    writes.push({ id: null, draft, passages: await chunking.cut(draft) });
  }
  return store.records.commit(namespace, { writes, chunking: chunking.signature });
}

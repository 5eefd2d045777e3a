import { sha256 } from '../core/hash.ts';
import type { Metadata, Origin, Timestamp, Trust } from '../core/types.ts';
import { uuidv7 } from '../core/uuid.ts';
import type { RecordDraft, RecordWrite, Store } from '../store/store.ts';
import type { Chunking } from './passages.ts';

/** What a writer says of a new record; the rest has defaults. */
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

/** New records, found by text as soon as this resolves; all of them or none. Answers their ids, in order. */
export async function remember(
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
  return store.commit(namespace, { writes, evictions: [], chunking: chunking.signature });
}

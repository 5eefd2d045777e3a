import type { CommitBatch } from './store.ts';
import { refuseUnsafe } from './whole-numbers.ts';

/** Stores count in whole milliseconds; what they could not give back as it was, they do not take. */
export function refuseUnsafeTimes(batch: CommitBatch): void {
  for (const { draft } of batch.writes) {
    const { createdAt, updatedAt, expiresAt } = draft;
    refuseUnsafe({ createdAt, updatedAt, expiresAt });
  }
  for (const { draft, deletedAt } of batch.imports ?? []) {
    const { createdAt, updatedAt, expiresAt } = draft;
    refuseUnsafe({ createdAt, updatedAt, expiresAt, deletedAt });
  }
  const { deletions = [], audit = [], once } = batch;
  for (const { at } of [...deletions, ...audit]) refuseUnsafe({ at });
  if (once !== undefined) refuseUnsafe({ at: once.at, expiresAt: once.expiresAt });
}

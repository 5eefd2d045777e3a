import type { CommitBatch } from './store.ts';
import { assertSafeIntegers } from './whole-numbers.ts';

/** Stores count in whole milliseconds; what they could not give back as it was, they do not take. */
export function assertSafeTimes(batch: CommitBatch): void {
  for (const { draft } of batch.writes) {
    const { createdAt, updatedAt, expiresAt } = draft;
    assertSafeIntegers({ createdAt, updatedAt, expiresAt });
  }
  for (const { draft, deletedAt } of batch.imports ?? []) {
    const { createdAt, updatedAt, expiresAt } = draft;
    assertSafeIntegers({ createdAt, updatedAt, expiresAt, deletedAt });
  }
  const { deletions = [], audit = [], once } = batch;
  for (const { at } of [...deletions, ...audit]) assertSafeIntegers({ at });
  if (once !== undefined) assertSafeIntegers({ at: once.at, expiresAt: once.expiresAt });
}

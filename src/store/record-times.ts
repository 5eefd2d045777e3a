import { LociError } from '../core/errors.ts';
import type { Timestamp } from '../core/types.ts';
import type { CommitBatch } from './store.ts';

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

function refuseUnsafe(times: Readonly<Record<string, Timestamp | null>>): void {
  for (const [name, time] of Object.entries(times)) {
    if (time === null || Number.isSafeInteger(time)) continue;
    throw new LociError(
      'invalid_input',
      `${name} is ${String(time)}, which is no whole number of milliseconds`,
    );
  }
}

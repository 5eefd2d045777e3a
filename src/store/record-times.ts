import { LociError } from '../core/errors.ts';
import type { RecordDraft } from './store.ts';

/** Stores count in whole milliseconds; what they could not give back as it was, they do not take. */
export function refuseUnsafeTimes({ createdAt, updatedAt, expiresAt }: RecordDraft): void {
  for (const [name, time] of Object.entries({ createdAt, updatedAt, expiresAt })) {
    if (time === null || Number.isSafeInteger(time)) continue;
    throw new LociError(
      'invalid_input',
      `${name} is ${String(time)}, which is no whole number of milliseconds`,
    );
  }
}

import { z } from 'zod';
import type { LociRecord } from '../../core/types.ts';
import { validUntil } from '../../core/valid-until.ts';

/** The field of a record that is no longer true. */
export const validityField = () => ({
  valid_until: z.iso
    .datetime()
    .exactOptional()
    .describe('Of a captured fact that is no longer true: when a later one took its place.'),
});

export function validityOf(record: Pick<LociRecord, 'origin' | 'metadata'>): { valid_until?: string } {
  const until = validUntil(record);
  return until === null ? {} : { valid_until: until };
}

import { z } from 'zod';
import { TRUST, type LociRecord } from '../../core/types.ts';
import { MAX_KEY_LENGTH, MAX_LABEL_LENGTH } from '../../engine/records/limits.ts';
import { isoTime } from '../../engine/fields/times.ts';

export const factKey = () => z.string().trim().min(1).max(MAX_KEY_LENGTH);

export const factPrefix = () =>
  z.string().min(1).max(MAX_KEY_LENGTH).describe('Only facts whose keys begin with this text.');

export const factCategory = () => z.string().trim().min(1).max(MAX_LABEL_LENGTH);

/** A fact in the output of every operation. */
export const factOutput = z.strictObject({
  id: z.number().int().positive().describe('Number of the record in its namespace.'),
  key: z.string(),
  value: z.string(),
  category: z.string(),
  tags: z.array(z.string()),
  trust: z.enum(TRUST).describe('Who stored it: operator, agent or external.'),
  stored_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
});
export type Fact = z.infer<typeof factOutput>;

export function formatFact(record: LociRecord): Fact {
  const { id, key, content, category, tags, trust, createdAt, expiresAt } = record;
  return {
    id,
    key: key ?? '',
    value: content,
    category,
    tags: [...tags],
    trust,
    stored_at: isoTime(createdAt),
    expires_at: isoTime(expiresAt ?? 0),
  };
}

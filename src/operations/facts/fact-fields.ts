import { z } from 'zod';
import type { LociRecord, Trust } from '../../core/types.ts';
import { TRUST } from '../../core/types.ts';
import { MAX_KEY, MAX_LABEL } from '../../engine/records/limits.ts';
import { isoTime } from '../shared/dates.ts';

/** A fact, as every verb tells it. */
export interface Fact {
  readonly id: number;
  readonly key: string;
  readonly value: string;
  readonly category: string;
  readonly tags: string[];
  readonly trust: Trust;
  readonly stored_at: string;
  readonly expires_at: string;
}

export const factKey = (): z.ZodString => z.string().trim().min(1).max(MAX_KEY);

export const factCategory = (): z.ZodString => z.string().trim().min(1).max(MAX_LABEL);

export const fact: z.ZodType<Fact> = z.strictObject({
  id: z.number().int().positive().describe('Number of the record in its namespace.'),
  key: z.string(),
  value: z.string(),
  category: z.string(),
  tags: z.array(z.string()),
  trust: z.enum(TRUST).describe('Whose word it is: operator, agent or external.'),
  stored_at: z.iso.datetime(),
  expires_at: z.iso.datetime().describe('From then on it is gone.'),
});

export function factOf({ id, key, content, category, tags, trust, createdAt, expiresAt }: LociRecord): Fact {
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

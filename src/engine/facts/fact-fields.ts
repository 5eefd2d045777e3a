import { z } from 'zod';
import { count } from '../../core/number-fields.ts';
import { parseDuration } from '../../config/values.ts';
import { type LociRecord, TRUST } from '../../core/types.ts';
import {
  contentField,
  embeddedFields,
  idempotencyKey,
  maskedKinds,
  nextPage,
  pageStart,
  tagList,
  limitField,
} from '../fields/record-fields.ts';
import { isoTime } from '../fields/times.ts';
import { DEFAULT_CATEGORY, MAX_KEY_LENGTH, MAX_LABEL_LENGTH } from '../fields/limits.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
/** How long facts live (F2). */
export const TTL_SECONDS: { readonly min: number; readonly default: number; readonly max: number } = {
  min: HOUR,
  default: 90 * DAY,
  max: 365 * DAY,
};

export const factKey = () => z.string().trim().min(1).max(MAX_KEY_LENGTH);

const factPrefix = () =>
  z.string().min(1).max(MAX_KEY_LENGTH).describe('Only facts whose keys begin with this text.');

const factCategory = () => z.string().trim().min(1).max(MAX_LABEL_LENGTH);

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

export const storeFactInput = z.strictObject({
  key: factKey().describe('The name of the fact, such as `preferred_framework`; at most 512 characters.'),
  value: contentField().describe('The fact itself, up to 1 MiB.'),
  category: factCategory()
    .exactOptional()
    .describe(
      `A category, such as preferences or project_conventions; \`${DEFAULT_CATEGORY}\` unless given. pack_history and ` +
        'pipeline_history are reserved.',
    ),
  tags: tagList().exactOptional().describe('Words to filter by.'),
  expires: z
    .string()
    .max(100)
    .refine(isLifetime, 'a duration from 1h to 365d (`ttl_seconds` from 3600 to 31536000)')
    .exactOptional()
    .describe('How long the fact is valid: 12h, 7d; 90d unless given, at least 1h, at most 365d.'),
  idempotency_key: idempotencyKey().exactOptional(),
});

export const storeFactOutput = z.strictObject({
  id: z.number().int().positive().describe('Number of the record in its namespace.'),
  key: z.string(),
  category: z.string(),
  expires_at: z.iso.datetime(),
  replaced: z.boolean().describe('Whether it replaced an earlier value.'),
  ...embeddedFields(),
  masked: maskedKinds(),
  replayed: z.boolean().describe('It was stored before, with the same idempotency key.'),
});

export type FactStoreOutput = z.infer<typeof storeFactOutput>;

/** Seconds. `NaN` for text that is no duration. */
export function lifetimeOf(text: string): number {
  return Math.round((parseDuration(text) ?? Number.NaN) / 1000);
}

function isLifetime(text: string): boolean {
  const seconds = lifetimeOf(text);
  return seconds >= TTL_SECONDS.min && seconds <= TTL_SECONDS.max;
}

export const recallFactInput = z.strictObject({
  key: factKey().describe('The key of the fact.'),
  category: factCategory()
    .exactOptional()
    .describe('Its category; needed only when several categories have the key.'),
});

export const DEFAULT_LIMIT = 50;

export const listFactsInput = z.strictObject({
  category: factCategory().exactOptional().describe('Only facts of this category.'),
  prefix: factPrefix().exactOptional(),
  tags: tagList().exactOptional().describe('Only facts with all of these tags.'),
  limit: limitField(500).describe(
    `The highest number of facts; ${String(DEFAULT_LIMIT)} unless given. Fewer are returned when values are long.`,
  ),
  sort: z
    .enum(['newest', 'expires'])
    .exactOptional()
    .describe('`expires`: those that expire first come first; `newest` unless given.'),
  after: pageStart(),
});

export const listFactsOutput = z.strictObject({
  facts: z.array(factOutput),
  total: count().describe('How many facts match, on all pages.'),
  next: nextPage(),
});

export type FactListOutput = z.infer<typeof listFactsOutput>;

export const MAX_LISTED = 100;

export const forgetFactsInput = z.strictObject({
  key: factKey().exactOptional().describe('Only the fact with this key.'),
  prefix: factPrefix().exactOptional(),
  category: factCategory().exactOptional().describe('Only facts of this category.'),
});

export const forgetFactsOutput = z.strictObject({
  forgotten: count().describe('How many facts were deleted.'),
  facts: z
    .array(z.strictObject({ id: z.number().int().positive(), key: z.string(), category: z.string() }))
    .describe(`The first ${String(MAX_LISTED)} of them.`),
});

export type FactForgetOutput = z.infer<typeof forgetFactsOutput>;

export const factCategoriesOutput = z.strictObject({
  categories: z.array(
    z.strictObject({
      name: z.string(),
      count: count(),
      recent_keys: z.array(z.string()).describe('The keys stored last, newest first.'),
    }),
  ),
  note: z.string().describe('Which tool to use next.'),
});

export type FactCategoriesOutput = z.infer<typeof factCategoriesOutput>;

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

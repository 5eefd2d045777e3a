import { z } from 'zod';
import { MAX_LABEL_LENGTH, MAX_TAG_LENGTH, MAX_TAGS, MAX_TITLE_LENGTH } from '../../engine/records/limits.ts';

/** Fields that several verbs of writing share, told alike. */

/** What cites a whole record names it too: agents copy what they were shown. */
export const recordId = (): z.ZodType<number> =>
  z
    .preprocess((given) => {
      const cited = typeof given === 'string' ? /^record\/(\d+)$/.exec(given) : null;
      return cited === null ? given : Number(cited[1]);
    }, z.number().int().positive().max(Number.MAX_SAFE_INTEGER))
    .describe('Number of the record: 12 of `record/12`.');

/** A word or two to sort by. */
export const label = (): z.ZodString => z.string().trim().min(1).max(MAX_LABEL_LENGTH);

export const titleField = (): z.ZodString => z.string().trim().max(MAX_TITLE_LENGTH);

export const tagList = (): z.ZodArray<z.ZodString> =>
  z.array(z.string().trim().min(1).max(MAX_TAG_LENGTH)).max(MAX_TAGS);

export const idempotencyKey = (): z.ZodString =>
  z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, 'printable ASCII without spaces, at most 255 characters')
    .describe(
      'A key of your own for this one request: sent again within a day, as after a lost answer, it is not done twice.',
    );

export const maskedKinds = (): z.ZodArray<z.ZodString> =>
  z.array(z.string()).describe('Kinds of secrets that were masked before anything was stored.');

export const embeddedFields = (): { embedded: z.ZodBoolean; why: z.ZodNullable<z.ZodString> } => ({
  embedded: z.boolean().describe('False while it is found by its words alone.'),
  why: z.string().nullable().describe('What kept it from being embedded.'),
});

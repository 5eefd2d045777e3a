import { z } from 'zod';
import { MAX_CONTENT_BYTES, MAX_LABEL_LENGTH, MAX_TAG_LENGTH, MAX_TAGS, MAX_TITLE_LENGTH } from './limits.ts';
import { ORIGINS, type LociRecord } from '../../core/types.ts';
import { recordNumber } from '../../core/ids.ts';
import type { SearchFilter } from '../../store/search-model.ts';
import { SIGNALS } from '../../search/retrieve/signals.ts';
import { validUntil } from '../../core/valid-until.ts';
import { ERROR_TABLE, type ErrorCode } from '../../core/errors.ts';
import { SOURCE_PROBLEM_REASONS, type SourceProblem } from '../../sources/source.ts';

/** Fields that several operations share. */

/** The id of a record. Its citation is accepted too, since agents copy what they see. */
export const recordId = () =>
  z
    .preprocess(
      (given) => (typeof given === 'string' ? (recordNumber(given) ?? given) : given),
      z.number().int().positive().max(Number.MAX_SAFE_INTEGER),
    )
    .describe('The number of the record: 12 for `record/12`.');

/** How many items an answer has at most. */
export const limitField = (max: number, min = 1) => z.number().int().min(min).max(max).exactOptional();

/** A short name, such as a category. */
export const label = () => z.string().trim().min(1).max(MAX_LABEL_LENGTH);

export const titleField = () => z.string().trim().max(MAX_TITLE_LENGTH);

/** A tag as records have it, without `#` and without `/` at the end. */
export const tagName = (tag: string): string => tag.trim().replaceAll(/^#|\/+$/g, '');

export const tagList = () => z.array(z.string().overwrite(tagName).min(1).max(MAX_TAG_LENGTH)).max(MAX_TAGS);

/** A text of at most `MAX_CONTENT_BYTES`; the engine counts the bytes. */
export const contentField = () => z.string().max(MAX_CONTENT_BYTES);

/** The limits of filters. Notes may have longer names than records that are written. */
const MAX_FILTER_LENGTH = 512;
const MAX_FILTER_VALUES = 64;

/** A name to filter by, or to look up. */
export const filterValue = () => z.string().min(1).max(MAX_FILTER_LENGTH);

export const filterValues = () => z.array(filterValue()).max(MAX_FILTER_VALUES);

/** Tags to filter by. */
export const filterTags = () =>
  z.array(z.string().overwrite(tagName).min(1).max(MAX_FILTER_LENGTH)).max(MAX_FILTER_VALUES);

/** What records of every kind are filtered by. */
export const recordFilters = () => ({
  origins: z
    .array(z.enum(ORIGINS))
    .max(ORIGINS.length)
    .exactOptional()
    .describe('Only records from these: memory (written by agents and people), fact, vault, source, audit.'),
  sources: filterValues().exactOptional().describe('Only records from these vaults, sources or surfaces.'),
  tags: filterTags()
    .exactOptional()
    .describe(
      'Only records with all of these tags, or with tags nested in them: project finds project/active.',
    ),
  path: filterValue()
    .exactOptional()
    .describe('Only notes at this path, below this folder, or matching this glob: Plugins/**, *.canvas.'),
});

/** The conditions of the filters that a store names otherwise. */
export function storeFilters<Given extends { path?: string }>({
  path,
  ...others
}: Given): Omit<Given, 'path'> & Pick<SearchFilter, 'paths'> {
  return { ...others, ...(path !== undefined && { paths: [path] }) };
}

/** Where a page of a list begins. */
export const pageStart = () =>
  z
    .number()
    .int()
    .positive()
    .max(Number.MAX_SAFE_INTEGER)
    .exactOptional()
    .describe('`next` of the previous page.');

export const nextPage = () =>
  z.number().int().positive().nullable().describe('Where the next page begins; null on the last page.');

/** The length of a path on this machine: `PATH_MAX` of Linux. */
const MAX_PATH_LENGTH = 4096;

export const localPath = () => z.string().min(1).max(MAX_PATH_LENGTH);

export const idempotencyKey = () =>
  z
    .string()
    .max(255)
    .regex(/^[\x21-\x7e]{1,255}$/, 'printable ASCII without spaces, at most 255 characters')
    .describe(
      'A key that you choose for this request. A request with the same key within a day is not carried out again, so that it ' +
        'can safely be repeated.',
    );

export const maskedKinds = () =>
  z.array(z.string()).describe('Kinds of secrets that were masked before the text was stored.');

export const embeddedFields = () => ({
  embedded: z.boolean().describe('False while only full text finds it.'),
  why: z.string().nullable().describe('Why it is not embedded.'),
});

/** The fields of an answer that say what the search could not do. */
export const answerGaps = {
  missing: z
    .array(z.strictObject({ signal: z.enum(SIGNALS), why: z.string() }))
    .describe('Signals that could not answer; the answer is from the others.'),
  notices: z
    .array(z.string())
    .describe('What else is to be said about the answer, such as vectors of a previous model.'),
};

/** The fields that describe the source of a record in every output. */
export const sourceFields = () => ({
  from: z
    .string()
    .nullable()
    .describe(
      'For a document of a source such as a todo list: the source, when the document is due or happens, and when the source ' +
        'was last read: `From Google Tasks · due tomorrow · 3 min ago`. `null` for other records.',
    ),
  source_name: z.string().describe('The display name of `source`.'),
  url: z.string().exactOptional().describe('The page of the document at its source.'),
});

type SourceFields = z.infer<z.ZodObject<ReturnType<typeof sourceFields>>>;

interface Origin {
  readonly line: string;
  readonly name: string;
  readonly url: string | null;
}

/** @param from the source of the record, if it is a document of one */
export function sourceFieldsOf(from: Origin | null, source: string): SourceFields {
  if (from === null) return { from: null, source_name: source };
  const { line, name, url } = from;
  return { from: line, source_name: name, ...(url !== null && { url }) };
}

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

const problem = z.strictObject({
  path: z.string().describe('The path in its folder, or `record/12` for a written record.'),
  reason: z.enum(SOURCE_PROBLEM_REASONS),
  detail: z.string(),
  skipped: z.boolean().describe('Whether it was skipped. Its previous state stays in the store.'),
});

/** A problem with a single note or record. */
export type Problem = z.infer<typeof problem>;

export const problemList = () => z.array(problem);

/** The error of a part of the work, in an output that has the results of the rest. */
export const errorFields = () =>
  z.strictObject({
    code: z.enum(Object.keys(ERROR_TABLE) as ErrorCode[]),
    message: z.string(),
    hint: z.string(),
  });

export function asProblem({ key, ...rest }: SourceProblem): Problem {
  return { path: key, ...rest };
}

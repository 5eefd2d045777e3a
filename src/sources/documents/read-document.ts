import { z } from 'zod';
import { safeParse } from '../../core/json.ts';
import type { Metadata, Timestamp } from '../../core/types.ts';
import type { DocumentProblem, MemoryDocument } from '../document.ts';
import { readTimestamp } from './timestamp.ts';

/** The largest number of characters of each part. */
const MAX_LENGTH = {
  id: 512,
  text: 100_000,
  title: 500,
  tag: 100,
  project: 128,
  url: 2000,
  name: 64,
} as const;
const MAX_TAGS = 64;
const MAX_METADATA_ENTRIES = 64;
/** The largest size of the metadata as JSON. */
const MAX_METADATA_BYTES = 16_384;
const MAX_QUOTED_LENGTH = 60;
const MAX_QUOTED_ISSUES = 3;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
const URL_PATTERN = /^[a-z][a-z0-9+.-]*:[^\s\u0000-\u001f\u007f]+$/i;

interface Issue {
  readonly input?: unknown;
}

function typeMismatch(expected: string): { error: (issue: Issue) => string } {
  return {
    error: ({ input }) =>
      input === undefined || input === null ? 'is missing' : `should be ${expected}, not ${kindOf(input)}`,
  };
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return Number.isFinite(value) ? 'a number' : 'a number that is not finite';
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? 'text' : 'an object';
}

/** Long text is not quoted in part, because a truncated secret would not be recognised and masked. */
function quoted(text: string): string {
  return text.length > MAX_QUOTED_LENGTH ? `text of ${String(text.length)} characters` : JSON.stringify(text);
}

function clean(text: string): string {
  return text.toWellFormed().replaceAll(/\r\n?/g, '\n').replaceAll(CONTROL, ' ');
}

function cleanLine(text: string): string {
  return clean(text).replaceAll(/\s+/g, ' ').trim();
}

/** Blank text counts as missing. */
function nullIfBlank(text: string): string | null {
  return text.trim() === '' ? null : text;
}

function maxLength(limit: number): [(text: string) => boolean, { error: (issue: Issue) => string }] {
  const error = ({ input }: Issue): string =>
    `has ${String((input as string).length)} characters; at most ${String(limit)} are allowed`;
  return [(text) => text.length <= limit, { error }];
}

/** The length is checked before `clean` runs, which makes no text longer. */
function text(limit: number, cleaner: (text: string) => string, expected = 'text'): z.ZodType<string> {
  const [isShort, { error }] = maxLength(limit);
  return z.string(typeMismatch(expected)).refine(isShort, { error, abort: true }).transform(cleaner);
}

function optional<Output>(schema: z.ZodType<Output>): z.ZodType<Output | null> {
  return schema.nullish().transform((value) => value ?? null);
}

/** Text, or a number that JavaScript represents exactly. */
const ID: z.ZodType<string> = z
  .union([z.string(), z.number()], typeMismatch('text or a number'))
  .refine((id) => typeof id === 'string' || !Number.isInteger(id) || Number.isSafeInteger(id), {
    error: 'is a number too large to be exact; print it as text',
    abort: true,
  })
  .transform(String)
  .refine((id) => id.trim() !== '', { error: 'is empty' })
  .refine((id) => !/[\u0000-\u001f\u007f]/.test(id), { error: 'has a control character' })
  .refine(...maxLength(MAX_LENGTH.id))
  .transform((id) => id.toWellFormed());

/** Lists are truncated to this length before their entries are checked, which limits the number of reported faults. */
const MAX_LISTED_TAGS = 1000;

const tags = z
  .preprocess(
    (raw) => {
      if (Array.isArray(raw)) return raw.slice(0, MAX_LISTED_TAGS + 1).map(nameOfTag);
      return typeof raw === 'string' ? raw.split(',', MAX_LISTED_TAGS + 1) : (raw ?? []);
    },
    z
      .array(z.unknown(), typeMismatch('a list of texts'))
      .max(MAX_LISTED_TAGS, { error: 'are too many', abort: true }),
  )
  .pipe(z.array(text(MAX_LENGTH.tag, cleanLine, 'text, or an object with a `name`')))
  .transform((raw) => [...new Set(raw.filter((tag) => tag !== ''))])
  .refine((distinct) => distinct.length <= MAX_TAGS, {
    error: ({ input }) =>
      `are ${String((input as string[]).length)}; at most ${String(MAX_TAGS)} are allowed`,
  });

/** GitHub prints labels as objects: `[{"name": "bug"}]`. */
function nameOfTag(tag: unknown): unknown {
  if (typeof tag !== 'object' || tag === null || !Object.hasOwn(tag, 'name')) return tag;
  const { name } = tag as { readonly name: unknown };
  return typeof name === 'string' ? name : tag;
}

const timestamp = z
  .union([z.number(), z.string()], typeMismatch('ISO 8601, or seconds or milliseconds since 1970'))
  .transform((raw, context) => {
    if (typeof raw === 'string' && raw.trim() === '') return null;
    const time = readTimestamp(raw);
    if (time !== null) return time;
    const shown = typeof raw === 'string' ? quoted(raw) : String(raw);
    context.addIssue(`should be ISO 8601, or seconds or milliseconds since 1970, not ${shown}`);
    return z.NEVER;
  });

const metadata = z
  .custom<object>((value) => typeof value === 'object' && !Array.isArray(value), typeMismatch('an object'))
  .transform((raw, context): Metadata => {
    const names = Object.keys(raw);
    if (names.length > MAX_METADATA_ENTRIES) {
      context.addIssue(
        `has ${String(names.length)} entries; at most ${String(MAX_METADATA_ENTRIES)} are allowed`,
      );
      return z.NEVER;
    }
    const entries = Object.entries(raw).map(([name, value]: [string, unknown]) => {
      const fault = faultOfEntry(name, value);
      if (fault !== null) context.addIssue({ code: 'custom', message: fault, path: [quotedName(name)] });
      return [cleanLine(name), typeof value === 'string' ? clean(value) : value] as const;
    });
    // `fromEntries` defines own properties, even for `__proto__`.
    const cleaned = Object.fromEntries(entries) as Metadata;
    if (context.issues.length > 0) return z.NEVER;
    const bytes = Buffer.byteLength(JSON.stringify(cleaned));
    if (bytes <= MAX_METADATA_BYTES) return cleaned;
    context.addIssue(`has ${String(bytes)} bytes as JSON; at most ${String(MAX_METADATA_BYTES)} are allowed`);
    return z.NEVER;
  });

function faultOfEntry(name: string, value: unknown): string | null {
  if (cleanLine(name) === '') return 'has no name';
  if (name.length > MAX_LENGTH.name) return `has a name of more than ${String(MAX_LENGTH.name)} characters`;
  const isScalar =
    value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
  return isScalar ? null : `should be text, a number, true, false or null, not ${kindOf(value)}`;
}

function quotedName(name: string): string {
  return cleanLine(name.slice(0, MAX_QUOTED_LENGTH));
}

const url = text(MAX_LENGTH.url, (raw) => raw.toWellFormed().trim()).refine(
  (raw) => raw === '' || URL_PATTERN.test(raw),
  {
    error: ({ input }) => `should be an address such as https://example.org, not ${quoted(input as string)}`,
  },
);

/** The error messages complete a sentence that begins with the name of the field. */
const DOCUMENT = z.object(
  {
    id: ID,
    text: optional(text(MAX_LENGTH.text, clean)).transform((raw) => nullIfBlank(raw ?? '')),
    title: optional(text(MAX_LENGTH.title, cleanLine)).transform((raw) => nullIfBlank(raw ?? '')),
    tags,
    timestamp: optional(timestamp),
    metadata: optional(metadata).transform((raw) => raw ?? {}),
    completed: optional(z.boolean(typeMismatch('true or false'))),
    project: optional(text(MAX_LENGTH.project, cleanLine)).transform((raw) => nullIfBlank(raw ?? '')),
    url: optional(url).transform((raw) => nullIfBlank(raw ?? '')),
  },
  typeMismatch('an object'),
);

export interface ReadFields {
  readonly document: MemoryDocument;
  /** The beginning of the day that its timestamp may mean: see `PrintedTime`. */
  readonly possibleDay: Timestamp | null;
}

export type ReadDocument = ReadFields | { readonly problem: DocumentProblem };

/**
 * Converts a printed value to a document, or describes why that is impossible. Lone surrogates become U+FFFD, and control characters become spaces. A
 * document without text gets its title as text.
 * @param index from 1, in the order printed
 * @param noText the problem of a document with neither text nor title
 */
export function readDocument(value: unknown, index: number, noText = 'text is missing'): ReadDocument {
  const parsed = safeParse(DOCUMENT, value);
  const problem = (detail: string): ReadDocument => ({
    problem: { index, id: idOf(value), detail, skipped: true },
  });
  if (!parsed.success) return problem(explain(parsed.error.issues));
  const { timestamp: printed, ...fields } = parsed.data;
  const text = fields.text ?? fields.title;
  if (text === null) return problem(noText);
  const document = {
    ...fields,
    text,
    timestamp: printed?.time ?? null,
    wholeDay: printed?.hasTime === false,
  };
  return { document, possibleDay: printed?.day ?? null };
}

/** The id of an invalid document; `null` if the id is invalid too. */
function idOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'id')) return null;
  return ID.safeParse((value as { id: unknown }).id).data ?? null;
}

function explain(issues: readonly z.core.$ZodIssue[]): string {
  const shown = issues.slice(0, MAX_QUOTED_ISSUES).map(({ path, message }) => {
    const steps = path.map((step) => (typeof step === 'number' ? String(step + 1) : String(step)));
    return `${steps.length === 0 ? 'it' : steps.join('.')} ${message}`;
  });
  return shown.join('; ');
}

import { z } from 'zod';
import type { Metadata, Timestamp } from '../../core/types.ts';
import { readTimestamp } from './timestamp.ts';

/** Characters of each part. */
const MOST = { id: 512, text: 100_000, title: 500, tag: 100, project: 128, url: 2000, name: 64 } as const;
const MOST_TAGS = 64;
const MOST_ENTRIES = 64;
/** Bytes of the JSON text of all metadata. */
const MOST_METADATA_BYTES = 16_384;
const SHOWN = 60;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
const ADDRESS = /^[a-z][a-z0-9+.-]*:[^\s\u0000-\u001f\u007f]+$/i;

interface Parts {
  readonly id: string;
  readonly text: string | null;
  readonly title: string | null;
  readonly tags: readonly string[];
  readonly timestamp: Timestamp | null;
  readonly metadata: Metadata;
  readonly completed: boolean | null;
  readonly project: string | null;
  readonly url: string | null;
}

interface Issue {
  readonly input?: unknown;
}

function should(what: string): { error: (issue: Issue) => string } {
  return {
    error: ({ input }) =>
      input === undefined || input === null ? 'is missing' : `should be ${what}, not ${kindOf(input)}`,
  };
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return Number.isFinite(value) ? 'a number' : 'a number beyond all bounds';
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? 'text' : 'an object';
}

/** Whole, or not at all: of a key that is cut off nobody knows any more that it is one, and masks it. */
function quoted(text: string): string {
  return text.length > SHOWN ? `text of ${String(text.length)} characters` : JSON.stringify(text);
}

function clean(text: string): string {
  return text.toWellFormed().replaceAll(/\r\n?/g, '\n').replaceAll(CONTROL, ' ');
}

function cleanLine(text: string): string {
  return clean(text).replaceAll(/\s+/g, ' ').trim();
}

/** Blank is as good as missing. */
function unlessBlank(text: string): string | null {
  return text.trim() === '' ? null : text;
}

function fits(most: number): [(text: string) => boolean, { error: (issue: Issue) => string }] {
  const error = ({ input }: Issue): string =>
    `has ${String((input as string).length)} characters; at most ${String(most)} fit`;
  return [(text) => text.length <= most, { error }];
}

/** Its length is looked at first: tidying makes no text longer. */
function text(most: number, tidy: (text: string) => string, what = 'text'): z.ZodType<string> {
  const [isShort, { error }] = fits(most);
  return z.string(should(what)).refine(isShort, { error, abort: true }).transform(tidy);
}

function optional<Output>(schema: z.ZodType<Output>): z.ZodType<Output | null> {
  return schema.nullish().transform((value) => value ?? null);
}

/** The id of a document: text, or a number that is kept exactly. */
export const ID: z.ZodType<string> = z
  .union([z.string(), z.number()], should('text or a number'))
  .refine((id) => typeof id === 'string' || !Number.isInteger(id) || Number.isSafeInteger(id), {
    error: 'is too large a number to be kept exactly; print it as text',
    abort: true,
  })
  .transform(String)
  .refine((id) => id.trim() !== '', { error: 'is empty' })
  .refine((id) => !/[\u0000-\u001f\u007f]/.test(id), { error: 'has a control character' })
  .refine(...fits(MOST.id))
  .transform((id) => id.toWellFormed());

/** Counted before they are looked into: a million faults are of no more use than one. */
const MOST_LISTED = 1000;

const tags = z
  .preprocess(
    (written) => {
      if (Array.isArray(written)) return written.slice(0, MOST_LISTED + 1).map(nameOfTag);
      return typeof written === 'string' ? written.split(',', MOST_LISTED + 1) : (written ?? []);
    },
    z.array(z.unknown(), should('a list of texts')).max(MOST_LISTED, { error: 'are too many', abort: true }),
  )
  .pipe(z.array(text(MOST.tag, cleanLine, 'text, or an object with a `name`')))
  .transform((written) => [...new Set(written.filter((tag) => tag !== ''))])
  .refine((kept) => kept.length <= MOST_TAGS, {
    error: ({ input }) => `are ${String((input as string[]).length)}; at most ${String(MOST_TAGS)} fit`,
  });

/** Labels as GitHub prints them: `[{"name": "bug"}]`. */
function nameOfTag(tag: unknown): unknown {
  if (typeof tag !== 'object' || tag === null || !Object.hasOwn(tag, 'name')) return tag;
  const { name } = tag as { readonly name: unknown };
  return typeof name === 'string' ? name : tag;
}

const timestamp = z
  .union([z.number(), z.string()], should('ISO 8601, or seconds or milliseconds since 1970'))
  .transform((written, context) => {
    if (typeof written === 'string' && written.trim() === '') return null;
    const read = readTimestamp(written);
    if (read !== null) return read;
    const shown = typeof written === 'string' ? quoted(written) : String(written);
    context.addIssue(`should be ISO 8601, or seconds or milliseconds since 1970, not ${shown}`);
    return z.NEVER;
  });

const metadata = z
  .custom<object>((value) => typeof value === 'object' && !Array.isArray(value), should('an object'))
  .transform((written, context): Metadata => {
    const names = Object.keys(written);
    if (names.length > MOST_ENTRIES) {
      context.addIssue(`has ${String(names.length)} entries; at most ${String(MOST_ENTRIES)} fit`);
      return z.NEVER;
    }
    const entries = Object.entries(written).map(([name, value]: [string, unknown]) => {
      const fault = faultOfEntry(name, value);
      if (fault !== null) context.addIssue({ code: 'custom', message: fault, path: [quotedName(name)] });
      return [cleanLine(name), typeof value === 'string' ? clean(value) : value] as const;
    });
    // Defines own fields even for a key such as `__proto__`.
    const kept = Object.fromEntries(entries) as Metadata;
    if (context.issues.length > 0) return z.NEVER;
    const bytes = Buffer.byteLength(JSON.stringify(kept));
    if (bytes <= MOST_METADATA_BYTES) return kept;
    context.addIssue(`has ${String(bytes)} bytes as JSON; at most ${String(MOST_METADATA_BYTES)} fit`);
    return z.NEVER;
  });

function faultOfEntry(name: string, value: unknown): string | null {
  if (cleanLine(name) === '') return 'has no name';
  if (name.length > MOST.name) return `has a name of more than ${String(MOST.name)} characters`;
  const plain =
    value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
  return plain ? null : `should be text, a number, true, false or null, not ${kindOf(value)}`;
}

function quotedName(name: string): string {
  return cleanLine(name.slice(0, SHOWN));
}

const url = text(MOST.url, (written) => written.toWellFormed().trim()).refine(
  (written) => written === '' || ADDRESS.test(written),
  {
    error: ({ input }) => `should be an address such as https://example.org, not ${quoted(input as string)}`,
  },
);

/** Its messages are the ends of sentences that begin with the field's name. */
export const DOCUMENT: z.ZodType<Parts> = z.object(
  {
    id: ID,
    text: optional(text(MOST.text, clean)).transform((written) => unlessBlank(written ?? '')),
    title: optional(text(MOST.title, cleanLine)).transform((written) => unlessBlank(written ?? '')),
    tags,
    timestamp: optional(timestamp),
    metadata: optional(metadata).transform((written) => written ?? {}),
    completed: optional(z.boolean(should('true or false'))),
    project: optional(text(MOST.project, cleanLine)).transform((written) => unlessBlank(written ?? '')),
    url: optional(url).transform((written) => unlessBlank(written ?? '')),
  },
  should('an object'),
);

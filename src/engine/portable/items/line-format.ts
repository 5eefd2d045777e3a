import { z } from 'zod';
import { sha256 } from '../../../core/ids.ts';
import { exceedsDepth, isJsonMap } from '../../../core/json.ts';
import { safeParse } from '../../../core/safe-parse.ts';
import type { Json, Metadata, Timestamp } from '../../../core/types.ts';
import { MAX_TIME, MIN_TIME } from '../../../sources/files/read-file.ts';

/** In the order of every export: the audit log has what is written during the export. */
export const ITEM_TYPE_NAMES = ['startup', 'record', 'receipt', 'audit', 'history'] as const;
export type ItemTypeName = (typeof ITEM_TYPE_NAMES)[number];

/** Nesting of a line. Stores accept 100 levels of metadata. */
const MAX_DEPTH = 110;

export const time: z.ZodType<Timestamp> = z.union([z.string(), z.number()]).transform((given, context) => {
  const at = typeof given === 'number' ? given : Date.parse(given);
  // Every answer formats the times of its records: one time that cannot be formatted would make whole answers fail.
  if (Number.isSafeInteger(at) && at >= MIN_TIME && at <= MAX_TIME) return at;
  context.addIssue({ code: 'custom', message: 'expected a time in ISO 8601, of the years 1 to 9999' });
  return z.NEVER;
});
export const timeOrNull = time.nullable();

export const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'expected a UUID in lower case');

export const sha256Text = z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256');

/** A custom check, so that the object passes through unchanged, a key such as `__proto__` included. */
export const jsonObject = z.custom<Metadata>(isJsonMap, 'expected an object');

/** ISO 8601, or the number of milliseconds for a time outside the range of `Date`. */
export function timeText(at: Timestamp): string | number {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : date.toISOString();
}

type CamelCase<Name> = Name extends `${infer Word}_${infer Rest}`
  ? `${Word}${Capitalize<CamelCase<Rest>>}`
  : Name;
type CamelCased<Line> = Line extends unknown
  ? { readonly [Name in keyof Line as CamelCase<Name>]: Readonly<Line[Name]> }
  : never;

/** How items of a type are written as lines, and read from them. */
export interface LineFormat<Value> {
  /** The fields of a line without its type, in the order of every export. */
  fields(value: Value): Readonly<Record<string, Json>>;
  /** Validates the fields of a line. Returns the item, or a message that says what is wrong. */
  parse(fields: unknown): Value | string;
}

/**
 * The format of lines that have the fields of an item under the same names in `snake_case`, and its times in ISO 8601.
 * @param first the schemas of the fields that come first, in their order; the others follow in the order of the item
 */
export function lineFormat<Line extends object>(
  schema: z.ZodType<Line>,
  first: Readonly<Record<string, z.ZodType>>,
): LineFormat<CamelCased<Line>> {
  const names = Object.keys(first);
  const isTime = (name: string): boolean => first[name] === time || first[name] === timeOrNull;
  return {
    fields(value) {
      const given = Object.fromEntries(
        Object.entries(value).map(([name, field]) => [
          name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
          field as Json,
        ]),
      );
      const ordered = [...new Set([...names, ...Object.keys(given)])];
      return Object.fromEntries(
        ordered.map((name) => {
          const field = given[name] ?? null;
          return [name, typeof field === 'number' && isTime(name) ? timeText(field) : field];
        }),
      );
    },
    parse(fields) {
      const line = parseWith(schema, fields);
      if (typeof line === 'string') return line;
      const renamed = Object.entries(line).map(([name, field]) => [
        name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
        field as unknown,
      ]);
      return Object.fromEntries(renamed) as CamelCased<Line>;
    },
  };
}

/** Returns the validated value, or a message that says what is wrong with it. */
export function parseWith<Value>(schema: z.ZodType<Value>, value: unknown): Value | string {
  if (exceedsDepth(MAX_DEPTH, value as Json)) return `it is nested deeper than ${String(MAX_DEPTH)} levels`;
  const result = safeParse(schema, value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.join('.') ?? '';
  const message = issue?.message ?? 'it is not valid';
  return path === '' ? message : `${path}: ${message}`;
}

/** The name of the format in the header of every export. */
export const FORMAT = 'loci-export';
/** The version that this program writes. It reads no other. */
export const VERSION = 1;

export const INITIAL_DIGEST: string = '0'.repeat(64);

/** The digest of an export up to and including this line: SHA-256 of the digest before it, followed by the line. */
export function updateDigest(digest: string, line: string): string {
  return sha256(digest + line);
}

const anyHeader = z.object({ type: z.literal('header'), format: z.string(), version: z.number() });
const header = z.strictObject({
  type: z.literal('header'),
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  namespace: z.string(),
  exported_at: z.string(),
  /** Of exports of older programs. */
  counts: z.unknown().optional(),
});

/** The last line: the number of lines before it, and their digest. */
const end = z.strictObject({ type: z.literal('end'), lines: z.number().int(), digest: sha256Text });

/** Returns the header, or a message that says why this version cannot read it. */
export function parseHeader(value: unknown): z.infer<typeof header> | string {
  const parsed = parseWith(anyHeader, value);
  if (typeof parsed === 'string' || parsed.format !== FORMAT)
    return 'it does not begin with the header of an export of Loci';
  if (parsed.version !== VERSION)
    return `it is of version ${String(parsed.version)} of the format; this Loci reads version ${String(VERSION)}`;
  const complete = parseWith(header, value);
  return typeof complete === 'string' ? `the header is broken: ${complete}` : complete;
}

export function parseEnd(value: unknown): z.infer<typeof end> | string {
  return parseWith(end, value);
}

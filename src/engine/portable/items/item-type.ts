import { z } from 'zod';
import { LociError } from '../../../core/errors.ts';
import type { ProgressOptions } from '../../../core/progress.ts';
import type { LociRecord, Timestamp, Json, Metadata } from '../../../core/types.ts';
import type { AuditDraft } from '../../../store/admin-model.ts';
import type { ItemChange, ItemKind } from '../../../store/item-model.ts';
import type { EngineContext } from '../../context.ts';
import { MAX_KEY_LENGTH } from '../../fields/limits.ts';
import type { ImportReport } from './import-report.ts';
import { sha256 } from '../../../core/ids.ts';
import { exceedsDepth, isJsonMap, safeParse } from '../../../core/json.ts';
import { MAX_TIME, MIN_TIME } from '../../../sources/files/read-file.ts';

/** A record as it is exported: without its namespace, because an import uses the namespace of its caller. */
export type ExportedRecord = Omit<LociRecord, 'namespace'>;

/** A type of items in an export: how items are read from the store, written as lines, and read from lines. */
export interface ItemType<Value> {
  readonly format: LineFormat<Value>;
  /** The items of the caller's namespace that follow a position. */
  read(context: EngineContext, position: Position): Promise<Batch<Value>>;
  /**
   * Applies the rules of a write, and masks secrets.
   * @throws LociError `invalid_input`, `secret_refused`, `forbidden`
   */
  screen(context: EngineContext, value: Value): Promise<Screened<Value>>;
}

/** A type that the store keeps as items. Of two items with one key, the last writer wins. */
export interface StoredType<Value> extends ItemType<Value> {
  readonly kinds: readonly ItemKind[];
  /** The items that an imported one may replace, if these are more than those that an export has. */
  readonly existing?: Pick<ItemType<Value>, 'read'>;
  key(value: Value): string;
  /** When it was last written. */
  at(value: Value): Timestamp;
  puts(values: readonly Value[]): ItemChange[];
  /** For messages. */
  title(value: Value): string;
  /** What the user should know of an item that is stored. */
  remark?(context: EngineContext, value: Value): string | null;
  /** The entries of the audit log, unless there is one for each batch. */
  audit?(context: EngineContext, values: readonly Value[]): Promise<AuditDraft[]>;
}

/** A position among the items of a type. */
export interface Position {
  /** Index of the audit chain or of the kind. */
  readonly part: number;
  /** Number of the last item of the part that was read; 0 before the first. */
  readonly after: number;
}

export const START: Position = { part: 0, after: 0 };

export interface Batch<Value> {
  readonly items: readonly Value[];
  /** `null` after the last item of the type. */
  readonly next: Position | null;
}

export interface Screened<Value> {
  readonly value: Value;
  /** Kinds of secrets that were masked. */
  readonly masked: readonly string[];
}

export interface ImportJob {
  readonly context: EngineContext;
  readonly options: ProgressOptions & {
    readonly dry_run: boolean;
    /** Replaces whatever differs, even when it is newer. */
    readonly overwrite: boolean;
  };
  readonly report: ImportReport;
}

/** An item, and the line or file that it comes from. */
export interface Located<Value> {
  readonly location: string;
  readonly value: Value;
}

/** Reads a batch of the items of a part of a type. The number of its last item is the position of the next one. */
export async function readPage<Item>(
  read: (page: { readonly after: number; readonly limit: number }) => Promise<readonly Item[]>,
  numberOf: (item: Item) => number,
  { part, after }: Position,
  limit = 500,
): Promise<Batch<Item>> {
  const items = await read({ after, limit });
  const last = items.at(-1);
  return { items, next: last === undefined ? null : { part, after: numberOf(last) } };
}

/** @throws LociError `invalid_input` */
export function assertShort(fields: Readonly<Record<string, string | null>>): void {
  for (const [field, text] of Object.entries(fields)) {
    const length = text?.length ?? 0;
    if (length <= MAX_KEY_LENGTH) continue;
    const limit = String(MAX_KEY_LENGTH);
    throw new LociError('invalid_input', `${field} has ${String(length)} characters; the limit is ${limit}`);
  }
}

/** Whether the error concerns one item, so that the import continues with the next. */
export function isRefusal(error: unknown): error is LociError {
  const codes = ['invalid_input', 'secret_refused', 'forbidden', 'conflict', 'unreadable'];
  return error instanceof LociError && codes.includes(error.code);
}

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
interface LineFormat<Value> {
  /** The fields of a line without its type, in the order of every export. */
  fields(value: Value): Readonly<Record<string, Json>>;
  /** Validates the fields of a line. Returns the item, or a message that says what is wrong. */
  parse(fields: unknown): Value | string;
}

/** The format of lines that have the fields of an item under the same names in `snake_case`, and its times in ISO 8601. */
export function lineFormat<Line extends object>(
  schema: z.ZodType<Line> & { readonly shape: Readonly<Record<string, z.ZodType>> },
): LineFormat<CamelCased<Line>> {
  const { shape } = schema;
  return {
    fields(value) {
      const given = Object.entries(value).map(([name, field]): [string, Json] => {
        const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
        const isTime = shape[snake] === time || shape[snake] === timeOrNull;
        return [snake, isTime && typeof field === 'number' ? timeText(field) : (field as Json)];
      });
      const names = Object.keys(shape);
      return Object.fromEntries(given.sort(([a], [b]) => names.indexOf(a) - names.indexOf(b)));
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

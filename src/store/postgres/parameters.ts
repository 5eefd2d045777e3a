import { LRUCache } from 'lru-cache';
import type { Parameters } from '../sql/sql.ts';

/** A statement of PostgreSQL, with the values of `$1`, `$2` and so on. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A text in quotes, or the name of a parameter with the cast after it. */
const NAMES = /'[^']*'|(?<!:):([a-zA-Z_]\w*)(::jsonb|::halfvec\[\])?/g;

/** Pieces of a statement between its parameters. */
interface Template {
  readonly pieces: readonly string[];
  readonly names: readonly { readonly name: string; readonly cast: string }[];
}

const MAX_TEMPLATES = 2000;
const TEMPLATES = new LRUCache<string, Template>({ max: MAX_TEMPLATES });

/** Replaces each `:name` by `$1`, `$2` and so on, with the type of its value, which PostgreSQL often cannot tell. */
export function statementOf(statement: string, parameters: Parameters): Statement {
  const { pieces, names } = templateOf(statement);
  const values: unknown[] = [];
  const placeholders = new Map<string, string>();
  let text = pieces[0]!;
  for (const [i, { name, cast }] of names.entries()) {
    const id = name + cast;
    let placeholder = placeholders.get(id);
    if (placeholder === undefined) {
      const value = parameters[name];
      placeholder =
        value === null || value === undefined
          ? 'NULL'
          : `$${String(values.push(bound(value, cast)))}${cast || typeOf(value)}`;
      placeholders.set(id, placeholder);
    }
    text += placeholder + pieces[i + 1]!;
  }
  return { text, values };
}

function templateOf(statement: string): Template {
  const known = TEMPLATES.get(statement);
  if (known !== undefined) return known;
  const pieces: string[] = [];
  const names: { name: string; cast: string }[] = [];
  let from = 0;
  for (const match of statement.matchAll(NAMES)) {
    const [all, name, cast = ''] = match;
    if (name === undefined) continue;
    pieces.push(statement.slice(from, match.index));
    names.push({ name, cast });
    from = match.index + all.length;
  }
  pieces.push(statement.slice(from));
  const template = { pieces, names };
  TEMPLATES.set(statement, template);
  return template;
}

/** A list has the type of the column that it is compared with, or that of its cast. */
function typeOf(value: Parameters[string]): string {
  if (typeof value === 'string') return '::text';
  if (typeof value === 'number') return Number.isInteger(value) ? '::bigint' : '::float8';
  return value instanceof Uint8Array ? '::bytea' : '';
}

function bound(value: Parameters[string], cast: string): unknown {
  if (cast === '::jsonb') return jsonOf(value as readonly Readonly<Record<string, unknown>>[]);
  if (typeof value === 'string') return encoded(value);
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return Array.isArray(value)
    ? value.map((each: unknown) => (typeof each === 'string' ? encoded(each) : each))
    : value;
}

/** Rows as JSON. Bytes are hexadecimal digits, which PostgreSQL reads as `bytea`. Their columns are those that the first row has them in. */
export function jsonOf(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const bytes = Object.keys(rows[0] ?? {}).filter((name) => rows[0]![name] instanceof Uint8Array);
  const withDigits =
    bytes.length === 0
      ? rows
      : rows.map((row) => ({
          ...row,
          ...Object.fromEntries(bytes.map((name) => [name, jsonValue(row[name])])),
        }));
  const json = JSON.stringify(withDigits);
  // Few texts have what is encoded, and looking at each of them takes longer than the rest.
  if (!json.includes('\\u0000') && !json.includes(MARK)) return json;
  return JSON.stringify(
    rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, jsonValue(value)])),
    ),
  );
}

function jsonValue(value: unknown): unknown {
  if (typeof value === 'string') return encoded(value);
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value;
}

/**
 * PostgreSQL stores no U+0000 in a text, and refuses its escape in JSON, so that both are stored as a noncharacter and a digit. The
 * noncharacter itself is stored with a digit as well, so that every text is read as it was written.
 */
const MARK = '\u{10fffe}';

const NUL = '0';
const ESCAPED_NUL = '1';
const MARK_ITSELF = '2';

/** An escape of U+0000 in JSON, but not an escaped backslash before `u0000`. */
const ESCAPE = /(?<!\\)((?:\\\\)*)\\u0000/g;

/** The text as it is stored. */
export function encoded(text: string): string {
  const hasEscape = text.includes('\\u0000');
  if (!hasEscape && !text.includes('\0') && !text.includes(MARK)) return text;
  const marked = text.replaceAll(MARK, MARK + MARK_ITSELF).replaceAll('\0', MARK + NUL);
  return hasEscape ? marked.replace(ESCAPE, `$1${MARK}${ESCAPED_NUL}`) : marked;
}

/** The text as it was written. */
export function decoded(text: string): string {
  return replaced(text, '\0', '\\u0000');
}

/** JSON that the database made of stored texts, with the texts as they were written. */
export function decodedJson(json: string): string {
  return replaced(json, '\\u0000', '\\\\u0000');
}

function replaced(text: string, nul: string, escaped: string): string {
  if (!text.includes(MARK)) return text;
  return text.replaceAll(/\u{10fffe}([012])/gu, (_, digit: string) =>
    digit === NUL ? nul : digit === ESCAPED_NUL ? escaped : MARK,
  );
}

import { LociError } from '../../../core/errors.ts';
import { parseExact, textExceedsDepth } from '../../../core/json.ts';
import type { Json, Timestamp } from '../../../core/types.ts';
import { MAX_TIME, MIN_TIME } from '../../../sources/files/file-time.ts';
import { MAX_CONTENT_BYTES } from '../../fields/limits.ts';
import { type ForeignTable, quoted } from './tables.ts';

/** The longest JSON of a column that is read; longer than the metadata of a record may be. */
const MAX_JSON_LENGTH = 20_000;
const MAX_JSON_DEPTH = 100;
/** Longer than the fields of a record may be, other than its content. */
const MAX_TEXT_LENGTH = 1000;

/** How columns of the table `t` are selected. Values that are too long for a record are cut in the database. */
export const CONTENT = `CASE WHEN octet_length(t.content::text) <= ${String(MAX_CONTENT_BYTES)} THEN t.content::text END AS content,
  octet_length(t.content::text) AS content_bytes`;

export function textColumn(table: ForeignTable, column: string): string {
  return selected(table, column, (value) => `left(${value}::text, ${String(MAX_TEXT_LENGTH)})`);
}

/** In milliseconds; the word for a time that is not finite. */
export function timeColumn(table: ForeignTable, column: string): string {
  return selected(table, column, (value) =>
    isTime(table, column)
      ? `CASE WHEN isfinite(${value}) THEN floor(extract(epoch FROM ${value}) * 1000)::text ELSE ${value}::text END`
      : 'NULL',
  );
}

export function jsonColumn(table: ForeignTable, column: string, name = column): string {
  return selected(
    table,
    column,
    (value) => `left(to_jsonb(${value})::text, ${String(MAX_JSON_LENGTH + 1)})`,
    name,
  );
}

/** `NULL` for a column that the table does not have. */
function selected(
  { columns }: ForeignTable,
  column: string,
  expression: (value: string) => string,
  name = column,
): string {
  return `${columns.has(column) ? expression(`t.${quoted(column)}`) : 'NULL'} AS ${quoted(name)}`;
}

export function isTime({ columns }: ForeignTable, column: string): boolean {
  return /^(timestamp|date)/.test(columns.get(column) ?? '');
}

/** `null` for no time, and for infinity and other times that Loci cannot store. */
export function timeOf(text: string | null | undefined): Timestamp | null {
  const at = Number(text ?? Number.NaN);
  return at >= MIN_TIME && at <= MAX_TIME ? at : null;
}

/** Numbers that would be rounded are texts. `undefined` for a value that is too long or too deep. */
export function jsonOf(text: string | null | undefined): Json | undefined {
  const json = text ?? 'null';
  if (json.length > MAX_JSON_LENGTH || textExceedsDepth(MAX_JSON_DEPTH, json)) return undefined;
  return parseExact(json) as Json;
}

/** @throws LociError `invalid_input` for no text, or one that was too long to be read */
export function contentOf(row: Readonly<Record<string, string | null>>): string {
  const { content = null, content_bytes: bytes = null } = row;
  if (content !== null) return content;
  const limit = String(MAX_CONTENT_BYTES);
  throw new LociError(
    'invalid_input',
    bytes === null ? 'content is empty' : `content has ${bytes} bytes; the limit is ${limit}`,
  );
}

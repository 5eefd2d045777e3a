import { LociError } from '../../core/errors.ts';
import { localTime } from '../../core/time/whole-day.ts';
import type { Json, LociRecord, Metadata, Origin, Passage, Trust } from '../../core/types.ts';
import type { RecordHeader, StoredPassage } from '../search-model.ts';
import type { Dialect } from './sql.ts';

/** A row as a database returns it. The values have the types of the schema. */
export type Row = Readonly<Record<string, unknown>>;

/** Rows whose columns have the names of the fields. */
export function objectsOf<Type extends object>(rows: readonly Row[]): Type[] {
  return rows.map((row) => ({ ...row }) as Type);
}

/** The columns of a record's header, in the order of `headerOfList`. */
const HEADER = (
  'id uuid project origin source trust key category record_type title tags metadata ' +
  'created_at updated_at deleted_at expires_at'
).split(' ');
export const HEADER_COLUMNS: string = HEADER.map((name) => `r.${name}`).join(', ');
export const RECORD_COLUMNS: string = `${HEADER_COLUMNS}, r.identity, r.content, r.content_hash, r.revision`;

/** The columns of a passage, in the order in which `storedPassageOf` reads them after the two ids. */
const PASSAGE = ['ordinal', 'headings', 'text', 'start_line', 'end_line', 'hash', 'context'];

function passageColumn({ hex }: Dialect, name: string): string {
  return name === 'hash' ? hex('p.hash') : `p.${name}`;
}

export function passageColumns(dialect: Dialect): string {
  return PASSAGE.map((name) => `${passageColumn(dialect, name)} AS ${name}`).join(', ');
}

/** The columns as a JSON list, for rows that are sent to another thread as text. An object would take twice as long. */
export function headerJson({ json }: Dialect): string {
  return json([HEADER_COLUMNS]);
}

export function passageJson(dialect: Dialect): string {
  return dialect.json(['p.id', 'p.record', ...PASSAGE.map((name) => passageColumn(dialect, name))]);
}

export function headerOf(namespace: string, row: Row, damaged: Damaged = 'fails'): RecordHeader {
  return headerOfList(
    namespace,
    HEADER.map((name) => row[name]),
    damaged,
  );
}

/** Whether a damaged list or object fails, or is read as an empty one: for what is derived, and for a record that is replaced. */
export type Damaged = 'fails' | 'is empty';

/** Reads a row of `HEADER_JSON`. */
export function headerOfList(
  namespace: string,
  row: readonly unknown[],
  damaged: Damaged = 'fails',
): RecordHeader {
  const origin = row[3] as Origin;
  const metadata = metadataOf(row, damaged);
  return {
    namespace,
    id: row[0] as number,
    uuid: row[1] as string,
    project: row[2] as string,
    origin,
    source: row[4] as string,
    trust: row[5] as Trust,
    key: row[6] as string | null,
    category: row[7] as string,
    recordType: row[8] as string,
    title: row[9] as string,
    tags: listOf(row[10], () => `the list of tags of record/${String(row[0])}`, damaged),
    metadata,
    createdAt: localTime({ origin, metadata, createdAt: row[12] as number }),
    updatedAt: row[13] as number,
    deletedAt: row[14] as number | null,
    expiresAt: row[15] as number | null,
  };
}

export function recordOf(namespace: string, row: Row, damaged: Damaged = 'fails'): LociRecord {
  return {
    ...headerOf(namespace, row, damaged),
    identity: row['identity'] as string | null,
    content: row['content'] as string,
    contentHash: row['content_hash'] as string,
    revision: row['revision'] as string | null,
  };
}

/** @param row also has the number of the record, as `record` */
export function passageOf(row: Row, damaged: Damaged = 'fails'): Passage {
  return {
    ordinal: row['ordinal'] as number,
    headings: listOf(row['headings'], () => headingsOf(row['record'] ?? row['id']), damaged),
    text: row['text'] as string,
    context: row['context'] as string | null,
    startLine: row['start_line'] as number,
    endLine: row['end_line'] as number,
    hash: row['hash'] as string,
  };
}

/** Reads a row of `PASSAGE_JSON`. */
export function storedPassageOf(row: readonly unknown[], record: RecordHeader): StoredPassage {
  return {
    ordinal: row[2] as number,
    headings: listOf(row[3], () => headingsOf(row[1])),
    text: row[4] as string,
    context: row[8] as string | null,
    startLine: row[5] as number,
    endLine: row[6] as number,
    hash: row[7] as string,
    id: row[0] as number,
    record,
  };
}

/** Most lists are empty and need no parsing. */
function listOf(json: unknown, what: () => string, damaged: Damaged = 'fails'): string[] {
  if (json === '[]') return [];
  const read = (): string[] => storedTexts(json, what);
  return damaged === 'fails' ? read() : (unlessDamaged(read) ?? []);
}

function metadataOf(row: readonly unknown[], damaged: Damaged): Metadata {
  if (row[11] === '{}') return {};
  const read = (): Metadata => storedObject(row[11], () => `the metadata of record/${String(row[0])}`);
  return damaged === 'fails' ? read() : (unlessDamaged(read) ?? {});
}

function headingsOf(record: unknown): string {
  return `the list of headings of a passage of record/${String(record)}`;
}

/**
 * Parses JSON of the store.
 * @param what names it in an error: `the list of tags of record/12`
 * @throws LociError `store_corrupt` for text that a fault of the disk has changed
 */
export function storedJson(text: unknown, what: () => string): unknown {
  try {
    return JSON.parse(String(text));
  } catch (error) {
    throw damaged(what(), error);
  }
}

/** @throws LociError `store_corrupt` for anything but a list of texts */
export function storedTexts(text: unknown, what: () => string): string[] {
  const list = storedJson(text, what);
  if (Array.isArray(list) && list.every((each) => typeof each === 'string')) return list;
  throw damaged(what());
}

/** @throws LociError `store_corrupt` for anything but an object */
export function storedObject(text: unknown, what: () => string): Record<string, Json> {
  const value = storedJson(text, what);
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, Json>;
  throw damaged(what());
}

/** The result of reading what is stored; `null` if that is damaged. */
export function unlessDamaged<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof LociError && error.code === 'store_corrupt') return null;
    throw error;
  }
}

/** Whether `storedObject` reads a text. */
export function isObjectText(text: unknown): boolean {
  return unlessDamaged(() => storedObject(text, () => 'it')) !== null;
}

function damaged(what: string, cause?: unknown): LociError {
  return new LociError('store_corrupt', `${what} cannot be read: the store is damaged`, { cause });
}

import type { SQLOutputValue } from 'node:sqlite';
import type { LociRecord, Metadata, Origin, Passage, Trust } from '../../core/types.ts';
import type { RecordHeader } from '../store.ts';

/** Rows as SQLite gives them, and the nouns they hold. The schema is STRICT, so types are what it says. */
export type Row = Record<string, SQLOutputValue>;

const HEADER = [
  'id',
  'uuid',
  'project',
  'origin',
  'source',
  'trust',
  'key',
  'category',
  'record_type',
  'title',
  'tags',
  'metadata',
  'created_at',
  'updated_at',
  'deleted_at',
  'expires_at',
];
export const HEADER_COLUMNS: string = HEADER.map((name) => `r.${name}`).join(', ');
export const RECORD_COLUMNS: string = `${HEADER_COLUMNS}, r.identity, r.content, r.content_hash, r.revision`;

const PASSAGE: Readonly<Record<string, string>> = {
  ordinal: 'p.ordinal',
  headings: 'p.headings',
  text: 'p.text',
  start_line: 'p.start_line',
  end_line: 'p.end_line',
  hash: 'lower(hex(p.hash))',
};
export const PASSAGE_COLUMNS: string = Object.entries(PASSAGE)
  .map(([name, sql]) => `${sql} AS ${name}`)
  .join(', ');

/** The same columns as one JSON object, for rows that leave the thread as text. */
export const HEADER_JSON: string = jsonObject(Object.fromEntries(HEADER.map((name) => [name, `r.${name}`])));
export const PASSAGE_JSON: string = jsonObject({ passage: 'p.id', record: 'p.record', ...PASSAGE });

function jsonObject(columns: Readonly<Record<string, string>>): string {
  return `json_object(${Object.entries(columns)
    .map(([name, sql]) => `'${name}', ${sql}`)
    .join(', ')})`;
}

export function headerOf(namespace: string, row: Row): RecordHeader {
  return {
    namespace,
    id: row['id'] as number,
    uuid: row['uuid'] as string,
    project: row['project'] as string,
    origin: row['origin'] as Origin,
    source: row['source'] as string,
    trust: row['trust'] as Trust,
    key: row['key'] as string | null,
    category: row['category'] as string,
    recordType: row['record_type'] as string,
    title: row['title'] as string,
    tags: listOf(row['tags']),
    metadata: JSON.parse(row['metadata'] as string) as Metadata,
    createdAt: row['created_at'] as number,
    updatedAt: row['updated_at'] as number,
    deletedAt: row['deleted_at'] as number | null,
    expiresAt: row['expires_at'] as number | null,
  };
}

export function recordOf(namespace: string, row: Row): LociRecord {
  return {
    ...headerOf(namespace, row),
    identity: row['identity'] as string | null,
    content: row['content'] as string,
    contentHash: row['content_hash'] as string,
    revision: row['revision'] as string | null,
  };
}

export function passageOf(row: Row): Passage {
  return {
    ordinal: row['ordinal'] as number,
    headings: listOf(row['headings']),
    text: row['text'] as string,
    startLine: row['start_line'] as number,
    endLine: row['end_line'] as number,
    hash: row['hash'] as string,
  };
}

/** Most have none, and nothing is parsed. */
function listOf(json: SQLOutputValue | undefined): string[] {
  return json === '[]' ? [] : (JSON.parse(json as string) as string[]);
}

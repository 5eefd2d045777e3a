import type { SQLOutputValue } from 'node:sqlite';
import type { LociRecord, Metadata, Origin, Passage } from '../../core/types.ts';
import type { RecordHeader } from '../store.ts';

/** Rows as SQLite gives them, and the nouns they hold. The schema is STRICT, so types are what it says. */
export type Row = Record<string, SQLOutputValue>;

export const HEADER_COLUMNS = `r.id, r.uuid, r.project, r.origin, r.source, r.key, r.category, r.record_type,
  r.title, r.tags, r.metadata, r.created_at, r.updated_at, r.deleted_at, r.expires_at`;
export const RECORD_COLUMNS: string = `${HEADER_COLUMNS}, r.identity, r.content, r.content_hash, r.revision`;

export function headerOf(namespace: string, row: Row): RecordHeader {
  return {
    namespace,
    id: row['id'] as number,
    uuid: row['uuid'] as string,
    project: row['project'] as string,
    origin: row['origin'] as Origin,
    source: row['source'] as string,
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
    hash: Buffer.from(row['hash'] as Uint8Array).toString('hex'),
  };
}

/** Most have none, and nothing is parsed. */
function listOf(json: SQLOutputValue | undefined): string[] {
  return json === '[]' ? [] : (JSON.parse(json as string) as string[]);
}

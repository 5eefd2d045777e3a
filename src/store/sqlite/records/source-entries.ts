import type { Page, SourceEntry } from '../../model.ts';
import type { Database } from '../database/database.ts';
import { isObject, isTextList } from '../../sql/stored-json.ts';

export function sourceEntries(db: Database, ns: number, source: string, page: Page<string>): SourceEntry[] {
  // The first page includes the empty key, which is valid and sorts first.
  const comparison = page.after === null ? '>=' : '>';
  return db
    .prepare(
      `SELECT id, key, identity, content_hash,
         iif(${isTextList('tags')} AND ${isObject('metadata')}, revision, NULL) AS revision FROM record
       WHERE ns = ? AND source = ? AND origin IN ('vault', 'source') AND key ${comparison} ? AND deleted_at IS NULL
       ORDER BY key LIMIT ?`,
    )
    .all(ns, source, page.after ?? '', page.limit)
    .map((row) => ({
      id: row['id'] as number,
      key: row['key'] as string,
      identity: row['identity'] as string | null,
      revision: row['revision'] as string | null,
      contentHash: row['content_hash'] as string,
    }));
}

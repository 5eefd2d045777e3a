import type { Timestamp } from '../../core/types.ts';
import type { Database } from './database.ts';
import { ensureNamespace } from './namespaces.ts';

export function markRead(db: Database, namespace: string, source: string, at: Timestamp | null): void {
  db.transaction(() => {
    const ns = ensureNamespace(db, namespace);
    if (at === null) db.prepare('DELETE FROM source_read WHERE ns = ? AND source = ?').run(ns, source);
    else
      db.prepare('INSERT OR REPLACE INTO source_read (ns, source, at) VALUES (?, ?, ?)').run(ns, source, at);
  });
}

export function lastReads(db: Database, ns: number): Map<string, Timestamp> {
  const rows = db.prepare('SELECT source, at FROM source_read WHERE ns = ?').all(ns);
  return new Map(rows.map((row) => [row['source'] as string, row['at'] as number]));
}

import type { SourceRead } from '../source-reads.ts';
import type { Database } from './database.ts';
import { ensureNamespace } from './namespaces.ts';

export function markRead(db: Database, namespace: string, source: string, read: SourceRead | null): void {
  db.transaction(() => {
    const ns = ensureNamespace(db, namespace);
    if (read === null) {
      db.prepare('DELETE FROM source_read WHERE ns = ? AND source = ?').run(ns, source);
      return;
    }
    const write = db.prepare('INSERT OR REPLACE INTO source_read (ns, source, at, root) VALUES (?, ?, ?, ?)');
    write.run(ns, source, read.at, read.root);
  });
}

export function lastReads(db: Database, ns: number): Map<string, SourceRead> {
  const rows = db.prepare('SELECT source, at, root FROM source_read WHERE ns = ?').all(ns);
  return new Map(
    rows.map((row) => [
      row['source'] as string,
      { at: row['at'] as number, root: row['root'] as string | null },
    ]),
  );
}

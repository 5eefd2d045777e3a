import type { Database } from './database.ts';

/**
 * Each namespace has its own full-text table. Its term statistics, and so its scores, do not depend on other namespaces,
 * and queries need no filter.
 */
export function textTable(ns: number): string {
  return `text_${String(ns)}`;
}

/**
 * The tokenizer `ascii` only splits at spaces, because the analyzer has already folded and stemmed the terms. With
 * `contentless_delete`, deleted rows would remain in the totals, and every update would change scores (SQLite 3.53).
 */
export const TEXT_INDEX_OPTIONS = `title, headings, body, tags, content = '', tokenize = 'ascii'`;

export function createTextTable(db: Database, ns: number): void {
  db.exec(`CREATE VIRTUAL TABLE ${textTable(ns)} USING fts5(${TEXT_INDEX_OPTIONS})`);
}

/**
 * Makes the deletions of `work` erase their terms. By default, deleted terms remain in the FTS5 index until it merges the
 * segments, which may never happen. Secure deletion takes several times as long, so updates do not use it.
 */
export function withSecureDelete(db: Database, ns: number, work: () => void): void {
  secureDelete(db, ns, 1);
  work();
  // FTS5 flushes its pending changes before it switches the mode.
  secureDelete(db, ns, 0);
}

function secureDelete(db: Database, ns: number, value: 0 | 1): void {
  const table = textTable(ns);
  db.prepare(`INSERT INTO ${table} (${table}, rank) VALUES ('secure-delete', ${String(value)})`).run();
}

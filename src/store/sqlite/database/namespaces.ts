import type { Database } from './database.ts';

/**
 * Each namespace has a full-text table of its own: its word statistics, and so its scores, cannot change with
 * (or tell of) what another namespace holds, and no query has to filter.
 */
export function textTable(ns: number): string {
  return `text_${String(ns)}`;
}

export function findNamespace(db: Database, name: string): number | null {
  const row = db.prepare('SELECT id FROM namespace WHERE name = ?').get(name);
  return row === undefined ? null : Number(row['id']);
}

/** The namespace's number, made if need be. Within a transaction. */
export function ensureNamespace(db: Database, name: string): number {
  const found = findNamespace(db, name);
  if (found !== null) return found;
  const { lastInsertRowid } = db.prepare('INSERT INTO namespace (name) VALUES (?)').run(name);
  const ns = Number(lastInsertRowid);
  createTextTable(db, ns);
  return ns;
}

/**
 * The analyzer has folded and stemmed already: the tokenizer `ascii` splits at spaces and leaves other scripts alone.
 * Not `contentless_delete`: it leaves what is deleted in the counts of rows and words, so that every update would
 * move the scores (SQLite 3.53).
 */
export const TEXT_INDEX_OPTIONS = `title, headings, body, tags, content = '', tokenize = 'ascii'`;

export function createTextTable(db: Database, ns: number): void {
  db.exec(`CREATE VIRTUAL TABLE ${textTable(ns)} USING fts5(${TEXT_INDEX_OPTIONS})`);
}

/**
 * Takes texts out of the index without a trace. Otherwise FTS5 keeps what it was told to remove until its segments are
 * merged, which may be never; to look for each word's place costs several times as much, so updates go without.
 */
export function withSecureDelete(db: Database, ns: number, work: () => void): void {
  secureDelete(db, ns, 1);
  work();
  // Writes down what it holds before it changes.
  secureDelete(db, ns, 0);
}

function secureDelete(db: Database, ns: number, value: 0 | 1): void {
  const table = textTable(ns);
  db.prepare(`INSERT INTO ${table} (${table}, rank) VALUES ('secure-delete', ${String(value)})`).run();
}

export function dropTextTable(db: Database, ns: number): void {
  db.exec(`DROP TABLE IF EXISTS ${textTable(ns)}`);
}

/** What readers hold of records and passages is not true any more. Within the transaction that makes it so. */
export function bumpEpoch(db: Database, ns: number): void {
  db.prepare('UPDATE namespace SET epoch = epoch + 1 WHERE id = ?').run(ns);
}

/** What a reader holds of the namespace is true as long as this is the same; new passages aside. */
export function epochOf(db: Database, ns: number): number {
  return Number(db.prepare('SELECT epoch FROM namespace WHERE id = ?').get(ns)?.['epoch']);
}

/** Names that have a record. */
export function writtenNamespaces(db: Database): string[] {
  return db
    .prepare(
      'SELECT name FROM namespace AS n WHERE EXISTS (SELECT 1 FROM record WHERE ns = n.id) ORDER BY name',
    )
    .all()
    .map((row) => String(row['name']));
}

export function allNamespaces(db: Database): { ns: number; name: string }[] {
  return db
    .prepare('SELECT id, name FROM namespace ORDER BY name')
    .all()
    .map((row) => ({ ns: Number(row['id']), name: String(row['name']) }));
}

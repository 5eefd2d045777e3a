import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { isStopWord } from '../src/core/text/stop-words.ts';
import type { BenchQuery, Document } from './corpus.ts';

/** The baseline without Loci: one FTS5 table, queried for all words of the query. */
export class PlainSearch {
  readonly #db: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #search: StatementSync;

  constructor(path: string) {
    this.#db = new DatabaseSync(path);
    this.#db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE VIRTUAL TABLE IF NOT EXISTS plain USING fts5(namespace, title, body, tags, tokenize = 'porter unicode61')`);
    this.#insert = this.#db.prepare('INSERT INTO plain VALUES (?, ?, ?, ?)');
    this.#search = this.#db.prepare(
      'SELECT rowid, title, body FROM plain WHERE plain MATCH ? ORDER BY bm25(plain, 0, 1, 1, 1) LIMIT 10',
    );
  }

  /** Writes all rows in one transaction. */
  add(documents: readonly Document[]): void {
    this.#db.exec('BEGIN IMMEDIATE');
    for (const { namespace, title, body, tags } of documents) {
      this.#insert.run(namespace, title, body, tags.join(' '));
    }
    this.#db.exec('COMMIT');
  }

  /** Number of results among the best ten. */
  search({ namespace, text }: BenchQuery): number {
    const words = text.split(' ').filter((word) => !isStopWord(word));
    const match = words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' AND ');
    return this.#search.all(`namespace : "${namespace}" AND ${match}`).length;
  }

  close(): void {
    this.#db.close();
  }
}

/** One table and one row per transaction, with the durability that records have. */
export class BareTable {
  readonly #db: DatabaseSync;
  readonly #insert: StatementSync;

  constructor(path: string) {
    this.#db = new DatabaseSync(path);
    this.#db.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE bare (title TEXT, body TEXT)',
    );
    this.#insert = this.#db.prepare('INSERT INTO bare VALUES (?, ?)');
  }

  add({ title, body }: Document): void {
    this.#insert.run(title, body);
  }

  close(): void {
    this.#db.close();
  }
}

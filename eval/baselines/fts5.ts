import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { EvalSet } from '../sets.ts';
import { RESULTS, type System } from '../system.ts';
import { plainDocument, queryWords } from './query-words.ts';

/**
 * SQLite FTS5 on whole sessions: the documents of the best session come first, in their order. `null` for a set without sessions.
 */
export function openFts5OfSessions(set: EvalSet): System | null {
  if (!set.collections.some(({ docs }) => docs.some(({ session }) => session !== undefined))) return null;
  const documentsOf = new Map<string, readonly string[]>();
  const collections = set.collections.map((collection) => {
    const sessions = Map.groupBy(collection.docs, ({ id, session }) => String(session ?? id));
    const docs = [...sessions].map(([id, turns]) => {
      documentsOf.set(
        `${collection.id} ${id}`,
        turns.map((turn) => turn.id),
      );
      const texts = turns.map(plainDocument).map(({ title, body }) => `${title} ${body}`);
      return { id, text: texts.join('\n'), note: false };
    });
    return { ...collection, docs };
  });
  const system = openFts5({ ...set, collections });
  return {
    ...system,
    name: 'fts5 sessions',
    rank: async (collection, query) => {
      const { ids } = await system.rank(collection, query);
      return { ids: ids.flatMap((id) => documentsOf.get(`${collection} ${id}`)!).slice(0, RESULTS) };
    },
  };
}

/** SQLite FTS5 in its usual setup: whole documents, Porter stemming, any of the query's words, ranked by BM25. */
export function openFts5(set: EvalSet): System {
  const database = new DatabaseSync(':memory:');
  const statements = new Map<string, StatementSync>();
  const ids = new Map<string, readonly string[]>();
  for (const [number, { id, docs }] of set.collections.entries()) {
    const table = `collection_${String(number)}`;
    database.exec(
      `CREATE VIRTUAL TABLE ${table} USING fts5(title, body, tokenize = 'porter unicode61'); BEGIN`,
    );
    const insert = database.prepare(`INSERT INTO ${table} (rowid, title, body) VALUES (?, ?, ?)`);
    for (const [row, doc] of docs.entries()) {
      const { title, body } = plainDocument(doc);
      insert.run(row, title, body);
    }
    database.exec('COMMIT');
    statements.set(
      id,
      database.prepare(
        `SELECT rowid AS row FROM ${table} WHERE ${table} MATCH ? ORDER BY bm25(${table}), rowid LIMIT ${String(RESULTS)}`,
      ),
    );
    ids.set(
      id,
      docs.map((doc) => doc.id),
    );
  }
  return {
    name: 'fts5',
    rank: async (collection, query) => {
      const words = queryWords(query).map((word) => `"${word}"`);
      const rows = words.length === 0 ? [] : (statements.get(collection)?.all(words.join(' OR ')) ?? []);
      const documents = ids.get(collection) ?? [];
      return { ids: rows.map((row) => documents[Number(row['row'])]!) };
    },
    close: async () => database.close(),
  };
}

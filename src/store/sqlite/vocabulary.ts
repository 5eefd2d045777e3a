import { stem } from '../../core/text/analyze.ts';
import type { TermInfo } from '../store.ts';
import {
  boundedWord,
  isCorrectable,
  MAX_EDITED_LENGTH,
  nearestWords,
  singleEdits,
  trigramsOf,
  type KnownWord,
} from '../spelling.ts';
import type { Database } from './database.ts';
import { wordTable } from './namespaces.ts';

/** How many passages more (or fewer) hold each word; settled once a transaction. */
export type WordCounts = Map<string, number>;

/** Words that share a trigram with a misspelt one, most and rarest first, that are compared letter by letter. */
const TRIGRAM_CANDIDATES = 300;

export function countWords(counts: WordCounts, words: Iterable<string>, by: 1 | -1): void {
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + by);
}

/** Writes the counts down. Within the transaction that changed the passages. */
export function settleWords(db: Database, ns: number, counts: WordCounts): void {
  const add = db.prepare('UPDATE term SET passages = passages + ? WHERE ns = ? AND word = ?');
  const insert = db.prepare('INSERT INTO term (ns, word, stem, passages) VALUES (?, ?, ?, ?)');
  const spell = db.prepare(`INSERT INTO ${wordTable(ns)} (rowid, word) VALUES (?, ?)`);
  const unused = db.prepare('SELECT id FROM term WHERE ns = ? AND word = ? AND passages <= 0');
  for (const [word, change] of counts) {
    if (change > 0) {
      if (add.run(change, ns, word).changes !== 0) continue;
      const { lastInsertRowid } = insert.run(ns, word, stem(word), change);
      if (isCorrectable(word)) spell.run(lastInsertRowid, boundedWord(word));
    } else if (change < 0) {
      // Not by RETURNING: that opens a savepoint, at which FTS5 writes out what it holds, word by word.
      add.run(change, ns, word);
      const gone = unused.get(ns, word);
      if (gone !== undefined) forgetWord(db, ns, Number(gone['id']), word);
    }
  }
  counts.clear();
}

function forgetWord(db: Database, ns: number, id: number, word: string): void {
  db.prepare('DELETE FROM term WHERE id = ?').run(id);
  if (!isCorrectable(word)) return;
  const table = wordTable(ns);
  db.prepare(`INSERT INTO ${table} (${table}, rowid, word) VALUES ('delete', ?, ?)`).run(
    id,
    boundedWord(word),
  );
}

export function lookUpTerms(db: Database, ns: number, words: readonly string[]): TermInfo[] {
  const count = db.prepare('SELECT total(passages) AS n FROM term WHERE ns = ? AND stem = ?');
  return words.map((word) => {
    const passages = Number(count.get(ns, stem(word))?.['n'] ?? 0);
    if (passages > 0 || !isCorrectable(word)) return { word, passages, near: [] };
    return { word, passages: 0, near: nearestWords(word, candidates(db, ns, word)) };
  });
}

function candidates(db: Database, ns: number, word: string): KnownWord[] {
  const known = new Map<string, number>();
  const bySpelling = db.prepare(
    `SELECT term.word, term.passages FROM ${wordTable(ns)} AS near JOIN term ON term.id = near.rowid
     WHERE ${wordTable(ns)} MATCH ? ORDER BY near.rank LIMIT ${String(TRIGRAM_CANDIDATES)}`,
  );
  const trigrams = [...trigramsOf(word)].map((gram) => `"${gram}"`).join(' OR ');
  for (const row of bySpelling.all(trigrams)) known.set(String(row['word']), Number(row['passages']));
  if (word.length <= MAX_EDITED_LENGTH) {
    const byEdit = db.prepare(
      'SELECT word, passages FROM term WHERE ns = ? AND word IN (SELECT value FROM json_each(?))',
    );
    for (const row of byEdit.all(ns, JSON.stringify(singleEdits(word)))) {
      known.set(String(row['word']), Number(row['passages']));
    }
  }
  return [...known].map(([spelling, passages]) => ({ word: spelling, passages }));
}

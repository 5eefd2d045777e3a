import { stem } from '../../core/text/analyze.ts';
import { boundedWord, isCorrectable } from '../spelling.ts';
import type { Database } from './database.ts';
import { wordTable } from './namespaces.ts';

/** How many passages more (or fewer) hold each word; noted once a transaction. */
export type WordCounts = Map<string, number>;

/** Changes of so many words are written into the vocabulary at once; fewer wait, in one row a commit. */
const WORTH_SETTLING = 2000;

export function countWords(counts: WordCounts, words: Iterable<string>, by: number): void {
  for (const word of words) countWord(counts, word, by);
}

function countWord(counts: WordCounts, word: string, by: number): void {
  counts.set(word, (counts.get(word) ?? 0) + by);
}

/**
 * Writes the counts down. Within the transaction that changed the passages. The words of one passage are spread all
 * over the vocabulary: to update them there would write 60 pages for a sentence, so few changes are kept as they are.
 */
export function noteWords(db: Database, ns: number, counts: WordCounts): void {
  if (counts.size === 0) return;
  const waiting = db.prepare('SELECT total(words) AS n FROM word_change WHERE ns = ?').get(ns);
  if (counts.size + Number(waiting?.['n']) < WORTH_SETTLING) {
    const changes = JSON.stringify(Object.fromEntries(counts));
    db.prepare('INSERT INTO word_change (ns, words, changes) VALUES (?, ?, ?)').run(ns, counts.size, changes);
    return;
  }
  for (const [word, change] of unsettledWords(db, ns)) countWord(counts, word, change);
  settle(db, ns, counts);
}

/** Changes that the vocabulary does not tell of yet. */
export function unsettledWords(db: Database, ns: number): WordCounts {
  const counts: WordCounts = new Map();
  for (const row of db.prepare('SELECT changes FROM word_change WHERE ns = ?').all(ns)) {
    const changes = JSON.parse(String(row['changes'])) as Record<string, number>;
    for (const [word, change] of Object.entries(changes)) countWord(counts, word, change);
  }
  return counts;
}

/** Leaves nothing waiting. */
export function settleWords(db: Database, ns: number): void {
  const waiting = db.prepare('SELECT 1 FROM word_change WHERE ns = ? LIMIT 1').get(ns);
  if (waiting === undefined) return;
  db.transaction(() => {
    settle(db, ns, unsettledWords(db, ns));
  });
}

/** Takes what waits into the vocabulary, in its order: each of its pages is touched once. */
function settle(db: Database, ns: number, counts: WordCounts): void {
  const changes = [...counts].filter(([, change]) => change !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
  const held = heldTerms(
    db,
    ns,
    changes.map(([word]) => word),
  );
  const update = db.prepare('UPDATE term SET passages = ? WHERE id = ?');
  for (const [word, change] of changes) {
    const term = held.get(word);
    if (term === undefined) addWord(db, ns, word, change);
    else if (term.passages + change > 0) update.run(term.passages + change, term.id);
    else forgetWord(db, ns, term.id, word);
  }
  db.prepare('DELETE FROM word_change WHERE ns = ?').run(ns);
}

function heldTerms(
  db: Database,
  ns: number,
  words: readonly string[],
): Map<string, { readonly id: number; readonly passages: number }> {
  const rows = db
    .prepare(
      `SELECT term.id, term.word, term.passages FROM json_each(?) AS asked
       CROSS JOIN term ON term.ns = ? AND term.word = asked.value`,
    )
    .all(JSON.stringify(words), ns);
  return new Map(
    rows.map((row) => [
      row['word'] as string,
      { id: row['id'] as number, passages: row['passages'] as number },
    ]),
  );
}

function addWord(db: Database, ns: number, word: string, passages: number): void {
  const { lastInsertRowid } = db
    .prepare('INSERT INTO term (ns, word, stem, passages) VALUES (?, ?, ?, ?)')
    .run(ns, word, stem(word), passages);
  if (!isCorrectable(word)) return;
  db.prepare(`INSERT INTO ${wordTable(ns)} (rowid, word) VALUES (?, ?)`).run(
    lastInsertRowid,
    boundedWord(word),
  );
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

/** How many words the namespace's passages hold. */
export function countTerms(db: Database, ns: number): number {
  let terms = Number(db.prepare('SELECT count(*) AS n FROM term WHERE ns = ?').get(ns)?.['n']);
  const unsettled = unsettledWords(db, ns);
  const held = heldTerms(db, ns, [...unsettled.keys()]);
  for (const [word, change] of unsettled) {
    const passages = held.get(word)?.passages ?? 0;
    if (passages === 0 && change > 0) terms++;
    if (passages > 0 && passages + change <= 0) terms--;
  }
  return terms;
}

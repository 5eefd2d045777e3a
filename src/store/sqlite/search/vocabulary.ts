import { stem } from '../../../core/text/analyze.ts';
import type { Database } from '../database/database.ts';

/** How many passages more (or fewer) hold each word; noted once a transaction. */
export type WordCounts = Map<string, number>;

/** Changes of so many words are written into the vocabulary at once; fewer wait, in one row a commit. */
const WORTH_SETTLING = 2000;

export function countWords(counts: WordCounts, words: Iterable<string>, by: number): void {
  for (const word of words) countWord(counts, word, by);
}

export function countWord(counts: WordCounts, word: string, by: number): void {
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
  for (const { changes } of wordChanges(db, ns, 0))
    for (const [word, change] of changes) countWord(counts, word, change);
  return counts;
}

/** The changes of each commit that the vocabulary does not tell of yet, behind the one given, oldest first. */
export function wordChanges(
  db: Database,
  ns: number,
  behind: number,
): { readonly id: number; readonly changes: readonly (readonly [word: string, change: number])[] }[] {
  return db
    .prepare('SELECT id, changes FROM word_change WHERE ns = ? AND id > ? ORDER BY id')
    .all(ns, behind)
    .map((row) => ({
      id: Number(row['id']),
      changes: Object.entries(JSON.parse(String(row['changes'])) as Record<string, number>),
    }));
}

/** Leaves nothing waiting. */
export function settleWords(db: Database, ns: number): void {
  const waiting = db.prepare('SELECT 1 FROM word_change WHERE ns = ? LIMIT 1').get(ns);
  if (waiting === undefined) return;
  db.transaction(() => {
    settle(db, ns, unsettledWords(db, ns));
  });
}

/** Takes counts into the vocabulary, in its order: each of its pages is touched once. What waits must be among them. */
export function settle(db: Database, ns: number, counts: WordCounts): void {
  const words = [...counts.keys()].sort();
  const update = db.prepare('UPDATE term SET passages = passages + ? WHERE ns = ? AND word = ?');
  const add = db.prepare('INSERT INTO term (ns, word, stem, passages) VALUES (?, ?, ?, ?)');
  const forget = db.prepare('DELETE FROM term WHERE ns = ? AND word = ? AND passages <= 0');
  for (const word of words) {
    const change = counts.get(word) ?? 0;
    if (change === 0) continue;
    const known = Number(update.run(change, ns, word).changes) > 0;
    if (!known) add.run(ns, word, stem(word), change);
    else if (change < 0) forget.run(ns, word);
  }
  db.prepare('DELETE FROM word_change WHERE ns = ?').run(ns);
  db.prepare('UPDATE namespace SET word_epoch = word_epoch + 1 WHERE id = ?').run(ns);
}

/** How many words the namespace's passages hold. */
export function countTerms(db: Database, ns: number): number {
  let terms = Number(db.prepare('SELECT count(*) AS n FROM term WHERE ns = ?').get(ns)?.['n']);
  const held = db.prepare('SELECT passages FROM term WHERE ns = ? AND word = ?');
  for (const [word, change] of unsettledWords(db, ns)) {
    const passages = Number(held.get(ns, word)?.['passages'] ?? 0);
    if (passages === 0 && change > 0) terms++;
    if (passages > 0 && passages + change <= 0) terms--;
  }
  return terms;
}

import { stem } from '../../../core/text/analyze.ts';
import type { Database } from '../database/database.ts';

/** Changes of the number of passages that have a word. */
export type WordCounts = Map<string, number>;

/**
 * The pending changes are merged into the vocabulary once they have this many words. A merge writes hundreds of pages, which
 * is as much as ten other writes; the first search of a namespace reads what is pending, which takes a few milliseconds.
 */
const MIN_MERGED_WORDS = 8000;

export function countWords(counts: WordCounts, words: Iterable<string>, by: number): void {
  for (const word of words) countWord(counts, word, by);
}

export function countWord(counts: WordCounts, word: string, by: number): void {
  counts.set(word, (counts.get(word) ?? 0) + by);
}

/**
 * Writes the counts, within the transaction that changed the passages. The words of one passage are spread over the whole
 * vocabulary, so updating it would write 60 pages for a sentence. Few changes are therefore written as one pending row.
 */
export function addWordChanges(db: Database, ns: number, counts: WordCounts): void {
  if (counts.size === 0) return;
  const added = db.prepare(
    `INSERT INTO word_change (ns, words, changes) SELECT :ns, :words, :changes
     WHERE (SELECT total(words) FROM word_change WHERE ns = :ns) + :words < ${String(MIN_MERGED_WORDS)}`,
  );
  if (added.run({ ns, words: counts.size, changes: formatChanges(counts) }).changes > 0) return;
  for (const [word, change] of pendingWordCounts(db, ns)) countWord(counts, word, change);
  mergeWords(db, ns, counts);
}

/** The changes that are not merged into the vocabulary yet. */
export function pendingWordCounts(db: Database, ns: number): WordCounts {
  const counts: WordCounts = new Map();
  for (const row of db.prepare('SELECT changes FROM word_change WHERE ns = ? ORDER BY id').all(ns))
    for (const [word, change] of parseChanges(String(row['changes']))) countWord(counts, word, change);
  return counts;
}

/** A JSON object. One with dozens of keys that no other has takes V8 ten times as long to build, and also to parse. */
export function formatChanges(counts: WordCounts): string {
  return `{${[...counts].map(([word, change]) => `${JSON.stringify(word)}:${String(change)}`).join(',')}}`;
}

export function parseChanges(json: string): (readonly [word: string, change: number])[] {
  if (json === '{}') return [];
  // Words consist of letters and digits, which JSON does not escape.
  if (json.includes('\\')) return Object.entries(JSON.parse(json) as Record<string, number>);
  return json
    .slice('{"'.length, -'}'.length)
    .split(',"')
    .map((entry) => {
      const end = entry.indexOf('":');
      return [entry.slice(0, end), Number(entry.slice(end + '":'.length))];
    });
}

/** Merges all pending changes into the vocabulary. */
export function mergePendingWords(db: Database, ns: number): void {
  const pending = db.prepare('SELECT 1 FROM word_change WHERE ns = ? LIMIT 1').get(ns);
  if (pending === undefined) return;
  db.transaction(() => {
    mergeWords(db, ns, pendingWordCounts(db, ns));
  });
}

/** Merges counts into the vocabulary in its order, so that each page is written once. They must include the pending changes. */
export function mergeWords(db: Database, ns: number, counts: WordCounts): void {
  const words = [...counts.keys()].sort();
  const update = db.prepare('UPDATE term SET passages = passages + ? WHERE ns = ? AND word = ?');
  const add = db.prepare('INSERT INTO term (ns, word, stem, passages) VALUES (?, ?, ?, ?)');
  const remove = db.prepare('DELETE FROM term WHERE ns = ? AND word = ? AND passages <= 0');
  for (const word of words) {
    const change = counts.get(word) ?? 0;
    if (change === 0) continue;
    const exists = Number(update.run(change, ns, word).changes) > 0;
    if (!exists) add.run(ns, word, stem(word), change);
    else if (change < 0) remove.run(ns, word);
  }
  db.prepare('DELETE FROM word_change WHERE ns = ?').run(ns);
  db.prepare('UPDATE namespace SET word_epoch = word_epoch + 1 WHERE id = ?').run(ns);
}

/** The number of distinct words in the namespace's passages. */
export function countTerms(db: Database, ns: number): number {
  let terms = Number(db.prepare('SELECT count(*) AS n FROM term WHERE ns = ?').get(ns)?.['n']);
  const merged = db.prepare('SELECT passages FROM term WHERE ns = ? AND word = ?');
  for (const [word, change] of pendingWordCounts(db, ns)) {
    const passages = Number(merged.get(ns, word)?.['passages'] ?? 0);
    if (passages === 0 && change > 0) terms++;
    if (passages > 0 && passages + change <= 0) terms--;
  }
  return terms;
}

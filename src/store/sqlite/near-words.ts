import { stem } from '../../core/text/analyze.ts';
import type { TermInfo } from '../store.ts';
import {
  allowedEdits,
  isConsidered,
  isCorrectable,
  nearestWords,
  nearSearch,
  spellingSimilarity,
  trigramsOf,
  type KnownWord,
} from '../spelling.ts';
import type { Database } from './database.ts';
import { wordTable } from './namespaces.ts';
import { countWords, unsettledWords, type WordCounts } from './vocabulary.ts';

/** Words that share a misspelt one's rarest trigrams, compared letter by letter. */
const CANDIDATES = 300;
/** Words looked through for them: the rarest trigrams' first, always one trigram's. */
const TRIGRAM_BUDGET = 4000;

export function lookUpTerms(db: Database, ns: number, words: readonly string[]): TermInfo[] {
  const unsettled = unsettledWords(db, ns);
  const ofStem = sumByStem(unsettled);
  // Without statistics, SQLite would rather look through the whole vocabulary.
  const count = db.prepare(
    'SELECT total(passages) AS n FROM term INDEXED BY term_stem WHERE ns = ? AND stem = ?',
  );
  return words.map((word) => {
    const stemmed = stem(word);
    const passages = Number(count.get(ns, stemmed)?.['n'] ?? 0) + (ofStem.get(stemmed) ?? 0);
    if (passages > 0 || !isCorrectable(word)) return { word, passages, near: [] };
    return { word, passages: 0, near: nearestWords(word, candidates(db, ns, word, unsettled)) };
  });
}

function sumByStem(counts: WordCounts): WordCounts {
  const sums: WordCounts = new Map();
  for (const [word, change] of counts) countWords(sums, [stem(word)], change);
  return sums;
}

function candidates(db: Database, ns: number, word: string, unsettled: WordCounts): KnownWord[] {
  const { edits, byTrigrams } = nearSearch(word);
  const spellings = byTrigrams ? [...edits, ...alike(db, ns, word)] : edits;
  // In the order of the vocabulary: neighbours stand on one page.
  const held = db.prepare(
    `SELECT term.word, term.passages FROM json_each(?) AS spelling
     CROSS JOIN term ON term.ns = ? AND term.word = spelling.value`,
  );
  const rows = held.all(JSON.stringify(spellings.toSorted()), ns);
  const known = new Map(rows.map((row) => [row['word'] as string, row['passages'] as number]));
  addUnsettled(db, ns, word, unsettled, known);
  return [...known]
    .filter(([, passages]) => passages > 0)
    .map(([spelling, passages]) => ({ word: spelling, passages }));
}

function addUnsettled(
  db: Database,
  ns: number,
  word: string,
  unsettled: WordCounts,
  known: Map<string, number>,
): void {
  if (unsettled.size === 0) return;
  const considered = isConsidered(word);
  const held = db.prepare('SELECT passages FROM term WHERE ns = ? AND word = ?');
  for (const [spelling, change] of unsettled) {
    if (!considered(spelling)) continue;
    known.set(spelling, Number(held.get(ns, spelling)?.['passages'] ?? 0) + change);
  }
}

/** Words that the spelling may stand for, among those that share its rarest trigrams. */
function alike(db: Database, ns: number, word: string): string[] {
  // In one value, and by ids in order: rows of their own would take longer than the search. No word has a space.
  const byId = db.prepare(
    `SELECT group_concat(word, ' ') AS words FROM json_each(?) AS asked
     CROSS JOIN term ON term.id = asked.value WHERE length(word) BETWEEN ? AND ?`,
  );
  // An edit changes the length by one at most, also in letters.
  const [letters, edited] = [[...word].length, allowedEdits(word.length)];
  const ids = idsSharingTrigrams(db, ns, word).sort((a, b) => a - b);
  const words = byId.get(JSON.stringify(ids), letters - edited, letters + edited)?.['words'];
  return typeof words !== 'string'
    ? []
    : words.split(' ').filter((known) => spellingSimilarity(word, known) > 0);
}

/** Ids of the words that share the rarest trigrams, by the sum of how rare these are. */
function idsSharingTrigrams(db: Database, ns: number, word: string): number[] {
  const table = wordTable(ns);
  const count = db.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${table} MATCH ?`);
  // In one value: rows of their own would take longer than all the rest.
  const list = db.prepare(`SELECT group_concat(rowid) AS ids FROM ${table} WHERE ${table} MATCH ?`);
  const grams = [...trigramsOf(word)].map((gram) => {
    const match = `"${gram}"`;
    return { match, words: Number(count.get(match)?.['n']) };
  });
  const scores = new Map<number, number>();
  let spent = 0;
  for (const { match, words } of grams.sort((a, b) => a.words - b.words)) {
    if (words === 0) continue;
    if (spent > 0 && spent + words > TRIGRAM_BUDGET) break;
    spent += words;
    const rarity = 1 / Math.log2(2 + words);
    for (const id of numbersOf(String(list.get(match)?.['ids'])))
      scores.set(id, (scores.get(id) ?? 0) + rarity);
  }
  const best = [...scores].sort(([idA, a], [idB, b]) => b - a || idA - idB);
  return best.slice(0, CANDIDATES).map(([id]) => id);
}

/** The whole numbers of a list that commas part. By hand: thousands are read for one word. */
function numbersOf(list: string): number[] {
  const numbers: number[] = [];
  let number = 0;
  for (let i = 0; i < list.length; i++) {
    const digit = list.charCodeAt(i) - ZERO;
    if (digit >= 0) {
      number = number * 10 + digit;
    } else {
      numbers.push(number);
      number = 0;
    }
  }
  numbers.push(number);
  return numbers;
}

const ZERO = '0'.charCodeAt(0);

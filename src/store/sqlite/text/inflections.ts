import { stem } from '../../../core/text/analyze.ts';
import {
  isFunctionWordOf,
  type Language,
  type StoredLanguage,
} from '../../../core/text/language/language.ts';
import { spellingsIn, stemIn } from '../../../core/text/language/stemmers.ts';
import type { Database } from '../database/database.ts';

/** Known words that are compared with a word to find its inflections. */
const MAX_COMPARED = 1000;
/** By which an inflection is longer than the word, at most. */
const MAX_ADDED_LETTERS = 6;
/** A shorter beginning is that of too many words. */
const MIN_PREFIX = 3;
/** The terms of inflections that a word has at most. */
const MAX_INFLECTIONS = 24;

/** Words of the vocabulary that may be inflections of a word. */
interface Candidates {
  readonly language: Language;
  /** The stem that they must have. */
  readonly stemmed: string;
  readonly prefix: string;
  readonly maxLength: number;
}

/**
 * For each word, the terms of the words in the vocabulary that are inflections or other spellings of it, without its own term. Past
 * the deadline of the connection, those that were found until then.
 * @param languages for each word those that it may have
 * @param pending words that are not merged into the vocabulary yet, by `prefixOf`
 */
export function inflectionsOf(
  db: Database,
  ns: number,
  words: readonly string[],
  languages: readonly (readonly StoredLanguage[])[],
  pending: ReadonlyMap<string, readonly string[]>,
): string[][] {
  const candidates = words.map((word, i) => candidatesOf(word, languages[i]!));
  const known = wordsBeginningWith(db, ns, candidates.flat(), pending);
  let next = 0;
  return words.map((word, i) => {
    const terms = new Set<string>();
    for (const { language, stemmed } of candidates[i]!) {
      const ofPrefix = known[next++]!;
      if (db.deadline.isPast) continue;
      for (const each of ofPrefix) if (stemIn(language, each) === stemmed) terms.add(stem(each));
    }
    terms.delete(stem(word));
    return [...terms].slice(0, MAX_INFLECTIONS);
  });
}

function candidatesOf(word: string, languages: readonly StoredLanguage[]): Candidates[] {
  if (isFunctionWordOf(word, languages)) return [];
  // The index itself has the inflections of English.
  const others = languages.filter((each): each is Language => each !== 'en');
  return others.flatMap((language) =>
    [...spellingsIn(language, word)].flatMap((spelling) => {
      const stemmed = stemIn(language, spelling);
      // Some inflections change the last letter of the stem: `cheval`, `chevaux`.
      const prefix = commonPrefix(stemmed, spelling).slice(0, Math.max(MIN_PREFIX, stemmed.length - 1));
      const maxLength = word.length + MAX_ADDED_LETTERS;
      return prefix.length < MIN_PREFIX ? [] : [{ language, stemmed, prefix, maxLength }];
    }),
  );
}

export function prefixOf(word: string): string {
  return word.slice(0, MIN_PREFIX);
}

function commonPrefix(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}

/** Languages that write compounds as one word. */
const COMPOUNDING: ReadonlySet<StoredLanguage> = new Set(['da', 'de', 'fi', 'hu', 'nl', 'no', 'sv'] as const);
/** A shorter stem ends too many words by chance. */
const MIN_PART = 4;

/** The terms of the words in the vocabulary that end with a word: "Kraftfahrzeugsteuer" with "Steuer". */
export function compoundsOf(
  db: Database,
  ns: number,
  word: string,
  languages: readonly StoredLanguage[],
  pending: ReadonlyMap<string, readonly string[]>,
): string[] {
  const compounding = languages.filter((each): each is Language => COMPOUNDING.has(each));
  const terms = compounding.flatMap((language) => {
    const part = stemIn(language, word);
    if (part.length < MIN_PART) return [];
    const row = db
      .prepare(
        `SELECT group_concat(word, ' ') AS words FROM (
           SELECT word FROM term WHERE ns = ? AND instr(word, ?) > ${String(MIN_PREFIX)} LIMIT ${String(MAX_COMPARED)})`,
      )
      .get(ns, part);
    const merged = typeof row?.['words'] === 'string' ? row['words'].split(' ') : [];
    const added = [...pending.values()].flat().filter((known) => known.includes(part, MIN_PREFIX));
    return [...merged, ...added].filter((known) => stemIn(language, known).endsWith(part)).map(stem);
  });
  return [...new Set(terms)].slice(0, MAX_INFLECTIONS);
}

/** The words of the vocabulary with each prefix. */
function wordsBeginningWith(
  db: Database,
  ns: number,
  candidates: readonly Candidates[],
  pending: ReadonlyMap<string, readonly string[]>,
): string[][] {
  if (candidates.length === 0) return [];
  // One value instead of rows, which would take ten times as long. No word has a space.
  const rows = db
    .prepare(
      `SELECT (SELECT group_concat(word, ' ') FROM (
         SELECT word FROM term WHERE ns = :ns AND word >= wanted.value ->> 0 AND word < wanted.value ->> 1
           AND length(word) <= wanted.value ->> 2 AND in_time() LIMIT ${String(MAX_COMPARED)})) AS words
       FROM json_each(:wanted) AS wanted`,
    )
    .all({
      ns,
      wanted: JSON.stringify(
        candidates.map(({ prefix, maxLength }) => [prefix, `${prefix}\uffff`, maxLength]),
      ),
    });
  return candidates.map(({ prefix, maxLength }, i) => {
    const words = rows[i]!['words'];
    const merged = typeof words === 'string' ? words.split(' ') : [];
    const added = (pending.get(prefixOf(prefix)) ?? []).filter(
      (word) => word.length <= maxLength && word.startsWith(prefix),
    );
    return [...merged, ...added];
  });
}

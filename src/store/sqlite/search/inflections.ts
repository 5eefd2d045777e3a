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

/**
 * The terms of the words in the vocabulary that are inflections or other spellings of a word, without its own term. Past the
 * deadline of the connection, those that were found until then.
 * @param pending words that are not merged into the vocabulary yet, by `prefixOf`
 */
export function inflectionsOf(
  db: Database,
  ns: number,
  word: string,
  languages: readonly StoredLanguage[],
  pending: ReadonlyMap<string, readonly string[]>,
): string[] {
  if (isFunctionWordOf(word, languages)) return [];
  const terms = new Set<string>();
  const maxLength = word.length + MAX_ADDED_LETTERS;
  // The index itself has the inflections of English.
  for (const language of languages.filter((each): each is Language => each !== 'en'))
    for (const spelling of spellingsIn(language, word)) {
      if (db.deadline.isPast) break;
      const wanted = stemIn(language, spelling);
      // Some inflections change the last letter of the stem: `cheval`, `chevaux`.
      const prefix = commonPrefix(wanted, spelling).slice(0, Math.max(MIN_PREFIX, wanted.length - 1));
      if (prefix.length < MIN_PREFIX) continue;
      for (const known of wordsBeginningWith(db, ns, prefix, maxLength, pending))
        if (stemIn(language, known) === wanted) terms.add(stem(known));
    }
  terms.delete(stem(word));
  return [...terms].slice(0, MAX_INFLECTIONS);
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

function wordsBeginningWith(
  db: Database,
  ns: number,
  prefix: string,
  maxLength: number,
  pending: ReadonlyMap<string, readonly string[]>,
): string[] {
  // One value instead of rows, which would take ten times as long. No word has a space.
  const row = db
    .prepare(
      `SELECT group_concat(word, ' ') AS words FROM (
         SELECT word FROM term WHERE ns = ? AND word >= ? AND word < ? AND length(word) <= ?
         LIMIT ${String(MAX_COMPARED)})`,
    )
    .get(ns, prefix, `${prefix}\uffff`, maxLength);
  const merged = typeof row?.['words'] === 'string' ? row['words'].split(' ') : [];
  const added = (pending.get(prefixOf(prefix)) ?? []).filter(
    (word) => word.length <= maxLength && word.startsWith(prefix),
  );
  return [...merged, ...added];
}

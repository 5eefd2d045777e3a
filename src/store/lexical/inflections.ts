import { stem } from '../../core/text/analyze.ts';
import { isFunctionWordOf, type Language, type StoredLanguage } from '../../core/text/language/language.ts';
import { spellingsIn, stemIn } from '../../core/text/language/stemmers.ts';
import type { Deadline } from '../../core/time/deadline.ts';
import type { Candidates, KnownWords } from './known-words.ts';

/** Known words that are compared with a word to find its inflections. */
export const MAX_COMPARED = 1000;
/** By which an inflection is longer than the word, at most. */
const MAX_ADDED_LETTERS = 6;
/** A shorter beginning is that of too many words. */
export const MIN_PREFIX = 3;
/** The terms of inflections that a word has at most. */
const MAX_INFLECTIONS = 24;

/**
 * For each word, the terms of the words in the vocabulary that are inflections or other spellings of it, without its own term. Past
 * the deadline, those that were found until then.
 * @param languages for each word those that it may have
 */
export async function inflectionsOf(
  known: KnownWords,
  words: readonly string[],
  languages: readonly (readonly StoredLanguage[])[],
  deadline: Deadline,
): Promise<string[][]> {
  const candidates = words.map((word, i) => candidatesOf(word, languages[i]!));
  const wanted = candidates.flat();
  const found = wanted.length === 0 ? [] : await known.beginningWith(wanted);
  let next = 0;
  return words.map((word, i) => {
    const terms = new Set<string>();
    for (const { language, stemmed } of candidates[i]!) {
      const ofPrefix = found[next++]!;
      if (deadline.isPast) continue;
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
export async function compoundsOf(
  known: KnownWords,
  word: string,
  languages: readonly StoredLanguage[],
): Promise<string[]> {
  const terms = new Set<string>();
  for (const language of languages) {
    if (language === 'en' || !COMPOUNDING.has(language)) continue;
    const part = stemIn(language, word);
    if (part.length < MIN_PART) continue;
    for (const each of await known.containing(part))
      if (stemIn(language, each).endsWith(part)) terms.add(stem(each));
  }
  return [...terms].slice(0, MAX_INFLECTIONS);
}

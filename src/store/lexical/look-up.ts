import { analyze, stem } from '../../core/text/analyze.ts';
import { isFunctionWordOf, type Language, type StoredLanguage } from '../../core/text/language/language.ts';
import { spellingsIn, stemIn } from '../../core/text/language/stemmers.ts';
import type { Deadline } from '../../core/time/deadline.ts';
import type { SeparateWords, TermInfo, Vocabulary } from '../search-model.ts';
import { isCorrectable, type KnownWord, nearestWords } from './spelling.ts';

/**
 * Counts the passages of words, and finds their inflections and corrections. Past the deadline, words get none, or only those that
 * were found until then.
 * @param candidates languages that the words may have
 * @param separate looks for words that texts write as two
 */
export async function lookUp(
  known: KnownWords,
  words: readonly string[],
  candidates: readonly StoredLanguage[],
  deadline: Deadline,
  separate?: SeparateLookUp,
): Promise<Vocabulary> {
  const counts = new Map<string, number>();
  const count = async (stems: readonly string[]): Promise<void> => {
    const missing = [...new Set(stems)].filter((each) => !counts.has(each));
    if (missing.length === 0) return;
    for (const [each, passages] of await known.stemCounts(missing)) counts.set(each, passages);
  };
  const passagesWith = (stems: readonly string[]): number =>
    stems.reduce((sum, each) => sum + (counts.get(each) ?? 0), 0);
  const [stored] = await allOf(known.languages(), count(words.map(stem)));
  const languages = candidates.filter((language) => stored.includes(language));
  // A word that no passage has may be of a language in which only a few passages are.
  const possible = words.map((word) => (passagesWith([stem(word)]) > 0 ? languages : candidates));
  // Asking a server at the same time saves a round trip.
  const unknown = words.filter((word) => passagesWith([stem(word)]) === 0 && isCorrectable(word));
  const early =
    separate?.isRemote === true
      ? separate.find(unknown.slice(0, MAX_SEPARATED))
      : Promise.resolve(new Map<string, readonly SeparateWords[]>());
  const [inflections, found] = await allOf(inflectionsOf(known, words, possible, deadline), early);
  await count(inflections.flat());
  const terms: TermInfo[] = [];
  for (const [i, word] of words.entries()) {
    const all = passagesWith([stem(word), ...inflections[i]!]);
    // A word that passages have does not stand for its compounds, which are other things.
    const variants = all > 0 ? inflections[i]! : await compoundsOf(known, word, languages);
    await count(variants);
    const passages = all > 0 ? all : passagesWith(variants);
    if (passages > 0 && variants.length > 0) terms.push({ word, passages, near: [], variants });
    else if (passages > 0 || !isCorrectable(word)) terms.push({ word, passages, near: [] });
    else {
      const similar = await known.near(word);
      const isPartial = similar === null || deadline.isPast;
      terms.push({
        word,
        passages: 0,
        near: nearestWords(word, similar ?? []),
        ...(isPartial && { isPartial }),
      });
    }
  }
  if (separate === undefined) return { terms, languages: [...stored] };
  const misspelt = terms.filter(({ near }) => near.length > 0).slice(0, MAX_SEPARATED);
  const late = await separate.find(misspelt.flatMap(({ word }) => (found.has(word) ? [] : [word])));
  const withSeparate = new Map(
    misspelt.map((info) => [
      info.word,
      { ...info, separate: found.get(info.word) ?? late.get(info.word) ?? [] },
    ]),
  );
  return { terms: terms.map((info) => withSeparate.get(info.word) ?? info), languages: [...stored] };
}

/** Waits for both, also where one fails: no statement may run when its transaction ends. */
async function allOf<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  await Promise.allSettled([one, other]);
  return [await one, await other];
}

/** Words that are looked up as two, at most. */
const MAX_SEPARATED = 4;
/** Passages with two words that are counted, at most. */
export const MAX_COUNTED = 20;

/** Looks for words that no passage has but as two: `wifi` as "Wi-Fi". */
export interface SeparateLookUp {
  /** Whether it takes a round trip over a network. */
  readonly isRemote: boolean;
  find(words: readonly string[]): Promise<ReadonlyMap<string, readonly SeparateWords[]>>;
}

/** @param passagesWith counts the passages with each of these pairs of terms, up to `MAX_COUNTED` */
export async function findSeparate(
  words: readonly string[],
  passagesWith: (pairs: readonly (readonly string[])[]) => Promise<readonly number[]>,
): Promise<Map<string, SeparateWords[]>> {
  const halves = words.flatMap((word) => halvesOf(word).map((each) => ({ word, ...each })));
  const counts = halves.length === 0 ? [] : await passagesWith(halves.map(({ terms }) => terms));
  const found = new Map(words.map((word) => [word, [] as SeparateWords[]]));
  for (const [i, { word, text }] of halves.entries())
    if (counts[i]! > 0) found.get(word)!.push({ text, passages: counts[i]! });
  return found;
}

/** A shorter part of a word is a word by chance. */
const MIN_HALF = 2;

/** A word as two words, in each way, with their terms. */
function halvesOf(word: string): { readonly text: string; readonly terms: readonly string[] }[] {
  const cuts = Array.from({ length: Math.max(0, word.length - 2 * MIN_HALF + 1) }, (_, i) => i + MIN_HALF);
  return cuts
    .map((cut) => {
      const text = `${word.slice(0, cut)} ${word.slice(cut)}`;
      const tokens = analyze(text).filter(({ kind }) => kind !== 'tail');
      return { text, terms: tokens.map(({ term }) => term) };
    })
    .filter(({ terms }) => terms.length === 2);
}

/** Words of the vocabulary that may be inflections of a word. */
export interface Candidates {
  readonly language: Language;
  /** The stem that they must have. */
  readonly stemmed: string;
  readonly prefix: string;
  readonly maxLength: number;
}

/** The words of a namespace, and the passages that have them. Past the deadline of the look-up, the lists may be incomplete. */
export interface KnownWords {
  /** The languages in which a considerable part of the passages is written. */
  languages(): Promise<readonly StoredLanguage[]>;
  /** The numbers of passages that have a word with each of these stems, counted once for each such word. */
  stemCounts(stems: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The words with each of these beginnings and at most this length; at most `MAX_COMPARED` of each. */
  beginningWith(candidates: readonly Candidates[]): Promise<string[][]>;
  /** The words with this part after their first `MIN_PREFIX` letters; about `MAX_COMPARED` at most. */
  containing(part: string): Promise<string[]>;
  /** The words that are similar to this one (see `spellingSimilarity`); `null` if the database had no time to look. */
  near(word: string): Promise<KnownWord[] | null>;
}

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
async function inflectionsOf(
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
async function compoundsOf(
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

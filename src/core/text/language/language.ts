import { stopwords as danish } from '@orama/stopwords/danish';
import { stopwords as dutch } from '@orama/stopwords/dutch';
import { stopwords as finnish } from '@orama/stopwords/finnish';
import { stopwords as french } from '@orama/stopwords/french';
import { stopwords as german } from '@orama/stopwords/german';
import { stopwords as hungarian } from '@orama/stopwords/hungarian';
import { stopwords as italian } from '@orama/stopwords/italian';
import { stopwords as norwegian } from '@orama/stopwords/norwegian';
import { stopwords as portuguese } from '@orama/stopwords/portuguese';
import { stopwords as romanian } from '@orama/stopwords/romanian';
import { stopwords as russian } from '@orama/stopwords/russian';
import { stopwords as spanish } from '@orama/stopwords/spanish';
import { stopwords as swedish } from '@orama/stopwords/swedish';
import { stopwords as turkish } from '@orama/stopwords/turkish';
import { fold } from '../analyze.ts';
import { isStopWord } from '../stop-words.ts';

/** The languages besides English whose function words and inflections are known. */
const LANGUAGES = [
  ...(['da', 'nl', 'fi', 'fr', 'de', 'hu', 'it'] as const),
  ...(['no', 'pt', 'ro', 'ru', 'es', 'sv', 'tr'] as const),
] as const;
export type Language = (typeof LANGUAGES)[number];
/** Includes English. */
export type StoredLanguage = Language | 'en';
const STORED_LANGUAGES: readonly StoredLanguage[] = ['en', ...LANGUAGES];

const STOP_WORDS: Readonly<Record<Language, readonly string[]>> = {
  ...{ da: danish, nl: dutch, fi: finnish, fr: french, de: german, hu: hungarian, it: italian },
  ...{ no: norwegian, pt: portuguese, ro: romanian, ru: russian, es: spanish, sv: swedish, tr: turkish },
};

/** Frequent function words by which a vocabulary shows a language, folded. No other language of the list has most of them. */
const MARKERS: Readonly<Record<StoredLanguage, string>> = {
  en: 'the and with this that from are for',
  da: 'og ikke af til jeg fra efter blev',
  nl: 'het een niet zijn voor dat naar ook',
  fi: 'ja ei etta oli mutta kun niin myos',
  fr: 'les des une est dans pour qui avec',
  de: 'und der nicht ist das ein auf mit',
  hu: 'hogy nem egy az meg csak mint volt',
  it: 'il di che della per sono non gli',
  no: 'og ikke av til jeg fra etter ble',
  pt: 'nao uma os com em sao dos mais',
  ro: 'este care sunt din pentru nu sau mai',
  ru: 'и в не на что с как это',
  es: 'el los las una por con del pero',
  sv: 'och att det som inte pa ar av',
  tr: 've bir bu icin de da ile cok',
};

/** The languages of which each folded function word is one, as bits in the order of `LANGUAGES`. Made at the first call. */
let bitsByWord: ReadonlyMap<string, number> | undefined;

function languageBits(word: string): number {
  if (bitsByWord === undefined) {
    const bits = new Map<string, number>();
    for (const [i, language] of LANGUAGES.entries())
      for (const each of STOP_WORDS[language]) {
        const folded = fold(each);
        bits.set(folded, (bits.get(folded) ?? 0) | (1 << i));
      }
    bitsByWord = bits;
  }
  return bitsByWord.get(word) ?? 0;
}

/** Whether a folded word is a function word of one of these languages. */
export function isFunctionWordOf(word: string, languages: readonly StoredLanguage[]): boolean {
  const bits = languageBits(word);
  return languages.some((language) =>
    language === 'en' ? isStopWord(word) : (bits & (1 << LANGUAGES.indexOf(language))) !== 0,
  );
}

/**
 * The languages of a text by its function words: those that have most of them, and all languages if there is no evidence.
 * @param words folded
 */
export function languagesOf(words: readonly string[]): readonly StoredLanguage[] {
  const counts = countFunctionWords(words.map((word) => [word, 1] as const));
  const most = Math.max(...counts);
  return STORED_LANGUAGES.filter((_, i) => counts[i] === most);
}

/** A vocabulary of at most so many words is compared with all function words, a larger one with the markers. */
export const MAX_SMALL_VOCABULARY = 2000;
/** Markers of a language that a vocabulary has, at least, each in this share of the passages. */
const MIN_MARKERS = { small: 4, large: 6 };
const MIN_MARKER_SHARE = 0.003;
/** The passages with function words of the main language of a small vocabulary, at least. */
const MIN_FUNCTION_WORDS = 2;
/** A language has at least this share of the function words of the one that has most of them. */
const MIN_SHARE_OF_MOST = 0.8;

/** The words that `storedLanguages` counts in any vocabulary. */
export const MARKER_WORDS: readonly string[] = Object.values(MARKERS).flatMap((words) => words.split(' '));

/** The passages of a namespace, counted by words. */
interface WordStatistics {
  readonly passages: number;
  /** The number of passages with one of `MARKER_WORDS`. */
  readonly passagesOf: (word: string) => number;
  /** All words with their numbers of passages, of a small vocabulary. */
  readonly words: readonly (readonly [word: string, passages: number])[];
}

/** The languages in which a considerable part of the passages is written. */
export function storedLanguages({ passages, passagesOf, words }: WordStatistics): StoredLanguage[] {
  const counts = countFunctionWords(words);
  const most = Math.max(...counts);
  const isMain = (i: number): boolean => most >= MIN_FUNCTION_WORDS && counts[i]! >= MIN_SHARE_OF_MOST * most;
  const hasMarkers = (language: StoredLanguage): boolean => {
    const known = MARKERS[language].split(' ').filter((word) => {
      const having = passagesOf(word);
      return having > 0 && having >= MIN_MARKER_SHARE * passages;
    });
    return known.length >= (words.length > 0 ? MIN_MARKERS.small : MIN_MARKERS.large);
  };
  return STORED_LANGUAGES.filter((language, i) => isMain(i) || hasMarkers(language));
}

/** How many function words of each language there are, in the order of `STORED_LANGUAGES`. */
function countFunctionWords(words: Iterable<readonly [word: string, count: number]>): number[] {
  const counts = STORED_LANGUAGES.map(() => 0);
  for (const [word, count] of words) {
    if (isStopWord(word)) counts[0]! += count;
    for (let bits = languageBits(word); bits !== 0; bits &= bits - 1)
      counts[32 - Math.clz32(bits & -bits)]! += count;
  }
  return counts;
}

import { stemmer } from 'stemmer';
import type { Span } from '../types.ts';
import { simplified } from './simplified-chinese.ts';

/**
 * Characters that a reader does not see: soft hyphens, zero-width spaces and joiners, variation selectors, direction marks.
 * They neither end a word nor make it another word. The fillers of Hangul are letters of decomposed syllables.
 */
const INVISIBLE = String.raw`[\p{DI}--[\u115f\u1160\u3164\uffa0]]`;

/** A run of letters and digits, which does not begin with what is invisible: a direction mark before an apostrophe joins nothing. */
const WORD = /[\p{L}\p{N}\p{M}][\p{L}\p{N}\p{M}\p{DI}]*(?:['’][\p{L}\p{M}\p{DI}]+)*/gu;

/** The scripts that do not separate words by spaces: those of East Asia, and of line breaking class SA (UAX #14). */
const UNSPACED =
  String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}` +
  String.raw`\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tai_Le}\p{sc=New_Tai_Lue}\p{sc=Tai_Tham}\p{sc=Tai_Viet}\p{sc=Ahom}`;
/** With the half-width ー, and the separate voicing marks of decomposed and half-width Japanese. */
const UNSPACED_LETTERS = String.raw`${UNSPACED}ー々〆\u3099\u309a\uff70\uff9e\uff9f`;

/** Whether a word has letters of such a script. */
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'v');
/** A part of a word in these scripts. */
const UNSPACED_RUN = new RegExp(`[${UNSPACED_LETTERS}][${UNSPACED_LETTERS}${INVISIBLE}]*`, 'gv');
/**
 * A character as people count them: a letter with its marks. When decomposed, a Korean syllable is two or three code points, a
 * voiced kana two.
 */
const CHARACTER = new RegExp(
  String.raw`(?:[\u1100-\u115f\ua960-\ua97f][\u1160-\u11a7\ud7b0-\ud7c6][\u11a8-\u11ff\ud7cb-\ud7fb]?|.)` +
    String.raw`[\p{M}\uff9e\uff9f\u11a8-\u11ff${INVISIBLE}]*`,
  'gsv',
);

/**
 * Combining accents, Hebrew points, Arabic vowel signs and the frames of keycaps, and what is invisible. Indic vowel signs are
 * kept, since they carry meaning.
 */
const IGNORED_MARKS = new RegExp(
  String.raw`[\u0300-\u036f\u0591-\u05c7\u064b-\u0652\u20d0-\u20f0${INVISIBLE}]`,
  'gv',
);

export const ZWNJ = '\u200c';
const ZWJ = '\u200d';
export const ARABIC = /\p{sc=Arabic}/u;

/** In Arabic script, a zero-width non-joiner is a space within a word: Persian کتاب‌ها is the plural of کتاب. */
export function hasInnerSpace(word: string): boolean {
  return word.includes(ZWNJ) && ARABIC.test(word);
}

/** The parts of a word between its inner spaces, with their offsets. */
function* innerWords(word: string): Generator<readonly [part: string, start: number]> {
  let start = 0;
  for (const part of word.split(ZWNJ)) {
    yield [part, start];
    start += part.length + ZWNJ.length;
  }
}

/**
 * Malayalam chillus and Bengali khanda ta were written as a letter, a virama and a joiner before Unicode had characters for
 * them (The Unicode Standard, sections 12.2 and 12.9).
 */
const JOINED_LETTER = /([\u0d15\u0d23\u0d28\u0d30\u0d32\u0d33]\u0d4d|\u09a4\u09cd)\u200d/g;
const LETTERS_OF_JOINED: ReadonlyMap<string, string> = new Map([
  ['\u0d15\u0d4d', '\u0d7f'],
  ['\u0d23\u0d4d', '\u0d7a'],
  ['\u0d28\u0d4d', '\u0d7b'],
  ['\u0d30\u0d4d', '\u0d7c'],
  ['\u0d32\u0d4d', '\u0d7d'],
  ['\u0d33\u0d4d', '\u0d7e'],
  ['\u09a4\u09cd', '\u09ce'],
]);

/** The text with one character for each letter that was written with a joiner. */
function composeJoined(text: string): string {
  if (!text.includes(ZWJ)) return text;
  return text.replaceAll(
    JOINED_LETTER,
    (joined, letters: string) => LETTERS_OF_JOINED.get(letters) ?? joined,
  );
}

/**
 * A token of the text analyzer, which indexes, queries and snippets share.
 * A run of letters and digits is a word. It is folded (NFKC, lower case, no accents), then stemmed (Porter 1980).
 * Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese do not separate words by spaces. A run of their characters becomes
 * overlapping bigrams and its last character, so that a query of one character can match by prefix. Dictionaries of words are
 * not used: those of Node depend on its build, and an index must have the same terms on every machine.
 */
export interface Token extends Span {
  /** The form that is indexed and compared. */
  readonly term: string;
  /** The word as written, folded but not stemmed. */
  readonly surface: string;
  readonly kind: TokenKind;
}

/** `tail` is the last character of a run without spaces: indexed, never queried. */
type TokenKind = 'word' | 'bigram' | 'tail';

const ASCII_WORD = /^[a-z0-9]+$/;
const POSSESSIVE = /['’]s$/;
const APOSTROPHE = /['’]/g;
/** Longer runs are truncated, because nobody searches for them and they would make the index larger. */
const MAX_TERM_LENGTH = 64;

/** Two generations of a cache of stems: when the newer one is full, it replaces the older one. */
const STEM_CACHE_SIZE = 50_000;
let stems = new Map<string, string>();
let olderStems = new Map<string, string>();

/**
 * Latin letters that Unicode does not decompose, as people without them write them: those of Latin-ASCII of the CLDR that languages use,
 * in lower case.
 */
const LATIN: Readonly<Record<string, string>> = {
  ...{
    æ: 'ae',
    œ: 'oe',
    ø: 'o',
    ł: 'l',
    đ: 'd',
    ð: 'd',
    þ: 'th',
    ß: 'ss',
    ı: 'i',
    ħ: 'h',
    ŧ: 't',
    ŋ: 'n',
    ĸ: 'q',
  },
  ...{
    ƀ: 'b',
    ɓ: 'b',
    ƈ: 'c',
    ɖ: 'd',
    ɗ: 'd',
    ɛ: 'e',
    ǝ: 'e',
    ə: 'e',
    ƒ: 'f',
    ɠ: 'g',
    ǥ: 'g',
    ɣ: 'g',
    ɨ: 'i',
    ɩ: 'i',
  },
  ...{
    ƙ: 'k',
    ƚ: 'l',
    ɲ: 'n',
    ɔ: 'o',
    ɵ: 'o',
    ƥ: 'p',
    ʂ: 's',
    ƭ: 't',
    ʈ: 't',
    ʉ: 'u',
    ʊ: 'u',
    ʋ: 'v',
    ƴ: 'y',
    ƶ: 'z',
  },
};
const LATIN_LETTER = new RegExp(`[${Object.keys(LATIN).join('')}]`, 'g');

/**
 * The form in which words are compared: without case, accents and compatibility forms, in the letters of ASCII where they are Latin, and
 * in simplified characters where they are Chinese.
 */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (ASCII_WORD.test(lower)) return lower;
  const plain = composeJoined(lower)
    .normalize('NFKD')
    .replace(IGNORED_MARKS, '')
    .normalize('NFC')
    .toLowerCase();
  return simplified(plain.replace(LATIN_LETTER, (letter) => LATIN[letter]!));
}

/** The stem of a folded word. Porter's algorithm only knows suffixes of plain Latin words. */
export function stem(word: string): string {
  const cached = stems.get(word);
  if (cached !== undefined) return cached;
  const stemmed = olderStems.get(word) ?? (ASCII_WORD.test(word) && word.length > 2 ? stemmer(word) : word);
  if (stems.size >= STEM_CACHE_SIZE) {
    olderStems = stems;
    stems = new Map();
  }
  stems.set(word, stemmed);
  return stemmed;
}

/** Every token of a text, in order. @param maxRuns stops after so many runs of letters */
export function analyze(text: string, maxRuns: number = Number.POSITIVE_INFINITY): Token[] {
  const tokens: Token[] = [];
  let left = maxRuns;
  for (const match of text.matchAll(WORD)) {
    if (left-- <= 0) break;
    const word = match[0];
    const start = match.index;
    const lower = word.toLowerCase();
    // The fast path for most words, which need no folding.
    if (ASCII_WORD.test(lower)) pushToken(lower, start, start + word.length, tokens);
    else if (HAS_UNSPACED.test(word)) pushMixed(word, start, tokens);
    else pushWord(word, start, tokens);
  }
  return tokens;
}

/** Folding may insert separators: `½` becomes "1⁄2", two words at one position. */
function pushWord(word: string, start: number, tokens: Token[]): void {
  if (hasInnerSpace(word)) {
    for (const [part, offset] of innerWords(word)) pushWord(part, start + offset, tokens);
    return;
  }
  const folded = fold(word.replace(POSSESSIVE, '').replace(APOSTROPHE, ''));
  const end = start + word.length;
  for (const part of ASCII_WORD.test(folded) ? [folded] : (folded.match(WORD) ?? [])) {
    pushToken(part, start, end, tokens);
  }
}

function pushToken(folded: string, start: number, end: number, tokens: Token[]): void {
  const surface = cut(folded);
  tokens.push({ term: stem(surface), surface, start, end, kind: 'word' });
}

/** Cuts a word to the maximal length, but not between the code units of a surrogate pair. */
function cut(word: string): string {
  return word.length <= MAX_TERM_LENGTH
    ? word
    : word.slice(0, MAX_TERM_LENGTH).replace(/[\ud800-\udbff]$/, '');
}

function pushMixed(word: string, start: number, tokens: Token[]): void {
  let rest = 0;
  for (const run of word.matchAll(UNSPACED_RUN)) {
    if (run.index > rest) pushWord(word.slice(rest, run.index), start + rest, tokens);
    pushBigrams(run[0], start + run.index, tokens);
    rest = run.index + run[0].length;
  }
  if (rest < word.length) pushWord(word.slice(rest), start + rest, tokens);
}

/** These characters have no other form than the simplified one, and none is a mark. */
const ONLY_HAN = /^[\u4e00-\u9fff]+$/;

function pushBigrams(run: string, start: number, tokens: Token[]): void {
  if (ONLY_HAN.test(run)) {
    const folded = simplified(run);
    for (let i = 0; i < run.length; i++) {
      const surface = folded.slice(i, i + 2);
      const end = start + i + surface.length;
      tokens.push({
        term: surface,
        surface,
        start: start + i,
        end,
        kind: surface.length === 1 ? 'tail' : 'bigram',
      });
    }
    return;
  }
  const characters = run.match(CHARACTER) ?? [];
  let offset = start;
  for (const [index, character] of characters.entries()) {
    const next = characters[index + 1];
    const surface = cut(fold(character + (next ?? '')));
    const end = offset + character.length + (next?.length ?? 0);
    if (surface !== '') {
      tokens.push({
        term: surface,
        surface,
        start: offset,
        end,
        kind: next === undefined ? 'tail' : 'bigram',
      });
    }
    offset += character.length;
  }
}

/**
 * Characters that a reader does not see: soft hyphens, zero-width spaces and joiners, variation selectors, direction marks.
 * They neither end a word nor make it another word. The fillers of Hangul are letters of decomposed syllables.
 */
const INVISIBLE = String.raw`[\p{DI}--[\u115f\u1160\u3164\uffa0]]`;

/** A run of letters and digits. */
export const WORD = /[\p{L}\p{N}\p{M}\p{DI}]+(?:['’][\p{L}\p{M}\p{DI}]+)*/gu;

/** The scripts that do not separate words by spaces: those of East Asia, and of line breaking class SA (UAX #14). */
const UNSPACED =
  String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}` +
  String.raw`\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tai_Le}\p{sc=New_Tai_Lue}\p{sc=Tai_Tham}\p{sc=Tai_Viet}\p{sc=Ahom}`;
/** With the half-width ー, and the separate voicing marks of decomposed and half-width Japanese. */
const UNSPACED_LETTERS = String.raw`${UNSPACED}ー々〆\u3099\u309a\uff70\uff9e\uff9f`;

/** Whether a word has letters of such a script. */
export const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'v');
/** A part of a word in these scripts. */
export const UNSPACED_RUN = new RegExp(`[${UNSPACED_LETTERS}][${UNSPACED_LETTERS}${INVISIBLE}]*`, 'gv');
/**
 * A character as people count them: a letter with its marks. When decomposed, a Korean syllable is two or three code points, a
 * voiced kana two.
 */
export const CHARACTER = new RegExp(
  String.raw`(?:[\u1100-\u115f\ua960-\ua97f][\u1160-\u11a7\ud7b0-\ud7c6][\u11a8-\u11ff\ud7cb-\ud7fb]?|.)` +
    String.raw`[\p{M}\uff9e\uff9f\u11a8-\u11ff${INVISIBLE}]*`,
  'gsv',
);

/**
 * Combining accents, Hebrew points, Arabic vowel signs and the frames of keycaps, and what is invisible. Indic vowel signs are
 * kept, since they carry meaning.
 */
export const IGNORED_MARKS = new RegExp(
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
export function* innerWords(word: string): Generator<readonly [part: string, start: number]> {
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
export function composeJoined(text: string): string {
  if (!text.includes(ZWJ)) return text;
  return text.replaceAll(
    JOINED_LETTER,
    (joined, letters: string) => LETTERS_OF_JOINED.get(letters) ?? joined,
  );
}

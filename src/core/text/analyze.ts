import { stemmer } from 'stemmer';

/**
 * The one analyzer: stores index its terms, queries are made of its terms, snippets mark its terms.
 * A run of letters and digits is a word: folded (NFKC, lower case, no accents), then stemmed (Porter 1980).
 * Chinese, Japanese and Korean have no usable spaces: a run of theirs becomes overlapping bigrams and
 * its last character, so that a query of one character can match by prefix.
 */
export interface Token {
  /** What is indexed and compared. */
  readonly term: string;
  /** The word as written, folded but not stemmed. */
  readonly surface: string;
  /** Offsets into the text, UTF-16 code units, end exclusive. */
  readonly start: number;
  readonly end: number;
  readonly kind: TokenKind;
}

/** `tail` is the last character of a CJK run: indexed, never queried. */
export type TokenKind = 'word' | 'bigram' | 'tail';

const WORD = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu;
/** With the voicing marks that stand alone in decomposed and half-width Japanese, and the half-width ー. */
const CJK_RUN =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー々〆\u3099\u309a\uff70\uff9e\uff9f]+/gu;
/** A character as people count them: decomposed, a Korean syllable is two or three, a voiced kana two. */
const CJK_CHARACTER =
  /[\u1100-\u115f\ua960-\ua97f][\u1160-\u11a7\ud7b0-\ud7c6][\u11a8-\u11ff\ud7cb-\ud7fb]?|.[\u3099\u309a\uff9e\uff9f\u11a8-\u11ff]*/gsu;
const CJK = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;
const ASCII_WORD = /^[a-z0-9]+$/;
/** Combining accents, Hebrew points and Arabic vowel signs; Indic vowel signs carry meaning and stay. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u0652]/g;
const POSSESSIVE = /['’]s$/;
const APOSTROPHE = /['’]/g;
/** Longer runs are not words anybody searches for; they would only bloat the index. */
const MAX_TERM_LENGTH = 64;

/** Stems of recent words, and of those before them: when the one is full, the other goes. */
const STEM_CACHE_SIZE = 50_000;
let stems = new Map<string, string>();
let olderStems = new Map<string, string>();

/** Compatibility forms, case and accents removed; the form in which words are compared. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (ASCII_WORD.test(lower)) return lower;
  return lower.normalize('NFKD').replace(ACCENTS, '').normalize('NFC').toLowerCase();
}

/** Stem of a folded word; only plain Latin words have suffixes that Porter knows. */
export function stem(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const stemmed = olderStems.get(word) ?? (ASCII_WORD.test(word) && word.length > 2 ? stemmer(word) : word);
  if (stems.size >= STEM_CACHE_SIZE) {
    olderStems = stems;
    stems = new Map();
  }
  stems.set(word, stemmed);
  return stemmed;
}

/** Every token of a text, in order; of its first `words` runs of letters only, if given. */
export function analyze(text: string, words: number = Number.POSITIVE_INFINITY): Token[] {
  const tokens: Token[] = [];
  let left = words;
  for (const match of text.matchAll(WORD)) {
    if (left-- <= 0) break;
    const word = match[0];
    const start = match.index;
    const lower = word.toLowerCase();
    // Most words of most texts: nothing to fold or to take apart.
    if (ASCII_WORD.test(lower)) pushToken(lower, start, start + word.length, tokens);
    else if (CJK.test(word)) pushMixed(word, start, tokens);
    else pushWord(word, start, tokens);
  }
  return tokens;
}

/** Folding may bring signs in between: `½` is "1⁄2", two words of one place. */
function pushWord(word: string, start: number, tokens: Token[]): void {
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

/** To a length, but not within a character of two code units. */
function cut(word: string): string {
  return word.length <= MAX_TERM_LENGTH
    ? word
    : word.slice(0, MAX_TERM_LENGTH).replace(/[\ud800-\udbff]$/, '');
}

function pushMixed(word: string, start: number, tokens: Token[]): void {
  let rest = 0;
  for (const run of word.matchAll(CJK_RUN)) {
    if (run.index > rest) pushWord(word.slice(rest, run.index), start + rest, tokens);
    pushBigrams(run[0], start + run.index, tokens);
    rest = run.index + run[0].length;
  }
  if (rest < word.length) pushWord(word.slice(rest), start + rest, tokens);
}

function pushBigrams(run: string, start: number, tokens: Token[]): void {
  const characters = run.match(CJK_CHARACTER) ?? [];
  let offset = start;
  for (const [index, character] of characters.entries()) {
    const next = characters[index + 1];
    const surface = fold(character + (next ?? ''));
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

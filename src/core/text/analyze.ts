import { stemmer } from 'stemmer';
import type { Span } from '../types.ts';
import {
  CHARACTER,
  composeJoined,
  HAS_UNSPACED,
  hasInnerSpace,
  IGNORED_MARKS,
  innerWords,
  UNSPACED_RUN,
  WORD,
} from './word-runs.ts';

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

/** The form in which words are compared: without case, accents and compatibility forms. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (ASCII_WORD.test(lower)) return lower;
  return composeJoined(lower).normalize('NFKD').replace(IGNORED_MARKS, '').normalize('NFC').toLowerCase();
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

/** These characters fold to themselves, and none is a mark. */
const ONLY_HAN = /^[\u4e00-\u9fff]+$/;

function pushBigrams(run: string, start: number, tokens: Token[]): void {
  if (ONLY_HAN.test(run)) {
    for (let i = 0; i < run.length; i++) {
      const surface = run.slice(i, i + 2);
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

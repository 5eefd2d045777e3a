import { fold } from '../text/analyze.ts';
import type { Span } from '../types.ts';

/**
 * A word of a name or of a text in which names are searched: a run of letters and digits, folded, or a single character
 * of Chinese, Japanese or Korean, which do not separate words by spaces.
 */
export interface NameWord extends Span {
  /** The folded word, or `BREAK` for the end of a phrase. */
  readonly word: string;
  /** Line of the text, from 1. */
  readonly line: number;
}

/**
 * Stands between words that are not of one phrase, such as the last word of a sentence and the first of the next. Names
 * have it too: "Berlin, Germany" is found with the comma only.
 */
export const BREAK = '|';

/**
 * Links of notes and web addresses, which are no mention of what they contain, and words. The lengths are limited, because
 * every unclosed `[[` is otherwise read to the end of its line.
 */
const TOKEN = /\[\[[^[\]\n]{1,500}\]\]|https?:\/\/[^\s<>"]+|[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu;
const CJK = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;
/** A character of these scripts with its combining marks, or a run of others. */
const CJK_OR_RUN =
  /[\u1100-\u115f\ua960-\ua97f][\u1160-\u11a7\ud7b0-\ud7c6][\u11a8-\u11ff\ud7cb-\ud7fb]?|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー々〆\uff70][\u3099\u309a\uff9e\uff9f\u11a8-\u11ff]*|[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー々〆\uff70]+/gu;
const POSSESSIVE = /['’]s$/i;
const APOSTROPHE_OR_SPACE = /['’\s]/g;
/** Emphasis of Markdown, which is not part of the text. */
const EMPHASIS = /[*_`~]+/g;
/** Spaces with at most one line break, or one or two other characters: "New York", "Node.js", "R&D". */
const JOINING_GAP = /^(?:[^\S\n]*\n?[^\S\n]*|[^\s()[\]{}<>|"“”„«»「」『』《》〈〉【】、，。；：！？]{1,2})$/u;
/** Longer words are truncated as in the text analyzer. */
const MAX_WORD_LENGTH = 64;

/** Calls `visit` for every word of a text in order, and for the breaks between them. Takes time in proportion to the text. */
export function visitNameWords(text: string, visit: (word: NameWord) => void): void {
  const position = new Position(text);
  let previousEnd = -1;
  for (const match of text.matchAll(TOKEN)) {
    const [token] = match;
    const start = match.index;
    const end = start + token.length;
    const isBreak = previousEnd >= 0 && position.isBreak(previousEnd, start);
    const line = position.advance(start);
    if (token.startsWith('[[') || /^https?:\/\//.test(token)) {
      if (previousEnd >= 0) visit({ word: BREAK, start, end, line });
    } else {
      if (isBreak) visit({ word: BREAK, start: previousEnd, end: start, line });
      visitToken(token, start, line, visit);
    }
    previousEnd = end;
  }
}

function visitToken(token: string, start: number, line: number, visit: (word: NameWord) => void): void {
  if (!CJK.test(token)) {
    const word = foldWord(token.replace(POSSESSIVE, ''));
    if (word !== '') visit({ word, start, end: start + token.length, line });
    return;
  }
  for (const part of token.matchAll(CJK_OR_RUN)) {
    const word = foldWord(part[0]);
    const from = start + part.index;
    if (word !== '') visit({ word, start: from, end: from + part[0].length, line });
  }
}

/** A few compatibility characters fold to several words, which count as one. */
function foldWord(token: string): string {
  return fold(token).replace(APOSTROPHE_OR_SPACE, '').slice(0, MAX_WORD_LENGTH).toWellFormed();
}

export function isCjkWord(word: string): boolean {
  return CJK.test(word);
}

/** Counts lines while a text is read from the start to the end. */
class Position {
  readonly #text: string;
  #line = 1;
  /** The end of the line: a long one is not searched again for each word. */
  #end: number;
  #isHeading: boolean;

  constructor(text: string) {
    this.#text = text;
    this.#end = endOfLine(text, 0);
    this.#isHeading = text.startsWith('#');
  }

  /** Moves to an offset and returns its line. */
  advance(offset: number): number {
    while (this.#end < offset) {
      this.#line++;
      this.#isHeading = this.#text.startsWith('#', this.#end + 1);
      this.#end = endOfLine(this.#text, this.#end + 1);
    }
    return this.#line;
  }

  /** Whether what is between two words separates phrases. The end of a heading does. */
  isBreak(from: number, to: number): boolean {
    if (to === from) return false;
    const gap = this.#text.slice(from, Math.min(to, from + 200));
    if (to - from > 200) return true;
    if (gap === ' ') return false;
    if (gap.includes('\n') && this.#isHeading) return true;
    return !JOINING_GAP.test(gap.replace(EMPHASIS, ''));
  }
}

/** The offset of the next line break; `Infinity` after the last. */
function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? Infinity : end;
}

/**
 * Lines for a terminal. `wrap-ansi` is not used: it breaks either no long word or every one, while words of scripts without spaces are
 * to break and URLs are not, and it does not tell where in the text a word was.
 */

import { splitGraphemes, textWidth } from './text-width.ts';

interface Word {
  readonly text: string;
  /** Offset in the original text. */
  readonly start: number;
  /** Whether it continues the previous word without a space. */
  readonly joined: boolean;
}

/**
 * Breaks text between words into lines of at most `columns` columns; each run of white space counts as one space. Long
 * words, and text written without spaces, break between characters. A URL never breaks, so that a terminal can open it; its
 * line may be longer.
 * @param styleWord styles a word, given the word and its offset in the text
 */
export function wrap(
  text: string,
  columns: number,
  styleWord: (word: string, start: number) => string = (word) => word,
): string[] {
  const lines: string[] = [];
  let line = '';
  let width = 0;
  for (const word of wordsOf(text, columns)) {
    const space = line === '' || word.joined ? 0 : 1;
    const wordWidth = textWidth(word.text);
    if (width > 0 && width + space + wordWidth > columns) {
      lines.push(line);
      [line, width] = ['', 0];
    }
    const gap = line === '' || word.joined ? '' : ' ';
    line += gap + styleWord(word.text, word.start);
    width += gap.length + wordWidth;
  }
  return line === '' ? lines : [...lines, line];
}

/** URLs have only these characters, so that such a run has the whole URL, with the punctuation around it. */
const ASCII_RUN = /([!-~]+)/;

function hasUrl(run: string): boolean {
  return /[a-z\d]:\/\/[!-~]/i.test(run);
}

function* wordsOf(text: string, columns: number): Generator<Word> {
  for (const { 0: word, index } of text.matchAll(/\S+/g)) {
    if (textWidth(word) <= columns / 2) {
      yield { text: word, start: index, joined: false };
      continue;
    }
    let start = index;
    for (const piece of word.split(ASCII_RUN)) {
      for (const text of hasUrl(piece) ? [piece] : splitGraphemes(piece)) {
        yield { text, start, joined: start > index };
        start += text.length;
      }
    }
  }
}

/** Joins items with commas into lines of at most `columns` columns. No item is broken, so that a line may be longer. */
export function wrapItems(items: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  for (const [i, item] of items.entries()) {
    const text = i === items.length - 1 ? item : `${item},`;
    const last = lines.at(-1);
    if (last === undefined || textWidth(last) + 1 + textWidth(text) > columns) lines.push(text);
    else lines[lines.length - 1] = `${last} ${text}`;
  }
  return lines;
}

export function indent(lines: readonly string[], by: string): string[] {
  return lines.map((line) => (line === '' ? '' : by + line));
}

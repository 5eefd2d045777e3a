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
 * words, and text written without spaces, break between characters.
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

function* wordsOf(text: string, columns: number): Generator<Word> {
  for (const { 0: word, index } of text.matchAll(/\S+/g)) {
    if (textWidth(word) <= columns / 2) {
      yield { text: word, start: index, joined: false };
      continue;
    }
    let start = index;
    for (const grapheme of splitGraphemes(word)) {
      yield { text: grapheme, start, joined: start > index };
      start += grapheme.length;
    }
  }
}

export function indent(lines: readonly string[], by: string): string[] {
  return lines.map((line) => (line === '' ? '' : by + line));
}

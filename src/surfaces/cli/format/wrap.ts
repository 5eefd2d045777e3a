import { splitGraphemes, textWidth } from './text-width.ts';

/** A run of text without white space, and where it began. */
interface Word {
  readonly text: string;
  readonly start: number;
}

/**
 * Breaks text between words into lines of at most so many columns; white space counts as one space each. A word that
 * fits on no line, and text that is written without spaces, breaks between characters. `paint` gets each word with
 * the offset at which it stood.
 */
export function wrap(
  text: string,
  columns: number,
  paint: (word: string, start: number) => string = (word) => word,
): string[] {
  const lines: string[] = [];
  let line = '';
  let width = 0;
  for (const word of wordsOf(text, columns)) {
    const space = line === '' || word.joined ? 0 : 1;
    const wide = textWidth(word.text);
    if (width > 0 && width + space + wide > columns) {
      lines.push(line);
      [line, width] = ['', 0];
    }
    const gap = line === '' || word.joined ? '' : ' ';
    line += gap + paint(word.text, word.start);
    width += gap.length + wide;
  }
  return line === '' ? lines : [...lines, line];
}

/** `joined` words follow the one before without a space. */
function* wordsOf(text: string, columns: number): Generator<Word & { readonly joined: boolean }> {
  for (const { 0: whole, index } of text.matchAll(/\S+/g)) {
    if (textWidth(whole) <= columns / 2) {
      yield { text: whole, start: index, joined: false };
      continue;
    }
    let start = index;
    for (const piece of splitGraphemes(whole)) {
      yield { text: piece, start, joined: start > index };
      start += piece.length;
    }
  }
}

export function indent(lines: readonly string[], by: string): string[] {
  return lines.map((line) => (line === '' ? '' : by + line));
}

/**
 * The columns of text in a terminal. `string-width` is not used, because to load it takes 18 ms of each command; the widths of
 * characters are from the package that it uses.
 */

import { eastAsianWidth } from 'get-east-asian-width';

/** Made at its first use, which takes as long as the start of a short command. */
let segmenter: Intl.Segmenter | undefined;
const ASCII = /^[\u0000-\u007f]*$/;
const EMOJI = /^\p{Emoji_Presentation}|^\p{Emoji}\ufe0f/u;
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

/** Splits text into characters as a reader perceives them. */
export function splitGraphemes(text: string): string[] {
  if (ASCII.test(text)) return [...text];
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** The columns that a terminal needs for one line of text without escape sequences. */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  return splitGraphemes(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0);
}

function graphemeWidth(grapheme: string): number {
  if (ZERO_WIDTH.test(grapheme)) return 0;
  return EMOJI.test(grapheme) ? 2 : eastAsianWidth(grapheme.codePointAt(0)!);
}

/** Cuts text that is wider than `columns`, and ends it with an ellipsis. */
export function clip(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let width = 0;
  let clipped = '';
  for (const grapheme of splitGraphemes(text)) {
    width += graphemeWidth(grapheme);
    if (width > columns - 1) break;
    clipped += grapheme;
  }
  return `${clipped.trimEnd()}…`;
}

export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - textWidth(text)));
}

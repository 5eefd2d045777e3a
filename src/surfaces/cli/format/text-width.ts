/** Made at its first use, which takes as long as the start of a short command. */
let segmenter: Intl.Segmenter | undefined;
const ASCII = /^[\u0000-\u007f]*$/;
/** East Asian Wide and Fullwidth (UAX #11), by blocks. */
const WIDE =
  /^[\u1100-\u115f\u231a\u231b\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;
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
  return WIDE.test(grapheme) || EMOJI.test(grapheme) ? 2 : 1;
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

export function padStart(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - textWidth(text))) + text;
}

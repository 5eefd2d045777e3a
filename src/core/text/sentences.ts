import type { Span } from '../types.ts';

/** What ends lines and sentences: a full stop with closing marks before a space, or one of Chinese and Japanese. */
const BOUNDARY = /\n+|[.!?…]["')\]}”’»*_]{0,4}\s+|[。！？｡][」』）】》]*/gu;
/** The marks of headings, quotes, list items and tasks. */
const LINE_MARKS = /^(?:[\s#>*+-]|\d+[.)](?=\s)|\[.\](?=\s))+/u;
const WORD = /\p{L}{2}/u;

/** The sentences and lines of a text that are not empty, without the white space after them: UTF-16 code units, end exclusive. */
export function sentenceBounds(text: string): Span[] {
  const bounds: Span[] = [];
  let start = 0;
  for (const { 0: boundary, index } of text.matchAll(BOUNDARY)) {
    const end = index + boundary.trimEnd().length;
    if (end > start) bounds.push({ start, end });
    start = index + boundary.length;
  }
  if (start < text.length) bounds.push({ start, end: text.length });
  return bounds;
}

/** The sentences, headings and items of a Markdown text that have a word, in order and without the marks of their line. */
export function sentencesOf(text: string): string[] {
  return sentenceBounds(text)
    .map(({ start, end }) => text.slice(start, end).replace(LINE_MARKS, '').trim())
    .filter((sentence) => WORD.test(sentence));
}

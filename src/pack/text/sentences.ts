import { cutOffset } from '../../core/text/cut-offset.ts';
import type { Span } from '../../core/types.ts';
import { trimSpan } from './span.ts';

/** Longer sentences are cut, because they are lists or data. UTF-16 code units. */
const MAX_SENTENCE = 500;

/**
 * Ends of sentences: in Chinese and Japanese always, elsewhere before white space. Closing marks belong to the sentence. A match
 * begins only at the first of several marks, because the time would be quadratic in their number otherwise.
 */
const SENTENCE_END = /[。！？｡]+[)\]}”’»」』）】〉》"']*|(?<![.!?…])[.!?…]+[)\]}”’»"'*_]*(?=\s)/gu;

/** Words after whose full stop a sentence usually continues, in English and German. Lower case. */
const ABBREVIATIONS: ReadonlySet<string> = new Set(
  (
    'dr prof mr mrs ms jr sr st vs etc eg ie cf al fig no nos vol pp ed eds est inc ltd co corp dept approx ' +
    'ca bzw usw vgl evtl ggf inkl exkl nr str tel abs art bspw sog zzgl mind max min mio mrd hr fr geb jh jhd'
  ).split(' '),
);
const LAST_WORD = /[\p{L}\p{N}.]+$/u;
/** The text that may begin a sentence: anything but a small letter. */
const CONTINUES = /^\s+\p{Ll}/u;

/** The sentences of a span of prose, without the white space between them. Every other character is in one of them. */
export function sentenceSpans(text: string, { start, end }: Span): Span[] {
  const prose = text.slice(start, end);
  const sentences: Span[] = [];
  let from = 0;
  const push = (to: number): void => {
    for (const span of cutLong(text, { start: start + from, end: start + to })) sentences.push(span);
    from = to;
  };
  for (const { 0: mark, index } of prose.matchAll(SENTENCE_END))
    if (endsSentence(prose, from, index, mark)) push(index + mark.length);
  push(prose.length);
  return sentences;
}

function endsSentence(prose: string, from: number, index: number, mark: string): boolean {
  if (!mark.startsWith('.') || mark.startsWith('..')) return true;
  const after = index + mark.length;
  if (CONTINUES.test(prose.slice(after, after + 8))) return false;
  const before = LAST_WORD.exec(prose.slice(Math.max(from, index - 24), index))?.[0] ?? '';
  // "z. B.", "J. S. Bach", "e.g.", and the German ordinal of "am 3. Mai"; but not "32 A.".
  const isUnit = /\d\s*\p{L}$/u.test(prose.slice(Math.max(from, index - 24), index));
  if ((/^\p{L}$/u.test(before) && !isUnit) || /\p{L}\.\p{L}$/u.test(before) || /^\d{1,2}$/.test(before))
    return false;
  return !ABBREVIATIONS.has(before.replaceAll('.', '').toLowerCase());
}

function cutLong(text: string, given: Span): Span[] {
  const parts: Span[] = [];
  let { start, end } = trimSpan(text, given);
  while (end - start > MAX_SENTENCE) {
    const cut = cutOffset(text, start, start + MAX_SENTENCE, 'sentences');
    parts.push(trimSpan(text, { start, end: cut }));
    ({ start, end } = trimSpan(text, { start: cut, end }));
  }
  if (end > start) parts.push({ start, end });
  return parts;
}

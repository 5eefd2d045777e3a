import { splitsSurrogatePair } from '../../core/text/cut-offset.ts';
import { findTerms } from '../../core/text/additional-terms.ts';
import type { Span } from '../../core/types.ts';
import type { CountTokens } from '../tokens.ts';
import { shownText, trimSpan } from '../text/span.ts';
import { sentenceSpans } from '../text/blocks.ts';

/** The weight of each index term of the query. */
export type TermWeights = ReadonlyMap<string, number>;

/**
 * The sentence of a passage that matches a query best: the one whose distinct terms of the query weigh most, the first of equals. For a
 * passage without a term of the query, whose meaning alone matches, this is its first sentence.
 */
export function bestSentence(text: string, passage: Span, terms: TermWeights): Span {
  const sentences = sentenceSpans(text, passage);
  const names = new Set(terms.keys());
  let best = sentences[0] ?? passage;
  let bestWeight = 0;
  for (const sentence of sentences) {
    const found = new Set(
      findTerms(text.slice(sentence.start, sentence.end), names).flatMap(({ term, kind }) =>
        kind === 'tail' ? [] : [term],
      ),
    );
    const weight = [...found].reduce((sum, term) => sum + terms.get(term)!, 0);
    if (weight <= bestWeight) continue;
    best = sentence;
    bestWeight = weight;
  }
  return best;
}

/**
 * L2: the part of a passage around its best sentence that has at least `minTokens`, or all of the passage if it has fewer. The excerpt
 * grows at its end first, since a sentence is explained by what follows it, and ends between words.
 */
export function excerptOf(
  text: string,
  passage: Span,
  best: Span,
  count: CountTokens,
  minTokens: number,
): Span {
  const whole = trimSpan(text, passage);
  const tokens = (span: Span): number => count(shownText(text.slice(span.start, span.end)));
  if (tokens(whole) <= minTokens + SLACK_TOKENS) return whole;
  if (tokens(best) >= minTokens) return best;
  const after = growUntil(minTokens, best.end, whole.end, (end) => tokens({ start: best.start, end }));
  const end = after === whole.end ? after : wordEnd(text, after, whole.end);
  if (tokens({ start: best.start, end }) >= minTokens) return trimSpan(text, { start: best.start, end });
  const before = growUntil(minTokens, -best.start, -whole.start, (start) => tokens({ start: -start, end }));
  return trimSpan(text, { start: wordStart(text, -before, whole.start), end });
}

/** A rest of fewer tokens is not worth a cut. */
const SLACK_TOKENS = 12;

/** Few tokens are longer on average, UTF-16 code units. */
const LONG_TOKEN = 6;
/** The end moves to the next space anyway, UTF-16 code units. */
const PRECISION = 4;

/**
 * An offset between `from` and `limit` at which there are enough tokens, close to the smallest; `limit` if there is none. By bisection.
 */
function growUntil(enough: number, from: number, limit: number, tokens: (offset: number) => number): number {
  let low = from;
  let high = Math.min(limit, from + enough * LONG_TOKEN);
  if (high < limit && tokens(high) < enough) [low, high] = [high, limit];
  while (high - low > PRECISION) {
    const middle = Math.floor((low + high) / 2);
    if (tokens(middle) >= enough) high = middle;
    else low = middle + 1;
  }
  return high;
}

/** How far an end moves to fall between two words, UTF-16 code units. */
const MAX_SHIFT = 40;

function wordEnd(text: string, offset: number, limit: number): number {
  const far = Math.min(limit, offset + MAX_SHIFT);
  for (let at = offset; at < far; at++) if (/\s/.test(text[at]!)) return at;
  return far === limit ? limit : offset + (splitsSurrogatePair(text, offset) ? 1 : 0);
}

function wordStart(text: string, offset: number, limit: number): number {
  const far = Math.max(limit, offset - MAX_SHIFT);
  for (let at = offset; at > far; at--) if (/\s/.test(text[at - 1]!)) return at;
  return far === limit ? limit : offset - (splitsSurrogatePair(text, offset) ? 1 : 0);
}

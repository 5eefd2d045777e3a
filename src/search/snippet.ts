import { findTerms } from '../core/text/additional-terms.ts';
import type { Token } from '../core/text/analyze.ts';
import { sentenceBounds } from '../core/text/sentences.ts';
import type { Span } from '../core/types.ts';

/** A part of a passage around its matched words. */
export interface Snippet {
  readonly text: string;
  /** Offsets of the matched words in `text`: UTF-16 code units, end exclusive, in order. */
  readonly marks: readonly (readonly [start: number, end: number])[];
}

/** Approximate length of a snippet, UTF-16 code units. */
export const SNIPPET_LENGTH = 280;
const ELLIPSIS = '…';
/** How far an edge may move to fall between two words, UTF-16 code units. */
const MAX_EDGE_SHIFT = 24;

/**
 * The sentences with the most different matched terms (then the most matches, then the earliest), with as many of those after and before
 * them as fit. A longer sentence is cut between words. The beginning of a text without matched terms.
 * @param terms analyzer terms
 */
export function snippet(text: string, terms: ReadonlySet<string>, length: number = SNIPPET_LENGTH): Snippet {
  const matches = findTerms(text, terms).filter(({ kind }) => kind !== 'tail');
  const { start: from, end: to } =
    text.length <= length * 1.2 ? { start: 0, end: text.length } : window(text, matches, length);
  const before = from > 0 ? ELLIPSIS : '';
  const after = to < text.length ? ELLIPSIS : '';
  const marks: [number, number][] = [];
  for (const { start, end } of matches) {
    if (start < from || end > to) continue;
    const shift = before.length - from;
    const last = marks.at(-1);
    // Bigrams overlap: a run of them gets one mark.
    if (last !== undefined && start + shift <= last[1]) last[1] = end + shift;
    else marks.push([start + shift, end + shift]);
  }
  return { text: before + text.slice(from, to) + after, marks };
}

/** Properties before the text of a snippet. */
const MAX_PROPERTIES = 3;
/** UTF-16 code units. */
const PROPERTY_LENGTH = 100;
const SEPARATOR = ' · ';

/**
 * The snippet of a passage, after those properties of its note (`birthday: 1988-03-17`) that have terms which are in
 * neither the passage nor its title and headings (`above`).
 */
export function snippetWithProperties(
  passage: { readonly text: string; readonly above: string },
  properties: readonly string[],
  terms: ReadonlySet<string>,
  length: number = SNIPPET_LENGTH,
): Snippet {
  const onlyInProperties = termsWithin(properties.join('\n'), terms);
  for (const term of termsWithin(`${passage.above}\n${passage.text}`, onlyInProperties))
    onlyInProperties.delete(term);
  const matching = properties
    .filter((line) => termsWithin(line, onlyInProperties).size > 0)
    .slice(0, MAX_PROPERTIES);
  if (matching.length === 0) return snippet(passage.text, terms, length);
  const shown = matching.map((line) => snippet(line, terms, PROPERTY_LENGTH));
  const head = shown.reduce((before, next) => joined(before, SEPARATOR, next));
  if (passage.text.trim() === '') return head;
  return joined(head, '\n\n', snippet(passage.text, terms, length - Math.floor(head.text.length / 2)));
}

function termsWithin(text: string, terms: ReadonlySet<string>): Set<string> {
  return new Set(findTerms(text, terms).flatMap(({ term, kind }) => (kind === 'tail' ? [] : [term])));
}

function joined(before: Snippet, between: string, after: Snippet): Snippet {
  const text = before.text + between;
  const moved = after.marks.map(([start, end]) => [start + text.length, end + text.length] as const);
  return { text: text + after.text, marks: [...before.marks, ...moved] };
}

function window(text: string, matches: readonly Token[], length: number): Span {
  const sentences = sentenceBounds(text);
  /** The sentence that each match begins in. */
  const places: number[] = [];
  let at = 0;
  for (const { start } of matches) {
    while (sentences[at]!.end <= start) at++;
    places.push(at);
  }
  const fits = (from: number, to: number): boolean =>
    sentences[from] !== undefined &&
    sentences[to] !== undefined &&
    sentences[to].end - sentences[from].start <= length;
  const first = bestMatch(matches, (i, j) => places[i] === places[j] || fits(places[i]!, places[j]!));
  let [from, to] = [places[first] ?? 0, places[first] ?? 0];
  if (!fits(from, to)) return edges(text, matches[first]?.start ?? 0, length);
  while (fits(from, to + 1)) to++;
  while (fits(from - 1, to)) from--;
  return { start: from === 0 ? 0 : sentences[from]!.start, end: sentences[to]!.end };
}

/** The first match of the best window. @param isNear whether a window has both of two matches */
function bestMatch(matches: readonly Token[], isNear: (first: number, other: number) => boolean): number {
  let best = { first: 0, distinct: 0, count: 0 };
  const inside = new Map<string, number>();
  let last = 0;
  for (const [first, match] of matches.entries()) {
    while (last < matches.length && isNear(first, last)) {
      const { term } = matches[last]!;
      inside.set(term, (inside.get(term) ?? 0) + 1);
      last++;
    }
    const count = last - first;
    if (inside.size > best.distinct || (inside.size === best.distinct && count > best.count))
      best = { first, distinct: inside.size, count };
    const left = (inside.get(match.term) ?? 0) - 1;
    if (left > 0) inside.set(match.term, left);
    else inside.delete(match.term);
  }
  return best.first;
}

/** A third of the window is before the match; both edges move to the nearest space. */
function edges(text: string, start: number, length: number): Span {
  let from = Math.max(0, start - Math.floor(length / 3));
  if (from < MAX_EDGE_SHIFT) from = 0;
  const to = Math.min(text.length, from + length);
  return {
    start: from === 0 ? 0 : between(text, from),
    end: to === text.length ? to : between(text, to),
  };
}

function between(text: string, index: number): number {
  for (let offset = 0; offset <= MAX_EDGE_SHIFT; offset++) {
    if (/\s/.test(text.charAt(index + offset))) return index + offset;
    if (/\s/.test(text.charAt(index - offset))) return index - offset;
  }
  // There is no space near (Chinese, a long word): the cut must not be within a code point.
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff ? index + 1 : index;
}

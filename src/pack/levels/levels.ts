import type { Span } from '../../core/types.ts';
import { analyze } from '../../core/text/analyze.ts';
import { functionWordTest } from '../../core/names/name.ts';
import { describedIn, outlineOf, type BlockKind, sentenceSpans } from '../text/blocks.ts';
import { overlaps, trimSpan } from '../text/span.ts';
import { cutOffset } from '../../core/text/cut-offset.ts';

/** A sentence, heading, item or row of a text. */
interface Sentence extends Span {
  readonly kind: BlockKind;
  /** The level of a heading; else 0. */
  readonly depth: number;
}

/** The text of a record, split for its levels. */
interface SplitText {
  readonly text: string;
  /** What front matter says that the text is; `null` if it says nothing. */
  readonly description: Span | null;
  /** In order, without those that have a credential. */
  readonly sentences: readonly Sentence[];
}

/** What follows in longer texts is in no level: a summary of 500 pages is not worth the time. UTF-16 code units. */
const MAX_LENGTH = 200_000;

/** @param secrets credentials in the text, in order: no level has a sentence with one */
export function splitText(content: string, secrets: readonly Span[] = []): SplitText {
  const text = content.length > MAX_LENGTH ? content.slice(0, MAX_LENGTH) : content;
  const { frontMatter, blocks } = outlineOf(text);
  const isSafe = (span: Span): boolean => !secrets.some((secret) => overlaps(secret, span));
  const described = frontMatter === null ? null : describedIn(text, frontMatter);
  return {
    text,
    description: described !== null && isSafe(described) ? described : null,
    sentences: blocks
      .flatMap(({ kind, depth, ...block }): Sentence[] =>
        kind === 'comment'
          ? []
          : kind === 'prose' || kind === 'item'
            ? sentenceSpans(text, block).map((span) => ({ ...span, kind, depth }))
            : [{ ...trimSpan(text, block), kind, depth }],
      )
      .filter(isSafe),
  };
}

/** The distinct words of a span that can say what it is about: index terms, without function words. */
function contentTerms(text: string, { start, end }: Span): Set<string> {
  const tokens = analyze(text.slice(start, end)).filter(({ kind }) => kind !== 'tail');
  const isFunctionWord = functionWordTest(tokens.map(({ surface }) => surface));
  return new Set(tokens.flatMap(({ term, surface }) => (isFunctionWord(surface) ? [] : [term])));
}

/** UTF-16 code units. */
const MAX_ABSTRACT = 200;
/** How many sentences may say what the text is. */
const MAX_DEFINING_SENTENCES = 5;

/** A sentence that defines something, in English, German, Chinese and Japanese. */
const DEFINES = /\b(?:is|are|was|were|describes|explains|ist|sind|war|beschreibt|erklärt)\b|是|とは|である/iu;

/**
 * L0: the sentence that says what a text is. This is the description in front matter, else a sentence of the lead that defines the
 * title, else the first sentence. `null` for a text without one.
 */
export function abstractOf({ text, description, sentences }: SplitText, title: string): Span | null {
  if (description !== null) return shortened(text, description);
  const lead = sentences.filter(({ kind }) => kind === 'prose').slice(0, MAX_DEFINING_SENTENCES);
  const name = title.toLowerCase();
  const defining = lead.find((span) => {
    const sentence = text.slice(span.start, span.end);
    return name !== '' && sentence.toLowerCase().includes(name) && DEFINES.test(sentence);
  });
  const chosen = defining ?? lead[0] ?? sentences.find(({ kind }) => kind !== 'heading' && kind !== 'code');
  return chosen === undefined ? null : shortened(text, chosen);
}

function shortened(text: string, { start, end }: Span): Span {
  const newline = text.indexOf('\n\n', start);
  const stop = newline < 0 ? end : Math.min(end, newline);
  if (stop - start <= MAX_ABSTRACT) return trimSpan(text, { start, end: stop });
  return trimSpan(text, { start, end: cutOffset(text, start, start + MAX_ABSTRACT, 'sentences') });
}

/** Length of a summary, UTF-16 code units: about 300 tokens of English. */
const MAX_SUMMARY = 1200;
const LEAD_SENTENCES = 2;
/** Headings deeper than this are no outline. */
const MAX_OUTLINE_DEPTH = 3;

const DECISION =
  /\b(?:decided|decision|agreed|resolved|settled on|we chose|beschlossen|beschluss|entschieden|entscheidung|vereinbart|festgelegt)\b|决定|決定|决议|決議|合意/iu;
const DATE =
  /\b\d{4}-\d{2}(?:-\d{2})?\b|\b\d{1,2}\.\s?\d{1,2}\.\s?\d{2,4}\b|\b(?:jan|feb|mar|mär|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])\p{L}*\.? \d{1,4}\b|\b\d{1,2}\.? (?:jan|feb|mar|mär|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])\p{L}*\b|\d{1,2}月\d{1,2}日/iu;

/**
 * L1: a summary of the text's own sentences, in their order. It has the description in front matter, the lead, open tasks,
 * decisions, the outline and dates, and of what is left the most central sentences (SumBasic: Nenkova & Vanderwende 2005, without
 * its update between sentences of one document).
 */
export function summaryOf({ text, description, sentences }: SplitText): Span[] {
  /** In the order in which they are chosen, and how much of the summary the sentences of a kind may take together. */
  const candidates: readonly (readonly [sentences: readonly Span[], share: number])[] = [
    [description === null ? [] : [description], 0.3],
    [sentences.filter(({ kind }) => kind === 'prose').slice(0, LEAD_SENTENCES), 0.4],
    [sentences.filter(({ kind }) => kind === 'task'), 0.3],
    [sentences.filter(matching(text, DECISION)), 0.3],
    [sentences.filter(({ depth }) => depth > 0 && depth <= MAX_OUTLINE_DEPTH), 0.25],
    [sentences.filter(matching(text, DATE)), 0.2],
    [mostCentral(text, sentences), 1],
  ];
  const parts: Span[] = [];
  const said = new Set<string>();
  let left = MAX_SUMMARY;
  for (const [spans, share] of candidates) {
    let room = Math.min(left, MAX_SUMMARY * share);
    for (const { start, end } of spans) {
      const length = end - start + 1;
      const sentence = text.slice(start, end);
      if (length > room || said.has(sentence)) continue;
      said.add(sentence);
      parts.push({ start, end });
      room -= length;
      left -= length;
    }
  }
  return parts.toSorted((a, b) => a.start - b.start);
}

function matching(text: string, pattern: RegExp): (sentence: Sentence) => boolean {
  return ({ kind, start, end }) =>
    (kind === 'prose' || kind === 'item' || kind === 'done') && pattern.test(text.slice(start, end));
}

/** Sentences by the mean frequency of their words in the text, the highest first, ties in order. */
function mostCentral(text: string, sentences: readonly Sentence[]): Span[] {
  const prose = sentences.filter(({ kind }) => kind === 'prose' || kind === 'item');
  const terms = prose.map((sentence) => contentTerms(text, sentence));
  const frequency = new Map<string, number>();
  for (const each of terms) for (const term of each) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  const scores = terms.map((each) => {
    let sum = 0;
    for (const term of each) sum += frequency.get(term)! - 1;
    return each.size < MIN_TERMS ? 0 : sum / each.size;
  });
  return prose
    .map((_, i) => i)
    .toSorted((a, b) => scores[b]! - scores[a]!)
    .map((i) => prose[i]!);
}

/** A sentence of fewer words says too little to be central. */
const MIN_TERMS = 4;

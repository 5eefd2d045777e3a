import { analyze } from '../../core/text/analyze.ts';
import { functionWordTest } from '../../core/names/name.ts';
import type { Span } from '../../core/types.ts';
import { describedIn, outlineOf, type BlockKind } from '../text/blocks.ts';
import { sentenceSpans } from '../text/sentences.ts';
import { overlaps, trimSpan } from '../text/span.ts';

/** A sentence, heading, item or row of a text. */
export interface Sentence extends Span {
  readonly kind: BlockKind;
  /** The level of a heading; else 0. */
  readonly depth: number;
}

/** The text of a record, split for its levels. */
export interface SplitText {
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
export function contentTerms(text: string, { start, end }: Span): Set<string> {
  const tokens = analyze(text.slice(start, end)).filter(({ kind }) => kind !== 'tail');
  const isFunctionWord = functionWordTest(tokens.map(({ surface }) => surface));
  return new Set(tokens.flatMap(({ term, surface }) => (isFunctionWord(surface) ? [] : [term])));
}

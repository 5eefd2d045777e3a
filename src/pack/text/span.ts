import { sha256 } from '../../core/ids.ts';
import type { Span, Trust } from '../../core/types.ts';
import { splitsSurrogatePair } from '../../core/text/cut-offset.ts';
import { removeInvisible } from '../../core/text/invisible-characters.ts';

/** Where a span is in its text, and what it says, as receipts name it. */
interface SourceRange {
  /** Of the UTF-8 text, end exclusive. */
  readonly bytes: Span;
  /** From 1, inclusive. */
  readonly lines: { readonly from: number; readonly to: number };
  readonly hash: string;
}

export function sourceRange(text: string, { start, end }: Span): SourceRange {
  const piece = text.slice(start, end);
  const from = Buffer.byteLength(text.slice(0, start));
  const firstLine = 1 + newlinesIn(text, 0, start);
  return {
    bytes: { start: from, end: from + Buffer.byteLength(piece) },
    lines: { from: firstLine, to: firstLine + newlinesIn(text, start, end - 1) },
    hash: sha256(piece),
  };
}

function newlinesIn(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', start); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Control characters except tabs and ends of lines. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g;
/** The bracket of a tag of a fence, with any spaces and in any case. */
const BRACKET_OF_FENCE = /<(?=[\s/]*loci-)/giu;

/** Begins the first line of every item of a pack, so that no text can look like the beginning of another item. */
export const ITEM_MARK = '◆';
const SHOWN_MARK = '◇';

/** Whose text an item is, as its mark says it. */
export const WRITTEN_BY: Readonly<Record<Trust, string>> = {
  operator: 'the owner',
  agent: 'agents',
  external: 'external sources',
};
/** The bracket of what looks like the mark of a trust class, in any case and with any spaces. */
const BRACKET_OF_TRUST = new RegExp(
  `[(（﹙❨⟮](?=[\\s\\u2800]*by[\\s\\u2800]+(?:${Object.values(WRITTEN_BY).join('|').replaceAll(' ', '[\\s\\u2800]+')})(?![\\p{L}\\p{N}]))`,
  'giu',
);

/**
 * How a pack shows a piece of a text: without characters that a reader does not see, and without what could end the fence, begin an
 * item or pass for the mark of a trust class. Depends on nothing but the piece, so that whoever has the record can make the bytes of the pack again.
 */
export function shownText(piece: string): string {
  return removeInvisible(piece.toWellFormed().replaceAll(CONTROL, ''))
    .replaceAll(BRACKET_OF_FENCE, '‹')
    .replaceAll(ITEM_MARK, SHOWN_MARK)
    .replaceAll(BRACKET_OF_TRUST, '[');
}

/** The span without white space at its edges. */
export function trimSpan(text: string, { start, end }: Span): Span {
  let from = start;
  let to = end;
  while (from < to && isSpace(text, from)) from++;
  while (to > from && isSpace(text, to - 1)) to--;
  return { start: from, end: to };
}

function isSpace(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code <= 0x20 || code === 0xa0 || code === 0x3000 || code === 0xfeff;
}

/** The span with the other half of a code point that it cuts. */
export function extendToCodePoints(text: string, { start, end }: Span): Span {
  const isCut = (offset: number): boolean => splitsSurrogatePair(text, offset);
  return { start: isCut(start) ? start - 1 : start, end: isCut(end) ? end + 1 : end };
}

/** The parts of a span that none of the others covers. The others are in order. */
export function withoutSpans({ start, end }: Span, others: readonly Span[]): Span[] {
  const left: Span[] = [];
  let from = start;
  for (const other of others) {
    if (other.end <= from || other.start >= end) continue;
    if (other.start > from) left.push({ start: from, end: other.start });
    from = Math.max(from, other.end);
  }
  if (from < end) left.push({ start: from, end });
  return left;
}

export function overlaps(a: Span, b: Span): boolean {
  return a.start < b.end && b.start < a.end;
}

/** The lines of offsets in rising order, in time linear in the text, however long its lines are. */
export class LineCounter {
  readonly #text: string;
  #line: number;
  #end: number;

  /** @param first the number of the first line */
  constructor(text: string, first = 1) {
    this.#text = text;
    this.#line = first;
    this.#end = this.#next(0);
  }

  /** The line of an offset that is not before that of the last call. */
  lineOf(offset: number): number {
    while (this.#end < offset) {
      this.#line++;
      this.#end = this.#next(this.#end + 1);
    }
    return this.#line;
  }

  /** The lines of a span as a citation has them: `#L3-L9`. */
  cited({ start, end }: Span): string {
    const from = this.lineOf(start);
    return `#L${String(from)}-L${String(this.lineOf(end))}`;
  }

  #next(from: number): number {
    const end = this.#text.indexOf('\n', from);
    return end < 0 ? Infinity : end;
  }
}

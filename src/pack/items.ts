import type { Span, Trust } from '../core/types.ts';
import { earlierThan } from '../core/valid-until.ts';
import { documentState, shownDay, type Candidate, type PackRecord } from './candidate.ts';
import type { Level } from './receipt.ts';
import { itemText, trustMark, type Item, type ItemPart } from './render.ts';
import type { Section } from './sections/cut.ts';
import { ITEM_MARK, shownText, trimSpan, withoutSpans, LineCounter } from './text/span.ts';
import type { CountTokens } from './tokens.ts';

/** A part of a section, or a run of sections, as an item shows it. */
export interface ShownSpan extends Span {
  /** The words of the headings above it that are not within it, outermost first. */
  readonly headings: readonly Span[];
  readonly tableHead: Span | null;
}

const MASK = '[secret masked]';
/** UTF-16 code units. */
const MAX_TITLE = 120;
const MAX_HEADING = 80;

/** What an item shows of a title: its first line, which cannot begin a line of its own. */
export function titleSpan(title: string): Span {
  const { start, end } = trimSpan(title, { start: 0, end: title.length });
  const line = title.slice(start, end).search(/[\n\r\u0085\u2028\u2029]/);
  return trimSpan(title, { start, end: Math.min(start + MAX_TITLE, line === -1 ? end : start + line) });
}

/** The words of the headings above a section, without those that say the title, which the item shows anyway. */
export function headingsAbove({ title, content }: PackRecord, { start, headings }: Section): Span[] {
  const name = title.trim().toLowerCase();
  return headings.flatMap((heading): Span[] => {
    let from = heading.start;
    while (from < heading.end && content[from] === '#') from++;
    const words = trimSpan(content, { start: from, end: Math.min(heading.end, from + MAX_HEADING) });
    const isShown = heading.start >= start || content.slice(words.start, words.end).toLowerCase() === name;
    return isShown || words.start >= words.end ? [] : [words];
  });
}

/** Sections of a record in its own order as few spans: those that follow each other become one. */
export function joinSections(record: PackRecord, sections: readonly Section[]): ShownSpan[] {
  const { content } = record;
  const spans: ShownSpan[] = [];
  for (const section of sections.toSorted((a, b) => a.start - b.start)) {
    const last = spans.at(-1);
    const isNext = last !== undefined && content.slice(last.end, section.start).trim() === '';
    if (isNext) spans[spans.length - 1] = { ...last, end: section.end };
    else spans.push({ ...section, headings: headingsAbove(record, section) });
  }
  return spans;
}

/**
 * The item of a record: a line that says where it is from, then its spans, without the credentials in them.
 * @param usual the trust class of items without a mark
 */
export function itemOf(
  { record, citation, via, later, secrets }: Candidate,
  candidate: number,
  spans: readonly ShownSpan[],
  usual: Trust,
): Item {
  const { trust, title, content } = record;
  const day = shownDay(record);
  const body: ItemPart[] = [];
  const shown: Span[] = [];
  const lines = new LineCounter(content);
  for (const [i, span] of spans.entries()) {
    const cited = record.origin === 'vault' ? ` ${lines.cited(span)}` : '';
    const path = span.headings
      .filter(({ start }) => !shown.some((each) => each.start <= start && start < each.end))
      .flatMap((heading): ItemPart[] => [' › ', ...masked(heading, secrets, 'L0')]);
    shown.push(span, ...span.headings);
    if (i > 0) body.push(`\n…${cited}`);
    body.push(...path, '\n');
    if (span.tableHead !== null) body.push(...masked(span.tableHead, secrets, 'L2'), '\n');
    body.push(isCutBefore(content, span.start) ? '…' : '', ...masked(span, secrets, 'L2'));
    body.push(isCutAfter(content, span.end) ? '…' : '');
  }
  const header = headerOf({ record, citation, via, ...(later && { later }) }, { usual, day, spans });
  // An earlier record keeps its place behind the later one, whatever else is of its day.
  const groupedBy = later === undefined ? day : null;
  return { candidate, trust, title, content, day: groupedBy, parts: [...header, ...body] };
}

/** Text before it in its line. */
function isCutBefore(content: string, start: number): boolean {
  const lineStart = content.lastIndexOf('\n', start - 1) + 1;
  return content.slice(lineStart, start).trim() !== '';
}

function isCutAfter(content: string, end: number): boolean {
  const lineEnd = content.indexOf('\n', end);
  return content.slice(end, lineEnd < 0 ? content.length : lineEnd).trim() !== '';
}

function headerOf(
  { record, citation, via, later }: Pick<Candidate, 'record' | 'citation' | 'via' | 'later'>,
  {
    usual,
    day,
    spans,
  }: { readonly usual: Trust; readonly day: string | null; readonly spans: readonly Span[] },
): ItemPart[] {
  const header: ItemPart[] = [`${ITEM_MARK}${citedLines(record, citation, spans)}`];
  // The path of a daily note says its day.
  if (day !== null && !citation.includes(day)) header.push({ day });
  const state = day === null ? documentState(record) : null;
  if (state !== null) header.push(` ${state}`);
  header.push(trustMark(record.trust, usual));
  if (via !== null) header.push(` (${shownLine(via)})`);
  if (later !== undefined) header.push(` ${shownLine(earlierThan(later))}`);
  const title = titleSpan(record.title);
  const first = record.content.slice(spans[0]!.start, spans[0]!.end);
  const isSaid = isInCitation(record.title, citation) || beginsWith(first, record.title);
  if (title.end > title.start && !isSaid) header.push(' ', { field: 'title', span: title, level: 'L0' });
  return header;
}

/** `record/12` is `12`, which `memory_get` accepts too: three tokens fewer for each of what may be short messages. */
function citedLines({ origin, content }: PackRecord, citation: string, spans: readonly Span[]): string {
  if (origin !== 'vault') return citation.replace(/^record\//, '');
  return ` ${shownLine(citation)}${new LineCounter(content).cited(spans[0]!)}`;
}

export function shownLine(text: string): string {
  return shownText(text.replaceAll(/\s+/g, ' '));
}

/** Whether the title is the name of the file, so that the citation says it. */
function isInCitation(title: string, citation: string): boolean {
  return !citation.includes('record/') && citation.toLowerCase().includes(title.trim().toLowerCase());
}

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** Whether a text begins with its title, so that the item need not say it twice: an encyclopaedia, a note below its heading. */
function beginsWith(text: string, title: string): boolean {
  const [begin, name] = [text.replace(/^[#\s]+/, ''), title.trim()];
  const isBegun = begin.slice(0, name.length).toLowerCase() === name.toLowerCase();
  return isBegun && !LETTER_OR_DIGIT.test(begin.slice(name.length, name.length + 1));
}

/** The parts of a span without the credentials in it. */
export function masked(span: Span, secrets: readonly Span[], level: Level): ItemPart[] {
  const parts: ItemPart[] = [];
  let at = span.start;
  for (const piece of withoutSpans(span, secrets)) {
    if (piece.start > at) parts.push(MASK);
    parts.push({ field: 'content', span: piece, level });
    at = piece.end;
  }
  if (at < span.end) parts.push(MASK);
  return parts;
}

/** The tokens that an item has alone. */
export function itemTokens(item: Item, count: CountTokens): number {
  return count(itemText(item));
}

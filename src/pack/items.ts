import { analyzeForTerms } from '../core/text/analyze-for-terms.ts';
import type { Trust } from '../core/types.ts';
import { passageSpan, shownDay, type Candidate } from './candidate.ts';
import { abstractOf } from './levels/abstract.ts';
import { contentTerms, splitText } from './levels/document.ts';
import { summaryOf } from './levels/summary.ts';
import { bestSentence, excerptOf, type TermWeights } from './levels/excerpt.ts';
import type { Exclusion, Level } from './receipt.ts';
import { itemText, sameDayTokens, trustMark, type Item, type ItemPart } from './render.ts';
import type { SharedCost, Step } from './select.ts';
import {
  ITEM_MARK,
  overlaps,
  shownText,
  sourceRange,
  trimSpan,
  wholeCodePoints,
  withoutSpans,
  type Span,
} from './text/span.ts';
import type { CountTokens } from './tokens.ts';

/** The forms that a candidate can have in a pack. */
export interface CandidateItems {
  /** The excerpt, then the whole passage if that is longer. */
  readonly items: readonly Item[];
  /** What each of them adds to the one before. */
  readonly steps: readonly Step[];
  /** One line about the record, for when nothing else fits; `null` if it has none. */
  readonly line: () => ItemLine | null;
  /** An item with the summary of what is beside its passage; `null` if there is nothing to add. */
  readonly withSummary: (item: Item) => ItemLine | null;
  /** What of the first step's tokens is saved after another item of the same day; `null` without a day. */
  readonly day: SharedCost | null;
  readonly excluded: Exclusion | null;
}

interface ItemLine {
  readonly item: Item;
  readonly tokens: number;
}

interface ItemSettings {
  readonly terms: TermWeights;
  readonly count: CountTokens;
  readonly usual: Trust;
  readonly excerptTokens: number;
}

const NOTHING: CandidateItems = {
  items: [],
  steps: [],
  line: () => null,
  withSummary: () => null,
  day: null,
  excluded: null,
};
/** How much of the relevance of a candidate its excerpt is worth, and how much the rest of the passage. */
const SHARES = [1, 0.25];
const MASK = '[secret masked]';
/** Stands between an excerpt and the summary of the rest. */
const BESIDE = '\nAlso there:';
/** What says what a text is stands at its beginning. UTF-16 code units. */
export const HEAD_LENGTH = 8000;
/** UTF-16 code units. */
const MAX_TITLE = 120;

/** What an item shows of a title: its first line, which cannot begin a line of its own. */
export function titleSpan(title: string): Span {
  const { start, end } = trimSpan(title, { start: 0, end: title.length });
  const line = title.slice(start, end).search(/[\n\r\u0085\u2028\u2029]/);
  return trimSpan(title, { start, end: Math.min(start + MAX_TITLE, line === -1 ? end : start + line) });
}

/** Makes the items of candidates, and recognises those that say what an earlier one says. */
export class ItemMaker {
  readonly #settings: ItemSettings;
  readonly #termNames: ReadonlySet<string>;
  readonly #texts = new Set<string>();

  constructor(settings: ItemSettings) {
    this.#settings = settings;
    this.#termNames = new Set(settings.terms.keys());
  }

  itemsOf(given: Candidate, index: number): CandidateItems {
    const { terms, count, excerptTokens } = this.#settings;
    const { content } = given.record;
    const candidate = {
      ...given,
      secrets: given.secrets.map((secret) => wholeCodePoints(content, secret)),
    };
    const line = (): ItemLine | null => this.#line(candidate, index);
    const passage = trimSpan(content, passageSpan(content, candidate.passage));
    if (passage.start >= passage.end) return { ...NOTHING, line };
    if (withoutSpans(passage, candidate.secrets).length === 0) return { ...NOTHING, excluded: 'secret' };
    const best = bestSentence(content, passage, terms);
    const excerpt = excerptOf(content, passage, best, count, excerptTokens);
    if (this.#isDuplicate(shownText(content.slice(excerpt.start, excerpt.end))))
      return { ...NOTHING, excluded: 'duplicate' };
    const spans = excerpt.end - excerpt.start < passage.end - passage.start ? [excerpt, passage] : [excerpt];
    const items = spans.map((span) => this.#item(candidate, index, span));
    const tokens = items.map((item) => count(itemText(item)));
    const steps = spans.map((span, i): Step => ({
      tokens: tokens[i]! - (tokens[i - 1] ?? 0),
      queryTerms: this.#queryTerms(candidate, span),
      words: contentTerms(content, span),
      share: SHARES[i]!,
    }));
    const withSummary = (item: Item): ItemLine | null => this.#summarised(item, candidate, passage);
    return { items, steps, line, withSummary, day: this.#dayOf(items[0]!), excluded: null };
  }

  #queryTerms({ record: { title, content } }: Candidate, { start, end }: Span): Set<string> {
    const text = `${title}\n${content.slice(start, end)}`;
    return new Set(
      analyzeForTerms(text, this.#termNames).flatMap(({ term, kind }) => (kind === 'tail' ? [] : [term])),
    );
  }

  #item(candidate: Candidate, index: number, span: Span): Item {
    const { lines } = sourceRange(candidate.record.content, span);
    const body = masked(span, candidate.secrets, 'L2');
    const { start, end } = span;
    const before = start > 0 && !/\n\s*$/.test(candidate.record.content.slice(0, start)) ? '…' : '';
    const isCut = end < candidate.record.content.trimEnd().length && candidate.record.content[end] !== '\n';
    return this.#withHeader(candidate, index, lines, ['\n', before, ...body, isCut ? '…' : '']);
  }

  #dayOf({ day }: Item): SharedCost | null {
    return day === null ? null : { key: day, tokens: sameDayTokens(day, this.#settings.count) };
  }

  #line(candidate: Candidate, index: number): ItemLine | null {
    const { record, secrets } = candidate;
    const abstract = abstractOf(splitText(record.content.slice(0, HEAD_LENGTH), secrets), record.title);
    if (abstract === null) return null;
    const { lines } = sourceRange(record.content, abstract);
    const piece: ItemPart = { field: 'content', span: abstract, level: 'L0' };
    const item = this.#withHeader(candidate, index, lines, [': ', piece]);
    return { item, tokens: this.#settings.count(itemText(item)) };
  }

  #summarised(item: Item, { record, secrets }: Candidate, passage: Span): ItemLine | null {
    const beside = summaryOf(splitText(record.content.slice(0, HEAD_LENGTH), secrets)).filter(
      (part) => !overlaps(part, passage),
    );
    if (beside.length === 0) return null;
    const pieces = beside.flatMap(({ start, end }): ItemPart[] => [
      '\n',
      { field: 'content', span: { start, end }, level: 'L1' },
    ]);
    const extended = { ...item, parts: [...item.parts, BESIDE, ...pieces] };
    const { count } = this.#settings;
    return { item: extended, tokens: count(itemText(extended)) - count(itemText(item)) };
  }

  #withHeader(
    { record, citation, via }: Candidate,
    candidate: number,
    lines: { readonly from: number; readonly to: number },
    parts: readonly ItemPart[],
  ): Item {
    const { usual } = this.#settings;
    const cited =
      record.origin === 'vault'
        ? ` ${shownText(citation.replaceAll(/\s+/g, ' '))}#L${String(lines.from)}-L${String(lines.to)}`
        : shortCitation(citation);
    const day = shownDay(record);
    const header: ItemPart[] = [`${ITEM_MARK}${cited}`];
    if (day !== null) header.push({ day });
    header.push(trustMark(record.trust, usual));
    if (via !== null) header.push(` (${shownText(via.replaceAll(/\s+/g, ' '))})`);
    const title = titleSpan(record.title);
    const isSaid =
      isInCitation(record.title, citation) || beginsWith(shownFirst(record.content, parts), record.title);
    const isNamed = title.end > title.start && !isSaid;
    const name: ItemPart[] = isNamed ? [' ', { field: 'title', span: title, level: 'L0' }] : [];
    const { trust, title: text, content } = record;
    return { candidate, trust, title: text, content, day, parts: [...header, ...name, ...parts] };
  }

  /** Only of equal texts: two that differ in one number may be an old and a new value. */
  #isDuplicate(text: string): boolean {
    const normal = text.replaceAll(/\s+/g, ' ').trim();
    if (this.#texts.has(normal)) return true;
    this.#texts.add(normal);
    return false;
  }
}

/** `record/12` is `12`, which `memory_get` accepts too: three tokens fewer for each of what may be short messages. */
function shortCitation(citation: string): string {
  return citation.replace(/^record\//, '');
}

/** Whether the title is the name of the file, so that the citation says it. */
function isInCitation(title: string, citation: string): boolean {
  return citation.toLowerCase().includes(title.trim().toLowerCase());
}

/** What an item shows of a content first; empty where it begins with words of ours, such as the mark of a cut. */
function shownFirst(content: string, parts: readonly ItemPart[]): string {
  const first = parts.find((part) => typeof part !== 'string' || part.trim() !== '');
  if (first === undefined || typeof first === 'string' || 'day' in first) return '';
  return content.slice(first.span.start, first.span.end);
}

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** Whether a text begins with its title, so that the item need not say it twice: an encyclopaedia, a note below its heading. */
function beginsWith(text: string, title: string): boolean {
  const [begin, name] = [text.replace(/^[#\s]+/, ''), title.trim()];
  const isTitle = begin.slice(0, name.length).toLowerCase() === name.toLowerCase();
  return isTitle && !LETTER_OR_DIGIT.test(begin.slice(name.length, name.length + 1));
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

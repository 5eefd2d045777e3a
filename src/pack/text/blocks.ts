import type { Span } from '../../core/types.ts';
import { frontMatterSpan } from '../../sources/markdown/front-matter-span.ts';
import { cutOffset } from '../../core/text/cut-offset.ts';
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

export type BlockKind = 'heading' | 'task' | 'done' | 'item' | 'prose' | 'code' | 'table' | 'comment';

/** A part of a Markdown text. */
export interface TextBlock extends Span {
  readonly kind: BlockKind;
  /** The level of a heading, 1 to 6; else 0. */
  readonly depth: number;
}

interface Outline {
  /** Without its fences; `null` if there is none. */
  readonly frontMatter: Span | null;
  readonly blocks: readonly TextBlock[];
}

/** A fence of code, also in a list or a quote. */
const FENCE = /^(?:[ \t>]|[-*+][ \t]+|\d{1,9}[.)][ \t]+)*(`{3,}|~{3,})[ \t]*(.*)$/;
const HEADING = /^(#{1,6})\s+\S/;
const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+\S/;
const TASK = /^\s*(?:[-*+]|\d{1,9}[.)])\s+\[([ xX/<>!-])\]\s+\S/;
const TABLE = /^\s*\|/;
/** What opens a comment on lines of its own, and what closes it. */
const COMMENTS: readonly (readonly [open: string, close: string])[] = [
  ['%%', '%%'],
  ['<!--', '-->'],
];

/**
 * Splits a text into headings, list items, tables, code and paragraphs, line by line. It knows less of Markdown than the parser that
 * cuts notes into passages, but needs no time to speak of, and every block is a range of the text.
 */
export function outlineOf(text: string): Outline {
  const front = frontMatterSpan(text);
  const blocks: TextBlock[] = [];
  const comments = new CommentFinder(text);
  let fence: string | null = null;
  let isBlank = false;
  let start = front?.bodyStart ?? 0;
  for (let end = 0; start < text.length; start = end + 1) {
    end = endOfLine(text, start);
    const line = text.slice(start, Math.min(end, start + MAX_LINE_START));
    const comment = fence === null ? comments.endOf(start, line) : null;
    if (comment !== null) {
      blocks.push({ kind: 'comment', depth: 0, start, end: comment });
      end = comment;
      isBlank = true;
      continue;
    }
    const [, mark, info = ''] = FENCE.exec(line) ?? [];
    const wasCode: boolean = fence !== null;
    if (fence === null) fence = mark ?? null;
    // What closes code has no words after it.
    else if (mark?.startsWith(fence) === true && info.trim() === '') fence = null;
    const kind = wasCode || mark !== undefined ? 'code' : kindOf(line);
    if (kind !== null) {
      const block = { kind, depth: HEADING.exec(line)?.[1]?.length ?? 0, start, end };
      const last = isBlank ? undefined : blocks.at(-1);
      if (last !== undefined && continues(last, block)) blocks[blocks.length - 1] = { ...last, end };
      else blocks.push(block);
    }
    isBlank = kind === null;
  }
  return { frontMatter: front === null ? null : { start: front.yamlStart, end: front.yamlEnd }, blocks };
}

/** Finds the comments of a text, in time linear in its length, however many are opened. A passage has no comments either. */
class CommentFinder {
  readonly #text: string;
  /** The next closing mark of each kind; `Infinity` if there are no more. */
  readonly #closes = new Map<string, number>();

  constructor(text: string) {
    this.#text = text;
  }

  /** Where a comment ends that begins with a line; `null` if none does, if it is not closed, or if text follows it on its last line. */
  endOf(start: number, line: string): number | null {
    const from = start + line.length - line.trimStart().length;
    const marks = COMMENTS.find(([mark]) => this.#text.startsWith(mark, from));
    if (marks === undefined) return null;
    const [open, close] = marks;
    const at = this.#next(close, from + open.length);
    if (at === Infinity) return null;
    const end = endOfLine(this.#text, at);
    return this.#text.slice(at + close.length, end).trim() === '' ? end : null;
  }

  #next(close: string, from: number): number {
    const known = this.#closes.get(close) ?? -1;
    if (known >= from) return known;
    const found = this.#text.indexOf(close, from);
    const at = found < 0 ? Infinity : found;
    this.#closes.set(close, at);
    return at;
  }
}

/** What a line is can be told from its beginning. */
const MAX_LINE_START = 80;

function kindOf(line: string): BlockKind | null {
  if (line.trim() === '') return null;
  if (HEADING.test(line)) return 'heading';
  const box = TASK.exec(line)?.[1];
  if (box !== undefined) return /[xX-]/.test(box) ? 'done' : 'task';
  if (ITEM.test(line)) return 'item';
  return TABLE.test(line) ? 'table' : 'prose';
}

/** Whether a line continues the block before it. */
function continues(last: TextBlock, { kind }: TextBlock): boolean {
  if (last.kind === kind) return kind === 'prose' || kind === 'code' || kind === 'table';
  return kind === 'prose' && (last.kind === 'item' || last.kind === 'task' || last.kind === 'done');
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

const DESCRIPTION = /^(?:description|summary|abstract)[ \t]*:[ \t]*(.*)$/imu;

/** The value of `description`, `summary` or `abstract` in front matter, as it is written; `null` if there is none. */
export function describedIn(text: string, { start, end }: Span): Span | null {
  const found = DESCRIPTION.exec(text.slice(start, end));
  if (found === null) return null;
  const value = found[1]!.trimEnd();
  const valueStart = start + found.index + found[0].length - found[1]!.length;
  if (/^[|>][+-]?\d?$/.test(value)) return indentedBlock(text, valueStart + found[1]!.length + 1, end);
  const quoted = /^(["'])(.*)\1$/s.exec(value);
  const from = valueStart + (quoted === null ? 0 : 1);
  const to = valueStart + value.length - (quoted === null ? 0 : 1);
  return to > from ? { start: from, end: to } : null;
}

function indentedBlock(text: string, start: number, end: number): Span | null {
  const block = /^(?:[ \t]+\S.*\n?|[ \t]*\n)+/.exec(text.slice(start, end))?.[0];
  if (block === undefined || block.trim() === '') return null;
  return { start: start + block.length - block.trimStart().length, end: start + block.trimEnd().length };
}

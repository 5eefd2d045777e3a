import { cutOffset } from '../../core/text/cut-offset.ts';
import type { Span } from '../../core/types.ts';
import { outlineOf, type TextBlock } from '../text/blocks.ts';
import { trimSpan } from '../text/span.ts';

/** A part of a record that is judged, and shown as a whole: the text from a heading to the next one, or a piece of it. */
export interface Section extends Span {
  /** The lines of the headings above it, outermost first; its own heading is one of them. */
  readonly headings: readonly Span[];
  /** The head of the table that the section continues; `null` for others. */
  readonly tableHead: Span | null;
  /** Whether it ends with a colon, so that the next section is what it announces. */
  readonly leadsOn: boolean;
}

/** Longer sections are cut between blocks. UTF-16 code units, about 350 tokens of English. */
const MAX_SECTION = 1400;
/** A list, a table or code is cut only if it is longer. UTF-16 code units. */
const MAX_BLOCK = 2800;

/**
 * The sections of a Markdown text, in order. Together they have all of its text except front matter and comments; a heading without a text of its own
 * begins the section below it. A text without headings is cut into groups of paragraphs.
 */
export function sectionsOf(text: string): Section[] {
  const open: TextBlock[] = [];
  const sections: Section[] = [];
  let group: TextBlock[] = [];
  const flush = (): void => {
    const headings = open.map((heading) => trimSpan(text, heading));
    for (const piece of piecesOf(text, group)) {
      const end = text.slice(Math.max(piece.start, piece.end - 4), piece.end);
      sections.push({ ...piece, headings, leadsOn: /[:：][*_]*$/.test(end) });
    }
    group = [];
  };
  for (const block of outlineOf(text).blocks) {
    const isBare = group.every(({ kind }) => kind === 'heading');
    if (block.kind === 'comment') {
      // The headings before it are above the section after it.
      if (isBare) group = [];
      else flush();
      continue;
    }
    if (block.kind === 'heading') {
      if (!isBare || (open.at(-1)?.depth ?? 0) >= block.depth) flush();
      while ((open.at(-1)?.depth ?? 0) >= block.depth) open.pop();
      open.push(block);
    }
    group.push(block);
  }
  flush();
  return sections;
}

type Piece = Pick<Section, 'start' | 'end' | 'tableHead'>;

/** The pieces of a section: its blocks one after another, as many as fit, without a cut within a list, a table or code. */
function piecesOf(text: string, blocks: readonly TextBlock[]): Piece[] {
  const pieces: Piece[] = [];
  let current: Span | null = null;
  for (const unit of unitsOf(text, blocks)) {
    if (current !== null && unit.end - current.start <= MAX_SECTION) {
      current = { start: current.start, end: unit.end };
      continue;
    }
    if (current !== null) pieces.push({ ...trimSpan(text, current), tableHead: null });
    current = null;
    if (unit.end - unit.start <= MAX_BLOCK) current = unit;
    else pieces.push(...cutUnit(text, unit));
  }
  if (current !== null) pieces.push({ ...trimSpan(text, current), tableHead: null });
  return pieces.filter(({ start, end }) => end > start);
}

interface Unit {
  readonly start: number;
  end: number;
  /** The offsets at which it may be cut if it is too long. */
  readonly starts: number[];
  tableHead: Span | null;
}

const LIST_KINDS: ReadonlySet<TextBlock['kind']> = new Set(['item', 'task', 'done']);

/** What is not cut: a heading with what follows it, a whole list, and a paragraph that ends with a colon with what it announces. */
function unitsOf(text: string, blocks: readonly TextBlock[]): Unit[] {
  const units: Unit[] = [];
  let previous: TextBlock | undefined;
  for (const block of blocks) {
    const last = units.at(-1);
    if (last !== undefined && previous !== undefined && belongsTogether(text, previous, block)) {
      last.end = block.end;
      last.starts.push(block.start);
      if (block.kind === 'table') last.tableHead = headOf(text, block);
    } else {
      const tableHead = block.kind === 'table' ? headOf(text, block) : null;
      units.push({ start: block.start, end: block.end, starts: [], tableHead });
    }
    previous = block;
  }
  return units;
}

function belongsTogether(text: string, before: TextBlock, { kind }: TextBlock): boolean {
  if (before.kind === 'heading') return true;
  if (LIST_KINDS.has(before.kind)) return LIST_KINDS.has(kind);
  return (
    before.kind === 'prose' &&
    /[:：][*_]*\s*$/.test(text.slice(Math.max(before.start, before.end - 6), before.end))
  );
}

/** The first two lines of a table: the names of its columns, and the dashes below them. */
function headOf(text: string, { start, end }: Span): Span | null {
  const first = text.indexOf('\n', start);
  const second = first < 0 ? -1 : text.indexOf('\n', first + 1);
  if (second < 0 || second >= end || !/^\s*\|?[\s:|-]+\|?\s*$/.test(text.slice(first + 1, second)))
    return null;
  return { start, end: second };
}

/** Cuts what is too long for one section between its items, else between its lines, else between its sentences. */
function cutUnit(text: string, { start, end, starts, tableHead }: Unit): Piece[] {
  const pieces: Piece[] = [];
  let next = 0;
  for (let from = start; from < end;) {
    const limit = from + MAX_SECTION;
    let to = end;
    if (limit < end) {
      while (next < starts.length && starts[next]! <= limit) next++;
      const item = starts[next - 1];
      to = item !== undefined && item > from ? item : cutOffset(text, from, limit, 'lines');
    }
    const piece = trimSpan(text, { start: from, end: to });
    const isBelow = tableHead !== null && piece.start >= tableHead.end;
    if (piece.end > piece.start) pieces.push({ ...piece, tableHead: isBelow ? tableHead : null });
    from = to;
  }
  return pieces;
}

/** A note that another note shows at some place: `![[Note#Heading]]`. */
export interface Embed {
  /** The record that shows it, and where: UTF-16 code units of its content. */
  readonly host: number;
  readonly offset: number;
  /** The record that is shown. */
  readonly record: number;
  /** The path of headings as written; the whole note unless this or `block` is given. */
  readonly heading?: string;
  /** The id of a block, without `^`. */
  readonly block?: string;
}

/** Of a whole note that is embedded, as much is shown as a section has. UTF-16 code units. */
const MAX_EMBEDDED = 1400;

/** Finds the sections of a record that embeds show. It reads the record once, however many embeds there are. */
export class EmbeddedSections {
  readonly #sections: readonly Section[];
  readonly #byHeading = new Map<string, number[]>();
  readonly #byBlock = new Map<string, number>();

  constructor(content: string, sections: readonly Section[]) {
    this.#sections = sections;
    for (const [i, section] of sections.entries()) {
      for (const { start, end } of section.headings) {
        const name = fold(content.slice(start, end));
        const below = this.#byHeading.get(name);
        if (below === undefined) this.#byHeading.set(name, [i]);
        else if (below.at(-1) !== i) below.push(i);
      }
      for (const [, block] of content.slice(section.start, section.end).matchAll(BLOCK_MARK))
        if (!this.#byBlock.has(block!)) this.#byBlock.set(block!, i);
    }
  }

  /** The positions of the sections that an embed shows; none if the note has no such heading or block. */
  of({ heading, block }: Pick<Embed, 'heading' | 'block'>): number[] {
    if (block !== undefined) {
      const found = this.#byBlock.get(block);
      return found === undefined ? [] : [found];
    }
    const among =
      heading === undefined
        ? this.#sections.keys()
        : (this.#byHeading.get(fold(heading.split('#').at(-1)!)) ?? []);
    const shown: number[] = [];
    let length = 0;
    for (const i of among) {
      length += this.#sections[i]!.end - this.#sections[i]!.start;
      if (shown.length > 0 && length > MAX_EMBEDDED) break;
      shown.push(i);
    }
    return shown;
  }
}

/** The id of a block, at the end of its line. */
const BLOCK_MARK = /(?<=^|\s)\^([\p{L}\p{N}-]+)(?=\s|$)/gu;

/** A heading as links name it: without its marks, in any case, with single spaces. */
function fold(heading: string): string {
  return heading
    .replace(/^[#\s]+/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

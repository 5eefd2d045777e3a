import MarkdownIt from 'markdown-it';
import type { Token } from 'markdown-it';
import type { CutBoundary } from '../core/text/cut-offset.ts';
import type { Span } from '../core/types.ts';
import {
  COMMENT_BLOCK,
  commentBlocks,
  parseBlocks,
  plainBlockTokens,
} from '../sources/markdown/plain-tokens.ts';
import { withSpaces } from '../sources/logseq/page-text.ts';
import { frontMatterSpan } from '../sources/markdown/front-matter-span.ts';
import { headingTitle } from '../sources/markdown/plain-text.ts';

/** Maps offsets of a text to line numbers without scanning the text again. */
interface LineMap {
  readonly count: number;
  /** Offset of the first character of a line, counted from 0. The offset of line `count` is the text's length. */
  startOf(line: number): number;
  /** The line, counted from 0, that contains an offset. */
  lineOf(offset: number): number;
}

/** Only `\n` ends a line; a `\r` before it belongs to the line. */
export function mapLines(text: string): LineMap {
  const starts = [0];
  for (let index = text.indexOf('\n'); index >= 0; index = text.indexOf('\n', index + 1))
    starts.push(index + 1);
  return {
    count: starts.length,
    startOf: (line) => starts[line] ?? text.length,
    lineOf: (offset) => {
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >>> 1;
        if (starts[middle]! <= offset) low = middle;
        else high = middle - 1;
      }
      return low;
    },
  };
}

/** A block of Markdown: offsets `[start, end)` of whole lines, and the blocks nested in it. */
export interface Block extends Span {
  readonly kind: 'heading' | 'fence' | 'comment' | 'other';
  /** Where a block that is too long and has no nested blocks is cut: between lines or between sentences. */
  readonly cutAt: CutBoundary;
  readonly children: readonly Block[];
}

/** A heading with the blocks below it, up to the next heading of any level. */
export interface MarkdownSection {
  /** Headings from the outermost down to this section's own; empty before the first heading. */
  readonly path: readonly string[];
  readonly blocks: readonly Block[];
}

/** Below a longer paragraph, a dashed line is far more often a rule than the underline of a heading. */
const MAX_SETEXT_LINES = 2;

const CUT_AT_LINES: ReadonlySet<string> = new Set(['fence', 'code_block', 'html_block', 'table_open']);

// Only the block structure is parsed: passages do not need the inline rules, which cost most of the time. Link
// definitions stay paragraphs, because their text is searched like any other text.
const parser = new MarkdownIt({ html: true }).use(plainBlockTokens).use(commentBlocks).disable('reference');

/** A block during parsing: its token, its heading if it is one, and its nested blocks. */
interface OpenBlock {
  readonly token: Token;
  readonly title: { text: string; level: number } | null;
  readonly children: OpenBlock[];
}

/** The end of a block, and the parts of a table, which is cut between lines. */
const UNNEEDED = /_close$|^(?:thead|tbody|tr|th|td)_/;

/** The texts of headings are needed, those of other blocks are not. */
function isNeeded(type: string, previous: Token | undefined): boolean {
  return type === 'inline' ? previous?.type === 'heading_open' : !UNNEEDED.test(type);
}

/**
 * Calls `onSection` with each section of a text, in order. Their blocks together cover every line that is neither blank nor
 * front matter.
 * @param isOutline whether it is an outline of Logseq
 */
export function readSections(
  content: string,
  lines: LineMap,
  onSection: (section: MarkdownSection) => void,
  isOutline = false,
): void {
  const bodyStart = frontMatterSpan(content)?.bodyStart ?? 0;
  const firstLine = bodyStart === 0 ? 0 : lines.lineOf(bodyStart);
  let section: { path: readonly string[]; blocks: Block[] } = { path: [], blocks: [] };
  const above: { text: string; level: number }[] = [];
  let blockEnd = bodyStart;
  const add = (open: OpenBlock): void => {
    const block = toBlock(open, content, lines, firstLine, blockEnd);
    if (block === null) return;
    const gap = gapBlock(content, blockEnd, block.start);
    if (gap !== null) section.blocks.push(gap);
    if (open.title !== null) {
      while (above.length > 0 && above.at(-1)!.level >= open.title.level) above.pop();
      above.push(open.title);
      const path = above.map((heading) => heading.text).filter((text) => text !== '');
      if (section.blocks.length > 0) onSection(section);
      section = { path, blocks: [] };
    }
    section.blocks.push(block);
    blockEnd = block.end;
  };
  const body = content.slice(bodyStart);
  // Blocks are found by their lines, which stay the same.
  parseBlocks(parser, isOutline ? withSpaces(body) : body, {
    keeps: isNeeded,
    take: (tokens) => {
      nest(tokens).forEach(add);
    },
    by: 'block',
  });
  const rest = gapBlock(content, blockEnd, content.length);
  if (rest !== null) section.blocks.push(rest);
  if (section.blocks.length > 0) onSection(section);
}

/** A heading of a text, and its lines with those of the headings below it, from 1, inclusive. */
export interface OutlineEntry {
  /** Headings from the outermost down to this one. */
  readonly path: readonly string[];
  readonly from: number;
  readonly to: number;
}

/** The headings of a text, in order. */
export function readOutline(content: string): OutlineEntry[] {
  const lines = mapLines(content);
  const sections: MarkdownSection[] = [];
  readSections(content, lines, (section) => {
    if (section.path.length > 0) sections.push(section);
  });
  return sections.map(({ path, blocks }, index) => {
    let last = index;
    while (isBelow(sections[last + 1], path)) last++;
    const from = lines.lineOf(blocks[0]!.start) + 1;
    return { path, from, to: lines.lineOf(sections[last]!.blocks.at(-1)!.end - 1) + 1 };
  });
}

function isBelow(section: MarkdownSection | undefined, path: readonly string[]): boolean {
  return (
    section !== undefined &&
    section.path.length > path.length &&
    path.every((heading, i) => section.path[i] === heading)
  );
}

/** Turns markdown-it's flat list of tokens, without those that end a block, into a tree. */
function nest(tokens: readonly Token[]): OpenBlock[] {
  const top: OpenBlock[] = [];
  /** The blocks within the last open block of each level. */
  const parents: OpenBlock[][] = [top];
  tokens.forEach((token, index) => {
    const open: OpenBlock = { token, title: titleOf(token, tokens[index + 1]), children: [] };
    if (token.map !== null && token.type !== 'inline') parents[token.level]!.push(open);
    if (token.nesting === 1) parents[token.level + 1] = open.children;
  });
  return top;
}

function titleOf(token: Token, inline: Token | undefined): OpenBlock['title'] {
  if (token.type !== 'heading_open' || token.level > 0 || inline === undefined) return null;
  const [start, end] = token.map!;
  if (!token.markup.startsWith('#') && end - start > MAX_SETEXT_LINES) return null;
  return { text: headingTitle(inline.content), level: Number(token.tag.slice(1)) };
}

function toBlock(
  open: OpenBlock,
  content: string,
  lines: LineMap,
  firstLine: number,
  from: number,
): Block | null {
  const [startLine, endLine] = open.token.map!;
  const start = Math.max(from, lines.startOf(firstLine + startLine));
  const end = Math.max(start, lines.startOf(firstLine + endLine));
  if (start === end) return null;
  const cutAt = CUT_AT_LINES.has(open.token.type) ? 'lines' : 'sentences';
  const kind = kindOf(open, content.slice(start, end));
  // Table cells have no lines of their own, and the text of a heading is not a block.
  if (cutAt === 'lines' || open.children.length === 0) return { start, end, kind, cutAt, children: [] };
  const children: Block[] = [];
  let blockEnd = start;
  for (const inner of open.children) {
    const child = toBlock(inner, content, lines, firstLine, blockEnd);
    if (child === null || child.end > end) continue;
    const gap = gapBlock(content, blockEnd, child.start);
    if (gap !== null) children.push(gap);
    children.push(child);
    blockEnd = child.end;
  }
  const rest = gapBlock(content, blockEnd, end);
  if (rest !== null) children.push(rest);
  return { start, end, kind, cutAt, children };
}

function kindOf(open: OpenBlock, text: string): Block['kind'] {
  if (open.title !== null) return 'heading';
  if (open.token.type === 'fence' || open.token.type === 'code_block') return 'fence';
  if (open.token.type === COMMENT_BLOCK) return 'comment';
  return open.token.type === 'html_block' && isHtmlComment(text) ? 'comment' : 'other';
}

function isHtmlComment(text: string): boolean {
  const html = text.trim();
  return html.startsWith('<!--') && html.indexOf('-->') === html.length - 3;
}

/** Lines that the parser assigned to no block, for example because they are nested too deeply, are still text. */
function gapBlock(content: string, start: number, end: number): Block | null {
  if (start >= end || content.slice(start, end).trim() === '') return null;
  return { start, end, kind: 'other', cutAt: 'sentences', children: [] };
}

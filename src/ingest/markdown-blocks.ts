import MarkdownIt from 'markdown-it';
import type { Token } from 'markdown-it';
import { COMMENT_BLOCK, commentBlocks } from '../sources/markdown/comment-block.ts';
import { frontMatterSpan } from '../sources/markdown/front-matter-span.ts';
import { headingTitle } from '../sources/markdown/heading-title.ts';
import { plainBlockTokens } from '../sources/markdown/plain-tokens.ts';
import type { CutBoundary } from '../core/text/cut-offset.ts';
import type { LineMap } from './line-map.ts';

/** A block of Markdown: offsets `[start, end)` of whole lines, and the blocks nested in it. */
export interface Block {
  readonly start: number;
  readonly end: number;
  readonly kind: 'heading' | 'fence' | 'comment' | 'other';
  /** Where a block that is too long and has no nested blocks is cut: between lines or between sentences. */
  readonly cutAt: CutBoundary;
  readonly children: readonly Block[];
}

/** A heading with the blocks below it, up to the next heading of any level. */
export interface Section {
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

/** The sections of a text, in order. Their blocks together cover every line that is neither blank nor front matter. */
export function readSections(content: string, lines: LineMap): Section[] {
  const bodyStart = frontMatterSpan(content)?.bodyStart ?? 0;
  const firstLine = bodyStart === 0 ? 0 : lines.lineOf(bodyStart);
  const tokens: Token[] = [];
  // A carriage return would prevent a fence from closing. A space keeps offsets and lines the same.
  parser.block.parse(content.slice(bodyStart).replaceAll('\r', ' '), parser, {}, tokens);
  const sections: { path: readonly string[]; blocks: Block[] }[] = [{ path: [], blocks: [] }];
  const above: { text: string; level: number }[] = [];
  let blockEnd = bodyStart;
  for (const open of nest(tokens)) {
    const block = toBlock(open, content, lines, firstLine, blockEnd);
    if (block === null) continue;
    const gap = gapBlock(content, blockEnd, block.start);
    if (gap !== null) sections.at(-1)!.blocks.push(gap);
    if (open.title !== null) {
      while (above.length > 0 && above.at(-1)!.level >= open.title.level) above.pop();
      above.push(open.title);
      const path = above.map((heading) => heading.text).filter((text) => text !== '');
      sections.push({ path, blocks: [] });
    }
    sections.at(-1)!.blocks.push(block);
    blockEnd = block.end;
  }
  const rest = gapBlock(content, blockEnd, content.length);
  if (rest !== null) sections.at(-1)!.blocks.push(rest);
  return sections.filter((section) => section.blocks.length > 0);
}

/** Turns markdown-it's flat token list into a tree. */
function nest(tokens: readonly Token[]): OpenBlock[] {
  const top: OpenBlock[] = [];
  const parents: OpenBlock[][] = [top];
  tokens.forEach((token, index) => {
    if (token.nesting === -1) {
      parents.pop();
      return;
    }
    const open: OpenBlock = { token, title: titleOf(token, tokens[index + 1]), children: [] };
    if (token.map !== null && token.type !== 'inline') parents.at(-1)!.push(open);
    if (token.nesting === 1) parents.push(open.children);
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

import MarkdownIt from 'markdown-it';
import type { Token } from 'markdown-it';
import { COMMENT_BLOCK, commentBlocks } from '../sources/markdown/comment-block.ts';
import { frontMatterSpan } from '../sources/markdown/front-matter-span.ts';
import { headingTitle } from '../sources/markdown/heading-title.ts';
import { plainBlockTokens } from '../sources/markdown/plain-tokens.ts';
import type { CutAt } from './cut-text.ts';
import type { LineMap } from './line-map.ts';

/** A block of Markdown: offsets `[start, end)` of whole lines, and the blocks inside it. */
export interface Block {
  readonly start: number;
  readonly end: number;
  readonly kind: 'heading' | 'fence' | 'comment' | 'other';
  /** How it is cut when it is too long and holds no blocks: between its lines or between its sentences. */
  readonly cutAt: CutAt;
  readonly children: readonly Block[];
}

/** A heading with what stands below it, up to the next heading of any level. */
export interface Section {
  /** Titles from the outermost down to this section's own; empty before the first heading. */
  readonly path: readonly string[];
  readonly blocks: readonly Block[];
}

/** A dashed line below a paragraph of several lines is a dashed line far more often than a heading. */
const MAX_SETEXT_LINES = 2;

const CUT_AT_LINES: ReadonlySet<string> = new Set(['fence', 'code_block', 'html_block', 'table_open']);

// Block structure only: inline rules are not needed to find passages, and theirs are the costly ones. Link
// definitions stay paragraphs, because their text is searched like any other.
const parser = new MarkdownIt({ html: true }).use(plainBlockTokens).use(commentBlocks).disable('reference');

/** A block while it is read: lines instead of offsets, and the heading it may be. */
interface OpenBlock {
  readonly token: Token;
  readonly title: { text: string; level: number } | null;
  readonly children: OpenBlock[];
}

/** The sections of a text, in order; together their blocks cover every line that is not blank or front matter. */
export function readSections(content: string, lines: LineMap): Section[] {
  const bodyStart = frontMatterSpan(content)?.bodyStart ?? 0;
  const firstLine = bodyStart === 0 ? 0 : lines.lineOf(bodyStart);
  const tokens: Token[] = [];
  // Same length, same lines: a CR must not keep a fence from closing.
  parser.block.parse(content.slice(bodyStart).replaceAll('\r', ' '), parser, {}, tokens);
  const sections: { path: readonly string[]; blocks: Block[] }[] = [{ path: [], blocks: [] }];
  const above: { text: string; level: number }[] = [];
  let at = bodyStart;
  for (const open of nest(tokens)) {
    const block = toBlock(open, content, lines, firstLine, at);
    if (block === null) continue;
    const gap = gapBlock(content, at, block.start);
    if (gap !== null) sections.at(-1)!.blocks.push(gap);
    if (open.title !== null) {
      while (above.length > 0 && above.at(-1)!.level >= open.title.level) above.pop();
      above.push(open.title);
      const path = above.map((heading) => heading.text).filter((text) => text !== '');
      sections.push({ path, blocks: [] });
    }
    sections.at(-1)!.blocks.push(block);
    at = block.end;
  }
  const rest = gapBlock(content, at, content.length);
  if (rest !== null) sections.at(-1)!.blocks.push(rest);
  return sections.filter((section) => section.blocks.length > 0);
}

/** Markdown-it's flat token list as a tree. */
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
  // A table's cells have no lines of their own, and a heading's text is not a block.
  if (cutAt === 'lines' || open.children.length === 0) return { start, end, kind, cutAt, children: [] };
  const children: Block[] = [];
  let at = start;
  for (const inner of open.children) {
    const child = toBlock(inner, content, lines, firstLine, at);
    if (child === null || child.end > end) continue;
    const gap = gapBlock(content, at, child.start);
    if (gap !== null) children.push(gap);
    children.push(child);
    at = child.end;
  }
  const rest = gapBlock(content, at, end);
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

/** Lines that the parser gave to no block (too deeply nested, for one) are text all the same. */
function gapBlock(content: string, start: number, end: number): Block | null {
  if (start >= end || content.slice(start, end).trim() === '') return null;
  return { start, end, kind: 'other', cutAt: 'sentences', children: [] };
}

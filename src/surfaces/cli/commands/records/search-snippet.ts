import type { SearchResultOutput } from '../../../../engine/records/results/search-fields.ts';
import { escapeControl, oneLine } from '../../../shared/escape-control.ts';
import type { Style } from '../../format/style.ts';
import { wrap } from '../../format/wrap.ts';

/** Markdown lines that never continue a paragraph: headings, list items, table rows, quotes, fences. */
const BLOCK_START = /^\s*(?:#{1,6}\s|[-*+]\s|\d+[.)]\s|\||>|```|~~~)/;
const HEADING = /^\s*#{1,6}\s+(.*?)\s*$/;
const TABLE_RULE = /^[\s|:-]+$/;

interface Block {
  readonly text: string;
  /** Offset in the snippet. */
  readonly start: number;
}

/**
 * Wraps a snippet to `columns` and marks the words that matched. The heading that the title line already shows is left out.
 */
export function snippetLines(
  { snippet, highlights, headings }: Pick<SearchResultOutput, 'snippet' | 'highlights' | 'headings'>,
  style: Style,
  columns: number,
): string[] {
  const highlight = highlighter(highlights, style);
  const innermost = headings.at(-1);
  return blocksOf(escapeControl(snippet))
    .filter(({ text }) => innermost === undefined || HEADING.exec(text)?.[1] !== oneLine(innermost))
    .flatMap(({ text, start }) => wrap(text, columns, (word, offset) => highlight(word, start + offset)));
}

/** Joins the lines of a paragraph; every other line is a block of its own. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let canContinue = false;
  for (const { 0: line, index: start } of text.matchAll(/[^\n]+/g)) {
    if (TABLE_RULE.test(line)) {
      canContinue = false;
      continue;
    }
    const last = blocks.at(-1);
    const startsBlock =
      last === undefined || !canContinue || BLOCK_START.test(line) || text[start - 2] === '\n';
    if (startsBlock) blocks.push({ text: line, start });
    else blocks[blocks.length - 1] = { text: text.slice(last.start, start + line.length), start: last.start };
    canContinue = !HEADING.test(line) && !line.trimStart().startsWith('|');
  }
  return blocks;
}

/** Styles the parts of a word that lie in a highlight. */
function highlighter(
  highlights: SearchResultOutput['highlights'],
  style: Style,
): (word: string, start: number) => string {
  return (word, start) => {
    let highlighted = '';
    let position = start;
    const end = start + word.length;
    for (const [from = 0, to = 0] of highlights) {
      if (to <= position || from >= end) continue;
      const [first, last] = [Math.max(from, position), Math.min(to, end)];
      highlighted +=
        word.slice(position - start, first - start) + style.mark(word.slice(first - start, last - start));
      position = last;
    }
    return highlighted + word.slice(position - start);
  };
}

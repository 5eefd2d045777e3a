import type { SearchResultOutput } from '../../../../operations/records/search-result.ts';
import { escapeControl, oneLine } from '../../../shared/escape-control.ts';
import type { Style } from '../../format/style.ts';
import { wrap } from '../../format/wrap.ts';

/** Where Markdown begins a new line for good: headings, list items, table rows, quotes, fences. */
const BLOCK = /^\s*(?:#{1,6}\s|[-*+]\s|\d+[.)]\s|\||>|```|~~~)/;
const HEADING = /^\s*#{1,6}\s+(.*?)\s*$/;
const TABLE_RULE = /^[\s|:-]+$/;

interface Block {
  readonly text: string;
  /** Offset in the snippet. */
  readonly start: number;
}

/** A snippet in lines of at most so many columns, matched words marked, without the heading that the title shows. */
export function snippetLines(
  { snippet, highlights, headings }: SearchResultOutput,
  style: Style,
  columns: number,
): string[] {
  const paint = marker(highlights, style);
  const shown = headings.at(-1);
  return blocksOf(escapeControl(snippet))
    .filter(({ text }) => shown === undefined || HEADING.exec(text)?.[1] !== oneLine(shown))
    .flatMap(({ text, start }) => wrap(text, columns, (word, at) => paint(word, start + at)));
}

/** Lines of one paragraph together, everything else on lines of its own. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open = false;
  for (const { 0: line, index: start } of text.matchAll(/[^\n]+/g)) {
    if (TABLE_RULE.test(line)) {
      open = false;
      continue;
    }
    const last = blocks.at(-1);
    const apart = last === undefined || !open || BLOCK.test(line) || text[start - 2] === '\n';
    if (apart) blocks.push({ text: line, start });
    else blocks[blocks.length - 1] = { text: text.slice(last.start, start + line.length), start: last.start };
    open = !HEADING.test(line) && !line.trimStart().startsWith('|');
  }
  return blocks;
}

/** Paints the parts of a word that lie in a highlight. */
function marker(
  highlights: SearchResultOutput['highlights'],
  style: Style,
): (word: string, start: number) => string {
  return (word, start) => {
    let painted = '';
    let at = start;
    const end = start + word.length;
    for (const [from, to] of highlights) {
      if (to <= at || from >= end) continue;
      const [first, last] = [Math.max(from, at), Math.min(to, end)];
      painted += word.slice(at - start, first - start) + style.mark(word.slice(first - start, last - start));
      at = last;
    }
    return painted + word.slice(at - start);
  };
}

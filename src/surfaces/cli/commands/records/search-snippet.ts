import type { SearchResultOutput } from '../../../../engine/records/results/search-fields.ts';
import { escapeControl } from '../../../shared/escape-control.ts';
import type { Style } from '../../format/style.ts';
import { wrap } from '../../format/wrap.ts';

/** Wraps a snippet to `columns` and marks the words that matched. */
export function snippetLines(
  { snippet, highlights }: Pick<SearchResultOutput, 'snippet' | 'highlights'>,
  style: Style,
  columns: number,
): string[] {
  const highlight = highlighter(highlights, style);
  return Array.from(escapeControl(snippet).matchAll(/[^\n]+/g)).flatMap(({ 0: line, index: start }) =>
    wrap(line, columns, (word, offset) => highlight(word, start + offset)),
  );
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

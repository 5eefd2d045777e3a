import { frontMatterSpan } from '../../sources/markdown/front-matter-span.ts';

/** A part of a Markdown file that becomes one record. */
export interface Fragment {
  /** The heading above it; empty before the first heading. */
  readonly heading: string;
  /** All the text below the heading, or one item of a list. */
  readonly kind: 'section' | 'item';
  readonly content: string;
}

/** Closing `#` signs are removed by `headingText`: a regular expression for them would take cubic time. */
const HEADING = /^ {0,3}(#{1,6})[ \t]([^]*)$/;
const CODE_FENCE = /^ {0,3}(`{3,}|~{3,})/;
const LIST_ITEM = /^(?:[-*+]|\d{1,9}[.)])[ \t]+/;
const THEMATIC_BREAK = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
/** A label without a value, such as `**Name:**`. */
const EMPTY_LABEL = /^(?:\*\*[^*]+\*\*|__[^_]+__)[:：]?[ \t]*$/;

/** Which lists are split into their items. */
export type ListSplitting = 'all' | 'without-heading' | 'none';

interface Section {
  readonly heading: string;
  readonly lines: string[];
}

/**
 * Splits a file at its upper headings. A section that is nothing but a list is split into its items where `splitting`
 * says so. Comments, thematic breaks and labels without a value are left out.
 */
export function splitIntoFragments(text: string, splitting: ListSplitting): Fragment[] {
  const body = text.slice(frontMatterSpan(text)?.bodyStart ?? 0);
  return splitIntoSections(removeComments(body)).flatMap(({ heading, lines }): Fragment[] => {
    const isSplit = splitting === 'all' || (splitting === 'without-heading' && heading === '');
    const items = isSplit ? listItems(lines) : null;
    if (items === null) {
      const content = trimBlank(lines);
      return content === '' ? [] : [{ heading, kind: 'section', content }];
    }
    return items
      .filter((content) => content !== '' && !EMPTY_LABEL.test(content))
      .map((content) => ({ heading, kind: 'item', content }));
  });
}

/** A comment without an end is text. A regular expression would search for the end from each beginning again. */
function removeComments(text: string): string {
  let result = '';
  let from = 0;
  for (let start = text.indexOf('<!--'); start !== -1; start = text.indexOf('<!--', from)) {
    const end = text.indexOf('-->', start + 4);
    if (end === -1) break;
    result += text.slice(from, start);
    from = end + 3;
  }
  return result + text.slice(from);
}

/** Splits at headings of the first two levels; if the file has none of those, at its highest level. */
function splitIntoSections(text: string): Section[] {
  const lines = parseLines(text);
  const levels = lines.flatMap(({ level }) => level ?? []);
  const highest = levels.reduce((least, level) => Math.min(least, level), 6);
  const splitLevel = Math.max(2, highest);
  // A single heading of level 1 that comes first is the title of the file.
  const hasTitle = levels[0] === 1 && levels.filter((level) => level === 1).length === 1;
  const sections: Section[] = [{ heading: '', lines: [] }];
  for (const { line, level, heading } of lines) {
    if (level === null || level > splitLevel) sections.at(-1)?.lines.push(line);
    else sections.push({ heading: level === 1 && hasTitle ? '' : heading, lines: [] });
  }
  return sections;
}

interface ParsedLine {
  readonly line: string;
  /** 1 to 6 for a heading; `null` for any other line. */
  readonly level: number | null;
  readonly heading: string;
}

function parseLines(text: string): ParsedLine[] {
  let openFence: string | null = null;
  return text.split('\n').map((line) => {
    const [, fence] = CODE_FENCE.exec(line) ?? [];
    if (openFence !== null) {
      if (fence?.startsWith(openFence) === true) openFence = null;
      return { line, level: null, heading: '' };
    }
    if (fence !== undefined) openFence = fence;
    const [, signs, rest = ''] = HEADING.exec(line) ?? [];
    return { line, level: signs?.length ?? null, heading: headingText(rest) };
  });
}

/** Removes closing `#` signs and the spaces around the text. */
function headingText(rest: string): string {
  let end = rest.length;
  for (const signs of [' \t', '#', ' \t']) while (end > 0 && signs.includes(rest.charAt(end - 1))) end--;
  return rest.slice(0, end).replace(/^[ \t]+/, '');
}

/** The items of a list; `null` when the lines contain anything else. */
function listItems(lines: readonly string[]): string[] | null {
  const items: string[][] = [];
  for (const line of lines) {
    const isBreak = THEMATIC_BREAK.test(line);
    if (LIST_ITEM.test(line) && !isBreak) items.push([line.replace(LIST_ITEM, '')]);
    else if (line.trim() === '' || isBreak) items.at(-1)?.push('');
    else if (/^(?: {2}|\t)/.test(line) && items.length > 0)
      items.at(-1)?.push(line.replace(/^(?: {2}|\t)/, ''));
    else return null;
  }
  return items.length === 0 ? null : items.map(trimBlank);
}

/** Joins the lines without thematic breaks and empty lines at either end. */
function trimBlank(lines: readonly string[]): string {
  const isBlank = (line: string): boolean => line.trim() === '' || THEMATIC_BREAK.test(line);
  const from = lines.findIndex((line) => !isBlank(line));
  if (from === -1) return '';
  return lines
    .slice(from, lines.findLastIndex((line) => !isBlank(line)) + 1)
    .join('\n')
    .trimEnd();
}

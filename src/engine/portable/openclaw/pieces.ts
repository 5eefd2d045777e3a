import { frontMatterSpan } from '../../../sources/markdown/front-matter-span.ts';

/** One thing of a file of Markdown. */
export interface Piece {
  /** The heading that it stands under; empty above the first. */
  readonly heading: string;
  /** Whether it is the whole of what stands under the heading, or one point of a list. */
  readonly kind: 'section' | 'point';
  readonly content: string;
}

/** Its closing signs are taken off apart: a pattern for them takes the cube of a line's length. */
const HEADING = /^ {0,3}(#{1,6})[ \t]([^]*)$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const POINT = /^(?:[-*+]|\d{1,9}[.)])[ \t]+/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
/** `- **Name:**`: a label that nobody filled in. */
const UNFILLED = /^(?:\*\*[^*]+\*\*|__[^_]+__)[:：]?[ \t]*$/;

/** Which lists are cut into their points: all of them, those under no heading, or none. */
export type Points = 'all' | 'untitled' | 'none';

interface Section {
  readonly heading: string;
  readonly lines: string[];
}

/**
 * The things that a file tells of: what stands under each of its upper headings, or, where `points` says so and it is a
 * list alone, each of its points. Comments, rules and labels without a value are nothing.
 */
export function piecesOf(text: string, points: Points): Piece[] {
  const body = text.slice(frontMatterSpan(text)?.bodyStart ?? 0);
  return sectionsOf(withoutComments(body)).flatMap(({ heading, lines }) => {
    const isCut = points === 'all' || (points === 'untitled' && heading === '');
    const listed = isCut ? pointsOf(lines) : null;
    const contents = listed ?? [trimmed(lines)];
    const kind = listed === null ? ('section' as const) : ('point' as const);
    const filled = contents.filter(
      (content) => content !== '' && (kind === 'section' || !UNFILLED.test(content)),
    );
    return filled.map((content) => ({ heading, kind, content }));
  });
}

/** An unclosed one is text. By hand: a pattern looks for the end of each anew. */
function withoutComments(text: string): string {
  let kept = '';
  let from = 0;
  for (let start = text.indexOf('<!--'); start !== -1; start = text.indexOf('<!--', from)) {
    const end = text.indexOf('-->', start + 4);
    if (end === -1) break;
    kept += text.slice(from, start);
    from = end + 3;
  }
  return kept + text.slice(from);
}

/** Cut at headings of the first two levels; where a file has none of those, at its uppermost. */
function sectionsOf(text: string): Section[] {
  const marked = markedLines(text);
  const levels = marked.flatMap(({ level }) => level ?? []);
  const deepest = Math.max(
    2,
    levels.reduce((uppermost, level) => Math.min(uppermost, level), 6),
  );
  const sections: Section[] = [{ heading: '', lines: [] }];
  // The first heading of all is the file's own title, and so none of its sections.
  const isTitled = levels[0] === 1 && levels.filter((level) => level === 1).length === 1;
  for (const { line, level, title } of marked) {
    if (level === null || level > deepest) sections.at(-1)?.lines.push(line);
    else sections.push({ heading: level === 1 && isTitled ? '' : title, lines: [] });
  }
  return sections;
}

interface MarkedLine {
  readonly line: string;
  /** Of a heading; `null` for any other line. */
  readonly level: number | null;
  readonly title: string;
}

function markedLines(text: string): MarkedLine[] {
  let fence: string | null = null;
  return text.split('\n').map((line) => {
    const [, mark] = FENCE.exec(line) ?? [];
    if (fence !== null) {
      if (mark?.startsWith(fence) === true) fence = null;
      return { line, level: null, title: '' };
    }
    if (mark !== undefined) fence = mark;
    const [, signs, rest = ''] = HEADING.exec(line) ?? [];
    return { line, level: signs?.length ?? null, title: titleIn(rest) };
  });
}

/** Without the signs that may close a heading, and the spaces around. */
function titleIn(rest: string): string {
  let end = rest.length;
  for (const signs of [' \t', '#', ' \t']) while (end > 0 && signs.includes(rest.charAt(end - 1))) end--;
  return rest.slice(0, end).replace(/^[ \t]+/, '');
}

/** The points of a list that is all there is; `null` where there is anything else. */
function pointsOf(lines: readonly string[]): string[] | null {
  const points: string[][] = [];
  for (const line of lines) {
    if (POINT.test(line) && !RULE.test(line)) points.push([line.replace(POINT, '')]);
    else if (line.trim() === '' || RULE.test(line)) points.at(-1)?.push('');
    else if (/^(?: {2}|\t)/.test(line) && points.length > 0)
      points.at(-1)?.push(line.replace(/^(?: {2}|\t)/, ''));
    else return null;
  }
  return points.length === 0 ? null : points.map(trimmed);
}

/** Without rules and empty lines around it. */
function trimmed(lines: readonly string[]): string {
  const isNothing = (line: string | undefined): boolean => line?.trim() === '' || RULE.test(line ?? '');
  const from = lines.findIndex((line) => !isNothing(line));
  if (from === -1) return '';
  return lines
    .slice(from, lines.findLastIndex((line) => !isNothing(line)) + 1)
    .join('\n')
    .trimEnd();
}

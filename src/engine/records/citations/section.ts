import { LociError } from '../../../core/errors.ts';
import type { LociRecord } from '../../../core/types.ts';
import type { OutlineEntry } from '../../../ingest/markdown-blocks.ts';
import type { EngineContext } from '../../context.ts';

const MAX_LISTED_HEADINGS = 10;

/**
 * The lines of a record below a heading, with the heading itself.
 * @param name what the caller calls the record
 * @throws LociError `not_found` with the headings that the record has
 */
export async function sectionLines(
  { thread }: EngineContext,
  { content }: LociRecord,
  heading: string,
  name: string,
): Promise<{ readonly from: number; readonly to: number }> {
  const { READ_OUTLINE } = await import('../../../ingest/markdown-blocks.ts');
  const outline = await thread.run(READ_OUTLINE, [content], { size: content.length });
  const entry = findHeading(outline, heading);
  if (entry !== undefined) return { from: entry.from, to: entry.to };
  const headings = [...new Set(outline.map(({ path }) => path.at(-1)!))];
  const listed = headings.slice(0, MAX_LISTED_HEADINGS).map((each) => JSON.stringify(each));
  if (headings.length > listed.length) listed.push(`${String(headings.length - listed.length)} more`);
  throw new LociError(
    'not_found',
    `there is no heading ${JSON.stringify(heading.slice(0, 200))} in ${JSON.stringify(name.slice(0, 200))}`,
    {
      hint: headings.length === 0 ? 'The text has no headings.' : `Its headings are ${listed.join(', ')}.`,
    },
  );
}

/** The first heading with this text. Of `A#B`, the heading B below A. Case and punctuation do not matter, except to choose. */
function findHeading(outline: readonly OutlineEntry[], heading: string): OutlineEntry | undefined {
  for (const fold of [foldCase, foldPunctuation]) {
    for (const wanted of [[heading], heading.split('#')].map((parts) => parts.map(fold))) {
      if (wanted.some((part) => part === '')) continue;
      const entry = outline.find(({ path }) => endsWithAll(path.map(fold), wanted));
      if (entry !== undefined) return entry;
    }
  }
  return undefined;
}

/** Whether the last entry of the path is the last one wanted, and the others are above it in this order. */
function endsWithAll(path: readonly string[], wanted: readonly string[]): boolean {
  if (path.at(-1) !== wanted.at(-1)) return false;
  let next = 0;
  for (const heading of path) if (heading === wanted[next]) next++;
  return next === wanted.length;
}

function foldCase(text: string): string {
  return text.normalize('NFC').trim().toLowerCase();
}

/** Links to headings leave out or replace punctuation: `#advanced-tips` is "Advanced tips!". */
function foldPunctuation(text: string): string {
  return foldCase(text)
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim();
}

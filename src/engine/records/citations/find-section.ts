import type { ThreadTask } from '../../../core/threads/task-thread.ts';
import { workerModule } from '../../../core/threads/worker-module.ts';
import { type OutlineEntry, readOutline } from '../../../ingest/markdown-blocks.ts';

const MAX_LISTED_HEADINGS = 10;

/** Lines of a text, from 1, inclusive; or the headings that it has instead, the first ten of `count`. */
type Section =
  | { readonly from: number; readonly to: number }
  | { readonly headings: readonly string[]; readonly count: number };

/** Finds the lines below a heading, with the heading itself. */
export function findSection(content: string, heading: string): Section {
  const outline = readOutline(content);
  const entry = findHeading(outline, heading);
  if (entry !== undefined) return { from: entry.from, to: entry.to };
  const headings = [...new Set(outline.map(({ path }) => path.at(-1)!))];
  return { headings: headings.slice(0, MAX_LISTED_HEADINGS), count: headings.length };
}

/** `findSection` as a task for a thread, because a long text would block the caller. */
export const FIND_SECTION: ThreadTask<[content: string, heading: string], Section> = {
  module: workerModule(import.meta.url, 'find-section'),
  name: findSection.name,
  inline: findSection,
};

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

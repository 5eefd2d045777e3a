import type { ThreadTask } from '../../../core/threads/task-thread.ts';
import { workerModule } from '../../../core/threads/worker-module.ts';
import {
  type Block,
  mapLines,
  type OutlineEntry,
  readOutline,
  readSections,
} from '../../../ingest/markdown-blocks.ts';
import { BLOCK_ID } from '../../../sources/markdown/plain-text.ts';

const MAX_LISTED_NAMES = 10;

/** Lines of a text, from 1, inclusive; or the headings or ids of blocks that it has instead, the first ten of `count`. */
type Section =
  | { readonly from: number; readonly to: number }
  | { readonly names: readonly string[]; readonly count: number };

/** Finds the lines below a heading, with the heading itself; or, for `^id`, those of a block. */
export function findSection(content: string, heading: string): Section {
  if (heading.startsWith('^')) return findBlock(content, heading.slice(1).trim());
  const outline = readOutline(content);
  const entry = findHeading(outline, heading);
  if (entry !== undefined) return { from: entry.from, to: entry.to };
  return listed(outline.map(({ path }) => path.at(-1)!));
}

function listed(all: readonly string[]): Section {
  const names = [...new Set(all)];
  return { names: names.slice(0, MAX_LISTED_NAMES), count: names.length };
}

/** An id ends a paragraph, a heading or an item of a list, or follows a list, a quote or a table as a paragraph of its own. */
function findBlock(content: string, id: string): Section {
  const lines = mapLines(content);
  const ids: string[] = [];
  const found: Section[] = [];
  const visit = (siblings: readonly Block[], parent: Block | null): void => {
    for (const [index, block] of siblings.entries()) {
      if (block.children.length > 0) visit(block.children, block);
      else if (block.kind === 'other' || block.kind === 'heading') {
        const text = content.slice(block.start, block.end);
        for (const line of text.split('\n')) {
          const given = BLOCK_ID.exec(line)?.[1];
          if (given === undefined) continue;
          ids.push(`^${given}`);
          if (given.toLowerCase() !== id.toLowerCase()) continue;
          const isAlone = text.trim() === `^${given}`;
          const named = (isAlone ? siblings[index - 1] : parent) ?? block;
          found.push({ from: lines.lineOf(named.start) + 1, to: lines.lineOf(named.end - 1) + 1 });
        }
      }
    }
  };
  readSections(content, lines, ({ blocks }) => {
    visit(blocks, null);
  });
  return found[0] ?? listed(ids);
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

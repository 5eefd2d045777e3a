import { mapLines } from './line-map.ts';
import { readSections } from './markdown-blocks.ts';
import { type ChunkOptions, PassagePacker } from './passage-packer.ts';

/** A passage before it has an ordinal and a hash. */
export interface Chunk {
  /** Headings above the passage, outermost first, including the heading of its own section. */
  readonly headings: readonly string[];
  /** An exact slice of the content, including heading lines and Markdown markup, without surrounding blank lines. */
  readonly text: string;
  /** First and last line of the slice in the content, counted from 1, inclusive. Front matter counts. */
  readonly startLine: number;
  readonly endLine: number;
}

/**
 * Cuts a text into the passages that are embedded and searched. Passages follow headings. Paragraphs, list items and
 * table rows are packed up to the limit. A longer block is cut between its items, else between its lines or sentences,
 * words, or code points, so that every visible character is in exactly one passage, in order. Front matter is left out
 * because its fields are indexed separately. Comments on lines of their own (`%% … %%` or `<!-- … -->`, outside lists and
 * quotes) are left out too, and a passage never spans one.
 */
export function chunk(content: string, options: ChunkOptions): Chunk[] {
  const lines = mapLines(content);
  const packer = new PassagePacker(content, options);
  readSections(content, lines, (section) => {
    packer.add(section);
  });
  return packer.finish().map(({ start, end, headings }) => ({
    headings,
    text: content.slice(start, end),
    startLine: lines.lineOf(start) + 1,
    endLine: lines.lineOf(end - 1) + 1,
  }));
}

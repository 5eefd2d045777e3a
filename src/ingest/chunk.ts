import { mapLines } from './line-map.ts';
import { readSections } from './markdown-blocks.ts';
import { PassagePacker } from './passage-packer.ts';

export interface ChunkOptions {
  /** The longest passage, in the counter's tokens. */
  readonly maxTokens: number;
  /** Tokens of a text as the embedder counts them, special tokens included. */
  readonly countTokens: (text: string) => number;
}

/** A passage before it has an ordinal and a hash. */
export interface Chunk {
  /** Titles above the passage, outermost first, its own section's heading included. */
  readonly headings: readonly string[];
  /** An exact slice of the content: heading lines and Markdown markup included, blank lines around it not. */
  readonly text: string;
  /** First and last line of the slice within the content, from 1, inclusive; front matter counts. */
  readonly startLine: number;
  readonly endLine: number;
}

/**
 * Cuts a text into the passages that are embedded and searched. Passages follow headings; paragraphs, list
 * items and table rows are packed up to the limit; a longer block is cut between its items, then its lines or
 * sentences, then words, then code points, so that every visible character is in exactly one passage, in order.
 * Left out are front matter (its fields are indexed by themselves) and comments that take whole lines, `%% … %%`
 * or `<!-- … -->`, outside lists and quotes; a passage ends before such a comment and another begins behind it.
 */
export function chunk(content: string, options: ChunkOptions): Chunk[] {
  const lines = mapLines(content);
  const packer = new PassagePacker(content, options);
  for (const section of readSections(content, lines)) packer.add(section);
  return packer.finish().map(({ start, end, headings }) => ({
    headings,
    text: content.slice(start, end),
    startLine: lines.lineOf(start) + 1,
    endLine: lines.lineOf(end - 1) + 1,
  }));
}

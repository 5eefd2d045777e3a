import type { Passage } from '../core/types.ts';

/**
 * Passages in a form that is cheap to send between threads. Cloning the thousands of objects of a long note would block
 * the receiving thread for longer than slicing them out of the content again.
 */
export interface PassageOffsets {
  /** Five numbers for each passage: start and end offset of its text, first and last line, index in `headings`. */
  readonly positions: Int32Array;
  readonly headings: readonly (readonly string[])[];
  /** The context of the last passage; the others have none. */
  readonly context: string | null;
  /** The hashes of all passages, concatenated; all have the same length. */
  readonly hashes: string;
}

const NUMBERS_PER_PASSAGE = 5;

/** @param passages The passages of `content` by ordinal. Each text is a slice of it, in order. */
export function offsetsOfPassages(content: string, passages: readonly Passage[]): PassageOffsets {
  const positions = new Int32Array(passages.length * NUMBERS_PER_PASSAGE);
  const indexByHeadings = new Map<string, number>();
  const headings: (readonly string[])[] = [];
  let end = 0;
  for (const [i, passage] of passages.entries()) {
    const start = content.indexOf(passage.text, end);
    end = start + passage.text.length;
    const name = JSON.stringify(passage.headings);
    const heading = indexByHeadings.get(name) ?? headings.push(passage.headings) - 1;
    indexByHeadings.set(name, heading);
    positions.set([start, end, passage.startLine, passage.endLine, heading], i * NUMBERS_PER_PASSAGE);
  }
  const context = passages.at(-1)?.context ?? null;
  return { positions, headings, context, hashes: passages.map(({ hash }) => hash).join('') };
}

export function passagesAtOffsets(
  content: string,
  { positions, headings, context, hashes }: PassageOffsets,
): Passage[] {
  const count = positions.length / NUMBERS_PER_PASSAGE;
  const hashLength = hashes.length / count;
  return Array.from({ length: count }, (_, ordinal) => {
    const [start, end, startLine, endLine, heading] = positions.subarray(ordinal * NUMBERS_PER_PASSAGE);
    return {
      ordinal,
      headings: headings[heading!]!,
      text: content.slice(start, end),
      context: ordinal === count - 1 ? context : null,
      startLine: startLine!,
      endLine: endLine!,
      hash: hashes.slice(ordinal * hashLength, (ordinal + 1) * hashLength),
    };
  });
}

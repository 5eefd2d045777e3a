import type { Passage } from '../core/types.ts';

/**
 * Passages on their way between threads. As objects, the thousands of a long note hold the thread that receives them
 * for longer than it takes to cut them out of the content again.
 */
export interface PackedPassages {
  /** Five numbers a passage: first and last offset of its text, first and last line, which of `headings`. */
  readonly places: Int32Array;
  readonly headings: readonly (readonly string[])[];
  /** One after the other, all of one length. */
  readonly hashes: string;
}

const NUMBERS = 5;

/** @param passages Of this content, by ordinal; each text is a slice of it, in order. */
export function packPassages(content: string, passages: readonly Passage[]): PackedPassages {
  const places = new Int32Array(passages.length * NUMBERS);
  const known = new Map<string, number>();
  const headings: (readonly string[])[] = [];
  let at = 0;
  for (const [i, passage] of passages.entries()) {
    const start = content.indexOf(passage.text, at);
    at = start + passage.text.length;
    const name = JSON.stringify(passage.headings);
    const heading = known.get(name) ?? headings.push(passage.headings) - 1;
    known.set(name, heading);
    places.set([start, at, passage.startLine, passage.endLine, heading], i * NUMBERS);
  }
  return { places, headings, hashes: passages.map(({ hash }) => hash).join('') };
}

export function unpackPassages(content: string, { places, headings, hashes }: PackedPassages): Passage[] {
  const count = places.length / NUMBERS;
  const hashLength = hashes.length / count;
  return Array.from({ length: count }, (_, ordinal) => {
    const [start, end, startLine, endLine, heading] = places.subarray(ordinal * NUMBERS);
    return {
      ordinal,
      headings: headings[heading!]!,
      text: content.slice(start, end),
      startLine: startLine!,
      endLine: endLine!,
      hash: hashes.slice(ordinal * hashLength, (ordinal + 1) * hashLength),
    };
  });
}

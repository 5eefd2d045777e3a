import { sha256 } from '../core/ids.ts';
import type { Span } from '../core/types.ts';

/** A text in a fence of Loci: a pack, or what was recalled. */
export interface FencedText {
  /** UTF-8 bytes of the prompt, end exclusive. */
  readonly bytes: Span;
  /** SHA-256 of the text with its fence, as a receipt has it. */
  readonly hash: string;
}

const FENCE = /<(loci-[a-z]+) id="([0-9a-f]{1,64})">[\s\S]*?<\/\1 id="\2">/gu;

/** The texts in fences of Loci in a prompt. */
export function fencedTexts(prompt: string): FencedText[] {
  return Array.from(prompt.matchAll(FENCE), ({ 0: text, index }) => {
    const start = Buffer.byteLength(prompt.slice(0, index));
    return { bytes: { start, end: start + Buffer.byteLength(text) }, hash: sha256(text) };
  });
}

/** What is looked for in a prompt. */
export interface SoughtPiece {
  /** Its bytes in the text of the receipt. */
  readonly pack: Span;
  /** What it shows; `null` if the record no longer says it. */
  readonly shown: string | null;
}

/** A shorter text, such as a title of one word, may be in a prompt by chance: it is found only near other pieces. UTF-16 code units. */
const MIN_ALONE = 16;

/**
 * Where the pieces of a receipt are in a prompt: UTF-8 bytes, end exclusive; `null` for those that are not in it.
 * @param packs the beginnings of the receipt's whole text in the prompt, in bytes: there, every piece is at its place
 */
export function findPieces(
  prompt: Buffer,
  pieces: readonly SoughtPiece[],
  packs: readonly number[],
): (Span | null)[] {
  const [start] = packs;
  if (start !== undefined)
    return pieces.map(({ pack }) => ({ start: start + pack.start, end: start + pack.end }));
  // A text that was changed or cut still has its pieces in order, except where something else stands before them.
  let from = 0;
  const found = pieces.map(({ shown }): Span | null => {
    if (shown === null || shown === '') return null;
    const text = Buffer.from(shown);
    const next = prompt.indexOf(text, from);
    const at = next === -1 && shown.length >= MIN_ALONE ? prompt.indexOf(text) : next;
    if (at === -1) return null;
    from = at + text.length;
    return { start: at, end: at + text.length };
  });
  const isCertain = pieces.some(({ shown }, i) => found[i] !== null && (shown?.length ?? 0) >= MIN_ALONE);
  return isCertain ? found : found.map(() => null);
}

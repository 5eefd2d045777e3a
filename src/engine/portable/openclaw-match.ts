import { shortHash } from '../../core/hash.ts';
import type { LociRecord } from '../../core/types.ts';
import type { Piece } from './openclaw-pieces.ts';

/** What an earlier import made of a piece, and what that piece is now. */
export interface Match {
  /** `null` for what is gone from the file. */
  readonly piece: Piece | null;
  /** `null` for what is new. */
  readonly held: LociRecord | null;
}

/** What the metadata of a record says of the piece that it was made of. */
export function markOf({ metadata }: LociRecord): { heading: unknown; hash: unknown; removed: boolean } {
  return {
    heading: metadata['heading'] ?? '',
    hash: metadata['imported'],
    removed: metadata['removed'] === true,
  };
}

export function hashOf({ content }: Piece): string {
  return shortHash(content);
}

/** Shares of words of two points that are still the same point, edited. */
const ALIKE = 0.5;

/**
 * Which piece of a file is which record of it: first what is the same under the same heading, then what was moved to
 * another, then what was edited; a section is known by its heading, a point by its words.
 */
export function matched(pieces: readonly Piece[], held: readonly LociRecord[]): Match[] {
  const matches: Match[] = [];
  const left = new Set(held);
  const pair = (isSame: (piece: Piece, record: LociRecord) => boolean, rest: readonly Piece[]): Piece[] =>
    rest.filter((piece) => {
      const record = [...left].find((each) => isSame(piece, each));
      if (record === undefined) return true;
      left.delete(record);
      matches.push({ piece, held: record });
      return false;
    });
  const hashes = new Map(pieces.map((piece) => [piece, hashOf(piece)]));
  const isSame = (piece: Piece, record: LociRecord): boolean => hashes.get(piece) === markOf(record).hash;
  const isBeside = (piece: Piece, record: LociRecord): boolean => piece.heading === markOf(record).heading;
  // What its owner deleted here is not the former state of something else.
  const isOurs = (record: LociRecord): boolean => record.deletedAt === null || markOf(record).removed;
  let rest = pair((piece, record) => isSame(piece, record) && isBeside(piece, record), pieces);
  rest = pair(isSame, rest);
  rest = pair((piece, record) => isOurs(record) && isBeside(piece, record) && isEdited(piece, record), rest);
  matches.push(...rest.map((piece) => ({ piece, held: null })));
  const gone = [...left].filter(({ deletedAt }) => deletedAt === null);
  return [...matches, ...gone.map((record) => ({ piece: null, held: record }))];
}

function isEdited({ kind, content }: Piece, record: LociRecord): boolean {
  if (kind === 'section') return record.recordType === 'note';
  return record.recordType === 'fact' && likeness(wordsOf(content), wordsOf(record.content)) >= ALIKE;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

/** Dice's coefficient of two sets of words, 0 to 1 (Dice 1945). */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return a.size + b.size === 0 ? 0 : (2 * shared) / (a.size + b.size);
}

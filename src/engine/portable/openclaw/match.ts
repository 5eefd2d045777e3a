import { shortHash } from '../../../core/hash.ts';
import type { LociRecord } from '../../../core/types.ts';
import type { Piece } from './pieces.ts';

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
/** An edited point is looked for among so many of those under its heading, oldest first: all with all takes for ever. */
const MOST_COMPARED = 100;

/**
 * Which piece of a file is which record of it: first what is the same under the same heading, then what was moved to
 * another, then what was edited; a section is known by its heading, a point by its words.
 */
export function matched(pieces: readonly Piece[], held: readonly LociRecord[]): Match[] {
  const marks = new Map(held.map((record) => [record, markOf(record)]));
  const hashes = new Map(pieces.map((piece) => [piece, hashOf(piece)]));
  const pairing = new Pairing(pieces, held);
  pairing.pair(
    (piece) => [piece.heading, hashes.get(piece)],
    (record) => [marks.get(record)?.heading, marks.get(record)?.hash],
  );
  pairing.pair(
    (piece) => hashes.get(piece),
    (record) => marks.get(record)?.hash,
  );
  // What its owner deleted here is not the former state of something else.
  const isOurs = (record: LociRecord): boolean =>
    record.deletedAt === null || marks.get(record)?.removed === true;
  const words = new Words();
  pairing.pair(
    ({ heading, kind }) => [heading, kind === 'section' ? 'note' : 'fact'],
    (record) => isOurs(record) && [marks.get(record)?.heading, record.recordType],
    (piece, record) => piece.kind === 'section' || likeness(words.of(piece), words.of(record)) >= ALIKE,
  );
  return pairing.all();
}

/** Brings pieces and records together, each once. */
class Pairing {
  readonly #matches: Match[] = [];
  readonly #left: Set<LociRecord>;
  #pieces: readonly Piece[];

  constructor(pieces: readonly Piece[], held: readonly LociRecord[]) {
    this.#pieces = pieces;
    this.#left = new Set(held);
  }

  /** Of what is left, those that the same is said of, and that are alike. */
  pair(
    ofPiece: (piece: Piece) => unknown,
    ofRecord: (record: LociRecord) => unknown,
    areAlike: (piece: Piece, record: LociRecord) => boolean = () => true,
  ): void {
    const groups = Map.groupBy(this.#left, (record) => JSON.stringify(ofRecord(record)));
    const candidates = new Map([...groups].map(([name, records]) => [name, new Set(records)]));
    this.#pieces = this.#pieces.filter((piece) => {
      const among = candidates.get(JSON.stringify(ofPiece(piece)));
      const record = firstOf(among, (each) => areAlike(piece, each));
      if (record === undefined) return true;
      among?.delete(record);
      this.#left.delete(record);
      this.#matches.push({ piece, held: record });
      return false;
    });
  }

  /** The pairs, then what is new, then what is gone. */
  all(): Match[] {
    const added = this.#pieces.map((piece) => ({ piece, held: null }));
    const gone = [...this.#left].filter(({ deletedAt }) => deletedAt === null);
    return [...this.#matches, ...added, ...gone.map((record) => ({ piece: null, held: record }))];
  }
}

function firstOf(
  among: Iterable<LociRecord> | undefined,
  isWanted: (record: LociRecord) => boolean,
): LociRecord | undefined {
  let compared = 0;
  for (const record of among ?? []) {
    if (isWanted(record)) return record;
    if (++compared === MOST_COMPARED) return undefined;
  }
  return undefined;
}

/** The words of what is compared again and again. */
class Words {
  readonly #known = new Map<{ readonly content: string }, ReadonlySet<string>>();

  of(text: { readonly content: string }): ReadonlySet<string> {
    const words = this.#known.get(text) ?? wordsOf(text.content);
    this.#known.set(text, words);
    return words;
  }
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

/** Dice's coefficient of two sets of words, 0 to 1 (Dice 1945). */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return a.size + b.size === 0 ? 0 : (2 * shared) / (a.size + b.size);
}

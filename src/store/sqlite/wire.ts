import type { SQLOutputValue } from 'node:sqlite';
import type { PassageScore, StoredPassage } from '../store.ts';
import { headerOfList, storedPassageOf } from './rows.ts';

/** Passage, record and score of each, one after another. */
export type PackedScores = Float64Array<ArrayBuffer>;

/** Passages by id. The others than the missing ones are held already, as of an epoch of their namespace. */
export interface AskedPassages {
  readonly ids: readonly number[];
  readonly missing: readonly number[];
  readonly epoch: number | null;
}

/** Rows as SQLite writes them down in JSON; a record once, however many passages it has. */
export interface PackedPassages {
  readonly epoch: number;
  /** Whether what is held is true; else all that was asked for is here. */
  readonly isKnown: boolean;
  readonly passages: string;
  readonly records: string;
}

/** For a namespace that has never been written. */
export const NO_PASSAGES: PackedPassages = { epoch: 0, isKnown: false, passages: '[]', records: '[]' };

/**
 * Calls whose answers leave the thread as one array of numbers: to clone hundreds of small objects takes
 * longer than to find what they say.
 */
export interface PackedAnswers {
  readonly searchText: PackedScores;
  readonly searchVectors: PackedScores;
  readonly scoreVectors: PackedScores;
  readonly newest: PackedScores;
}

const UNPACK: { readonly [Call in keyof PackedAnswers]: (answer: PackedAnswers[Call]) => unknown } = {
  searchText: unpackScores,
  searchVectors: unpackScores,
  scoreVectors: unpackScores,
  newest: unpackScores,
};

/** A call's answer as the interface of the store promises it. */
export function unpacked(call: string, answer: unknown): unknown {
  return call in UNPACK ? UNPACK[call as keyof PackedAnswers](answer as never) : answer;
}

export function packScores(scores: readonly PassageScore[]): PackedScores {
  const packed = new Float64Array(scores.length * 3);
  for (const [i, { passage, record, score }] of scores.entries()) packed.set([passage, record, score], i * 3);
  return packed;
}

function unpackScores(packed: PackedScores): PassageScore[] {
  return Array.from({ length: packed.length / 3 }, (_, i) => ({
    passage: packed[i * 3]!,
    record: packed[i * 3 + 1]!,
    score: packed[i * 3 + 2]!,
  }));
}

export function unpackPassages(namespace: string, { passages, records }: PackedPassages): StoredPassage[] {
  const headers = new Map(
    (JSON.parse(records) as SQLOutputValue[][]).map((row) => [row[0], headerOfList(namespace, row)] as const),
  );
  return (JSON.parse(passages) as SQLOutputValue[][]).flatMap((row) => {
    const record = headers.get(row[1]);
    return record === undefined ? [] : [storedPassageOf(row, record)];
  });
}

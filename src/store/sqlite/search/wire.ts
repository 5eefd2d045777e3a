import type { SQLOutputValue } from 'node:sqlite';
import type { PassageScore, StoredPassage } from '../../search-model.ts';
import { headerOfList, storedPassageOf } from '../records/rows.ts';

/** Passage, record and score of each result in turn. Cloning hundreds of small objects takes longer than finding them. */
export type PackedScores = Float64Array<ArrayBuffer>;

/** A request for passages by id. The caller's cache has all but the missing ones, as of this epoch of the namespace. */
export interface PassageRequest {
  readonly ids: readonly number[];
  readonly missing: readonly number[];
  readonly epoch: number | null;
}

/** Rows as JSON, written by SQLite; each record once, however many of its passages there are. */
export interface PackedPassages {
  readonly epoch: number;
  /** Whether the caller's cache is current, so that only the missing passages are here; else all of them are. */
  readonly isCurrent: boolean;
  readonly passages: string;
  readonly records: string;
}

/** For a namespace that was never written. */
export const NO_PASSAGES: PackedPassages = { epoch: 0, isCurrent: false, passages: '[]', records: '[]' };

export function packScores(scores: readonly PassageScore[]): PackedScores {
  const packed = new Float64Array(scores.length * 3);
  for (const [i, { passage, record, score }] of scores.entries()) packed.set([passage, record, score], i * 3);
  return packed;
}

export function unpackScores(packed: PackedScores): PassageScore[] {
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

import type { Timestamp } from '../../../core/types.ts';
import type { SimilarRecord } from '../../search-model.ts';
import type { Database } from '../database/database.ts';
import { searchVectors, vectorOf, type VectorCaches } from './vectors.ts';

/** Passages to look up for each record that is wanted: several passages of a long record may be near. */
const PASSAGES_PER_RECORD = 6;

export function similarRecords(
  db: Database,
  caches: VectorCaches,
  ns: number,
  generation: number,
  records: readonly number[],
  { now, limit }: { readonly now: Timestamp; readonly limit: number },
): Map<number, SimilarRecord[]> {
  const first = db.prepare('SELECT id FROM passage WHERE ns = ? AND record = ? AND ordinal = 0');
  const similar = new Map<number, SimilarRecord[]>();
  for (const record of records) {
    const passage = first.get(ns, record)?.['id'] as number | undefined;
    const vector = passage === undefined ? null : vectorOf(db, ns, generation, passage);
    if (vector === null) continue;
    const wanted = PASSAGES_PER_RECORD * (limit + 1);
    const best = new Map<number, number>();
    for (const { record: other, score } of searchVectors(db, caches, ns, generation, vector, { now }, wanted))
      if (other !== record && !best.has(other)) best.set(other, score);
    const ordered = [...best].sort(([a, x], [b, y]) => y - x || a - b).slice(0, limit);
    similar.set(
      record,
      ordered.map(([other, cosine]) => ({ record: other, cosine })),
    );
  }
  return similar;
}

import { validUntil } from '../../core/valid-until.ts';
import type { Hit } from '../../search/rank/confidence.ts';

/** Moves what has taken the place of a fact that has ended directly before it, if both were found. The other hits keep their order. */
export function currentFirst(hits: readonly Hit[]): readonly Hit[] {
  if (!hits.some((hit) => successorId(hit) !== null)) return hits;
  const byRecord = new Map(hits.toReversed().map((hit) => [hit.passage.record.id, hit]));
  const ordered = new Set<Hit>();
  const seen = new Set<Hit>();
  const place = (hit: Hit): void => {
    if (seen.has(hit)) return;
    seen.add(hit);
    const successor = byRecord.get(successorId(hit) ?? -1);
    if (successor !== undefined) place(successor);
    ordered.add(hit);
  };
  hits.forEach(place);
  return [...ordered];
}

/** The number of the record that has taken the place of this one; `null` if it is true, as far as is known. */
function successorId({ passage: { record } }: Hit): number | null {
  const { superseded_by: successor } = record.metadata;
  if (validUntil(record) === null || typeof successor !== 'string') return null;
  const [, id] = /^record\/(\d{1,15})$/.exec(successor) ?? [];
  return id === undefined ? null : Number(id);
}

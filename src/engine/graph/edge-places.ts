import type { LociRecord } from '../../core/types.ts';
import type { GraphEdge } from '../../store/graph-model.ts';
import type { EngineContext } from '../context.ts';
import { citationsOf, wholeCitations } from '../records/citations/citation.ts';

/** The record from which an edge was derived, and the citation of the lines there, or of the whole record if none says it. */
export interface EdgePlace {
  readonly record: LociRecord;
  readonly citation: string;
}

/** The records from which edges were derived, and others, by id. */
export async function recordsOfEdges(
  { store, namespace, now }: EngineContext,
  edges: readonly GraphEdge[],
  others: readonly number[] = [],
): Promise<Map<number, LociRecord>> {
  const ids = [...new Set([...edges.map(({ provenance }) => provenance.record), ...others])];
  const records = await store.records.get(namespace, ids, { liveAt: now() });
  return new Map(records.map((record) => [record.id, record]));
}

/** Edges whose record is gone are left out. */
export async function edgePlaces(
  context: EngineContext,
  edges: readonly GraphEdge[],
  records: ReadonlyMap<number, LociRecord>,
): Promise<Map<GraphEdge, EdgePlace>> {
  const known = edges.flatMap((edge) => {
    const record = records.get(edge.provenance.record);
    return record === undefined ? [] : [{ edge, record }];
  });
  const [whole, lines] = await Promise.all([
    wholeCitations(
      context,
      known.map(({ record }) => record),
    ),
    citationsOf(
      context,
      known.map(({ edge: { provenance }, record }) => ({
        record,
        startLine: provenance.lines?.first ?? 1,
        endLine: provenance.lines?.last ?? 1,
      })),
    ),
  ]);
  return new Map(
    known.map(({ edge, record }, i) => {
      const citation = edge.provenance.lines === null ? whole[i]! : lines[i]!;
      return [edge, { record, citation }];
    }),
  );
}

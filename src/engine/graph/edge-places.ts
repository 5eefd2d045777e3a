import type { LociRecord } from '../../core/types.ts';
import type { GraphEdge } from '../../store/graph-model.ts';
import type { EngineContext } from '../context.ts';
import { citationsOf, wholeCitations } from '../shared/citations.ts';

/** The record from which an edge was derived, and the citation of the lines there, or of the whole record if none says it. */
export interface EdgePlace {
  readonly record: LociRecord;
  readonly citation: string;
}

/** Edges whose record is gone are left out. */
export async function edgePlaces(
  context: EngineContext,
  edges: readonly GraphEdge[],
): Promise<Map<GraphEdge, EdgePlace>> {
  const { store, namespace, now } = context;
  const ids = [...new Set(edges.map(({ provenance }) => provenance.record))];
  const records = new Map(
    (await store.records.get(namespace, ids, { liveAt: now() })).map((record) => [record.id, record]),
  );
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

import { isDeepStrictEqual } from 'node:util';
import { assertNotAborted } from '../../core/progress.ts';
import { type EdgeDraft, type RecordGraph, recordNode, type BelongsTo } from '../../store/graph-model.ts';
import { rounded } from './record-graph.ts';
import type { DerivationOptions } from './derive.ts';

const PAGE = 100;

/**
 * Copies to the graph to which notes documents of sources belong, as `search/belongs-to.ts` has derived it. Writes only what
 * differs.
 * @throws LociError `aborted`, and the errors of the store
 */
export async function deriveDocumentEdges(options: DerivationOptions): Promise<void> {
  const { store, namespace, now, fence } = options;
  const selector = { filter: { now, origins: ['source'] }, order: 'oldest', damaged: 'is empty' } as const;
  for (let after: number | null = null; ;) {
    assertNotAborted(options);
    const documents = await store.records.list(namespace, selector, { after, limit: PAGE });
    const last = documents.at(-1);
    if (last === undefined) return;
    const hashes = new Map(documents.map(({ id, contentHash }) => [id, contentHash]));
    const ids = [...hashes.keys()];
    const edges = Map.groupBy(
      await store.records.belongsTo(namespace, { documents: ids }),
      ({ document }) => document,
    );
    const before = await store.graph.contributions(namespace, 'documents', ids);
    const records = new Map<number, RecordGraph>();
    for (const [id, hash] of hashes) {
      const wanted = (edges.get(id) ?? []).map((edge) => edgeOf(edge, hash));
      if (!isDeepStrictEqual(byTarget(wanted), byTarget(before.get(id)?.edges ?? [])))
        records.set(id, { nodes: [], edges: wanted });
    }
    if (records.size > 0)
      await store.records.commit(namespace, {
        graph: { lane: 'documents', records, shared: [] },
        ...(fence !== undefined && { fence }),
      });
    after = last.id;
  }
}

function byTarget(edges: readonly EdgeDraft[]): EdgeDraft[] {
  return [...edges].sort((a, b) => (a.dst < b.dst ? -1 : 1));
}

/** The first note is the one to which the document belongs most probably. */
function edgeOf({ document, note, position, share, confidence }: BelongsTo, hash: string): EdgeDraft {
  const percent = `${String(Math.round(100 * confidence))}% sure`;
  return {
    src: recordNode(document),
    dst: recordNode(note),
    type: 'part_of',
    weight: Math.max(0.001, rounded(confidence * share)),
    reason: `its text finds this note ${position === 1 ? 'first' : `as number ${String(position)}`} (${percent})`,
    provenance: { record: document, passage: null, lines: null, hash },
  };
}

import type { LociRecord } from '../../core/types.ts';
import type { GraphEdge, GraphNode, GraphProvenance } from '../../store/graph-model.ts';
import type { EngineContext } from '../context.ts';
import { citationsOf, wholeCitations } from '../shared/citations.ts';
import type { TaskRunner } from '../../core/threads/task-thread.ts';
import type { Step } from '../../graph/walk.ts';
import { TextMask } from '../../secrets/detect.ts';

/** Masks the credentials in what an answer shows of the graph: titles, tags and reasons. Ids and citations stay, because calls take them. */
export class GraphMask {
  readonly texts: TextMask;
  /** The same edge stays the same object, by which its place is found. */
  readonly #edges = new Map<GraphEdge, Promise<GraphEdge>>();

  constructor(thread: TaskRunner) {
    this.texts = new TextMask(thread);
  }

  async node(node: GraphNode): Promise<GraphNode> {
    const [title, tags] = await Promise.all([this.texts.text(node.title), this.texts.texts(node.tags)]);
    return { ...node, title, tags };
  }

  edge(edge: GraphEdge): Promise<GraphEdge> {
    const known = this.#edges.get(edge);
    if (known !== undefined) return known;
    const masked = this.texts.text(edge.reason).then((reason) => ({ ...edge, reason }));
    this.#edges.set(edge, masked);
    return masked;
  }

  async steps(steps: readonly Step[]): Promise<Step[]> {
    return Promise.all(
      steps.map(async ({ edge, from, to, forwards }) => ({
        edge: await this.edge(edge),
        from: await this.node(from),
        to: await this.node(to),
        forwards,
      })),
    );
  }
}

/** What was derived from a record: an edge, or a node. */
interface Derived {
  readonly provenance: GraphProvenance;
}

/** The record from which something was derived, and the citation of the lines there, or of the whole record if none says it. */
interface EdgePlace {
  readonly record: LociRecord;
  readonly citation: string;
}

/** The records from which edges and nodes were derived, and others, by id. */
export async function recordsOfEdges(
  { store, namespace, now }: EngineContext,
  edges: readonly Derived[],
  others: readonly number[] = [],
): Promise<Map<number, LociRecord>> {
  const ids = [...new Set([...edges.map(({ provenance }) => provenance.record), ...others])];
  const records = await store.records.get(namespace, ids, { liveAt: now() });
  return new Map(records.map((record) => [record.id, record]));
}

/** Edges and nodes whose record is gone are left out. */
export async function edgePlaces<Each extends Derived>(
  context: EngineContext,
  edges: readonly Each[],
  records: ReadonlyMap<number, LociRecord>,
): Promise<Map<Each, EdgePlace>> {
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

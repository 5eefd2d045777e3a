import type { EdgeDraft, GraphLane, GraphProgress, NodeDraft } from '../../src/store/graph-model.ts';

/** An edge with the record that contributes it. */
export interface OwnedEdge {
  readonly edge: EdgeDraft;
  readonly record: number;
  readonly lane: GraphLane;
}

export interface OracleGraph {
  /** By key. */
  nodes: Map<string, NodeDraft>;
  /** By source, type and target, as JSON. */
  edges: Map<string, OwnedEdge>;
  /** The change since which a record is stale. */
  stale: Map<number, number>;
  progress: GraphProgress;
}

export function emptyGraph(): OracleGraph {
  return {
    nodes: new Map(),
    edges: new Map(),
    stale: new Map(),
    progress: { upTo: 0, similarUpTo: 0, rules: '' },
  };
}

export function removeFromGraph(graph: OracleGraph, record: number): void {
  const before = sharedWithEdges(graph);
  for (const [key, node] of graph.nodes) if (node.record === record) removeNode(graph, key);
  removeNode(graph, `r${String(record)}`);
  for (const [key, each] of graph.edges) if (each.record === record) graph.edges.delete(key);
  graph.stale.delete(record);
  removeAbandoned(graph, before);
}

export function removeNode(graph: OracleGraph, node: string): void {
  graph.nodes.delete(node);
  for (const [key, { edge }] of graph.edges)
    if (edge.src === node || edge.dst === node) graph.edges.delete(key);
}

/** The nodes that records share and that have an edge. */
export function sharedWithEdges({ nodes, edges }: OracleGraph): Set<string> {
  const ends = [...edges.values()].flatMap(({ edge }) => [edge.src, edge.dst]);
  return new Set(ends.filter((key) => nodes.get(key)?.record === null));
}

/** Removes those nodes that have no edge any more. */
export function removeAbandoned(graph: OracleGraph, candidates: ReadonlySet<string>): void {
  const used = sharedWithEdges(graph);
  for (const key of candidates) if (!used.has(key)) graph.nodes.delete(key);
}

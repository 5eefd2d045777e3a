import type { GraphNode } from '../store/graph-model.ts';
import { compare, type NodeSteps, type Step, stepsFrom, type WalkOptions } from './walk.ts';

/** Edges of one node to look at in each direction. */
const EDGES_PER_NODE = 200;
/** Nodes to visit at most. Two nodes that are further apart have no path that says anything. */
const MAX_VISITED = 2000;
const MAX_STEPS = 8;
/** The nodes whose edges are read with one call. */
const BATCH = 16;
/** What a step costs beside its weight, so that one good edge is better than two perfect ones. */
const COST_OF_STEP = 0.2;

export interface PathSearch {
  /** From the first node to the second; `null` if none was found. Empty for one and the same node. */
  readonly path: readonly Step[] | null;
  /** Whether the search ended before all nodes within reach were visited. */
  readonly isPartial: boolean;
}

interface Visit {
  readonly node: GraphNode;
  readonly cost: number;
  readonly path: readonly Step[];
}

/**
 * The shortest path between two nodes, either way along the edges: the one whose steps have the highest product of weights,
 * with a cost for each step (Dijkstra's algorithm on the logarithms of the weights). Ties by the ids of nodes.
 */
export async function shortestPath(
  options: WalkOptions,
  from: GraphNode,
  to: GraphNode,
): Promise<PathSearch> {
  const settled = new Set<string>();
  const known = new Map<string, NodeSteps>();
  const open = new Map<string, Visit>([[from.id, { node: from, cost: 0, path: [] }]]);
  while (open.size > 0) {
    if (settled.size >= MAX_VISITED) return { path: null, isPartial: true };
    const nearest = [...open.values()].sort(nearestFirst).slice(0, BATCH);
    const visit = nearest[0]!;
    if (visit.node.id === to.id) return { path: visit.path, isPartial: false };
    open.delete(visit.node.id);
    settled.add(visit.node.id);
    if (visit.path.length >= MAX_STEPS) continue;
    // The others are the next ones that will probably be visited.
    const missing = nearest.map(({ node }) => node).filter(({ id }) => !known.has(id));
    if (!known.has(visit.node.id))
      for (const [id, steps] of await stepsFrom(options, missing, EDGES_PER_NODE)) known.set(id, steps);
    for (const step of known.get(visit.node.id)?.steps ?? []) {
      if (settled.has(step.to.id)) continue;
      const cost = visit.cost + COST_OF_STEP - Math.log(step.edge.weight);
      const before = open.get(step.to.id);
      if (before === undefined || cost < before.cost)
        open.set(step.to.id, { node: step.to, cost, path: [...visit.path, step] });
    }
  }
  return { path: null, isPartial: false };
}

function nearestFirst(a: Visit, b: Visit): number {
  return a.cost - b.cost || compare(a.node.id, b.node.id);
}

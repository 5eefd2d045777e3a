import type { GraphNode } from '../store/graph-model.ts';
import { compare } from './model.ts';
import { type NodeSteps, type Step, stepsFrom, type WalkOptions } from './walk.ts';

/** Edges of one node to look at in each direction. */
const EDGES_PER_NODE = 200;
/** Nodes to visit at most. Two nodes that are further apart have no path that says anything. */
const MAX_VISITED = 2000;
/** The nodes whose edges are read with one call. */
const BATCH = 32;
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
  /** The step by which the node was reached; `null` where the search began. */
  readonly by: Step | null;
}

/**
 * The shortest path between two nodes, either way along the edges: the one whose steps have the highest product of weights,
 * with a cost for each step. It is Dijkstra's algorithm on the logarithms of the weights, from both ends at once, so that it visits
 * few of the nodes of a large graph. Ties by the ids of nodes.
 */
export async function shortestPath(
  options: WalkOptions,
  from: GraphNode,
  to: GraphNode,
): Promise<PathSearch> {
  const known = new Map<string, NodeSteps>();
  const sides = [new Side(from), new Side(to)] as const;
  let best: { readonly id: string; readonly cost: number } | null =
    from.id === to.id ? { id: from.id, cost: 0 } : null;
  for (;;) {
    const costs = sides.map((side) => side.nearestCost());
    // No path through nodes that are not visited yet is shorter.
    if (costs.includes(null) || (best !== null && costs[0]! + costs[1]! >= best.cost)) break;
    if (sides[0].visited.size + sides[1].visited.size >= MAX_VISITED) {
      if (best === null) return { path: null, isPartial: true };
      break;
    }
    const i = costs[0]! <= costs[1]! ? 0 : 1;
    const side = sides[i];
    const missing = side.nearest(BATCH).filter(({ id }) => !known.has(id));
    const visit = side.visit();
    if (!known.has(visit.node.id))
      for (const [id, steps] of await stepsFrom(options, missing, EDGES_PER_NODE)) known.set(id, steps);
    for (const step of known.get(visit.node.id)?.steps ?? []) {
      if (isDeadEnd(step, sides[1 - i]!)) continue;
      side.reach(step, visit.cost);
      const total = sides[0].costOf(step.to.id) + sides[1].costOf(step.to.id);
      if (best === null ? total < Infinity : total < best.cost) best = { id: step.to.id, cost: total };
    }
  }
  if (best === null) return { path: null, isPartial: false };
  const back = sides[1].stepsTo(best.id).map(reversed);
  return { path: [...sides[0].stepsTo(best.id), ...back.reverse()], isPartial: false };
}

/** A task leads back to its note only. */
function isDeadEnd({ from, to }: Step, other: Side): boolean {
  return to.type === 'task' && to.record === from.record && other.start.id !== to.id;
}

function reversed({ edge, from, to, forwards }: Step): Step {
  return { edge, from: to, to: from, forwards: !forwards };
}

/** What one end has reached. */
class Side {
  readonly start: GraphNode;
  readonly visited = new Set<string>();
  readonly #reached = new Map<string, Visit>();
  readonly #open = new Map<string, Visit>();

  constructor(start: GraphNode) {
    this.start = start;
    const visit = { node: start, cost: 0, by: null };
    this.#reached.set(start.id, visit);
    this.#open.set(start.id, visit);
  }

  costOf(id: string): number {
    return this.#reached.get(id)?.cost ?? Infinity;
  }

  /** `null` when nothing is left to visit. */
  nearestCost(): number | null {
    return this.#nearestVisit()?.cost ?? null;
  }

  /** The nodes that are visited next. */
  nearest(count: number): GraphNode[] {
    if (this.#open.size > 100 * count) return [this.#nearestVisit()!.node];
    return [...this.#open.values()]
      .sort(nearestFirst)
      .slice(0, count)
      .map(({ node }) => node);
  }

  visit(): Visit {
    const visit = this.#nearestVisit()!;
    this.#open.delete(visit.node.id);
    this.visited.add(visit.node.id);
    return visit;
  }

  reach(step: Step, costBefore: number): void {
    const { id } = step.to;
    if (this.visited.has(id)) return;
    const cost = costBefore + COST_OF_STEP - Math.log(step.edge.weight);
    if (cost >= this.costOf(id)) return;
    const visit = { node: step.to, cost, by: step };
    this.#reached.set(id, visit);
    this.#open.set(id, visit);
  }

  stepsTo(id: string): Step[] {
    const steps: Step[] = [];
    for (
      let by = this.#reached.get(id)?.by ?? null;
      by !== null;
      by = this.#reached.get(by.from.id)?.by ?? null
    )
      steps.push(by);
    return steps.reverse();
  }

  #nearestVisit(): Visit | undefined {
    let nearest: Visit | undefined;
    for (const visit of this.#open.values())
      if (nearest === undefined || nearestFirst(visit, nearest) < 0) nearest = visit;
    return nearest;
  }
}

function nearestFirst(a: Visit, b: Visit): number {
  return a.cost - b.cost || compare(a.node.id, b.node.id);
}

import type { GraphNode } from '../store/graph-model.ts';
import { compare } from './model.ts';
import { type Step, stepsFrom, type WalkOptions } from './walk.ts';

/** A node from which to expand, with its relevance. */
export interface ScoredNode {
  readonly node: GraphNode;
  /** 0 to 1. */
  readonly score: number;
}

/** A node near the anchors, with the path that justifies it. */
export interface ExpandedNode {
  readonly node: GraphNode;
  /** The score of the anchor where the path begins, less for every step. 0 to 1. */
  readonly score: number;
  /** From an anchor to the node. */
  readonly path: readonly Step[];
}

export interface ExpansionOptions extends WalkOptions {
  /** Steps of a path at most: 1 to `MAX_DEPTH`. */
  readonly depth: number;
  /** Nodes to return at most. */
  readonly limit: number;
}

export const MAX_DEPTH = 3;

/** Edges of one node to look at in each direction, so that one that 10,000 notes link to takes no more time than others. */
const EDGES_PER_NODE = 16;
/** Nodes whose edges are looked at for each step: those with the highest scores. */
const MAX_FRONTIER = 16;
/** A path does not lead through a node with more edges: what links to an index is not related. It may begin or end there. */
const MAX_DEGREE = 200;
/** A node with more edges passes on less of its score. */
const FULL_DEGREE = 12;
/** A note says more about those that it links to than about those that link to it. */
const BACKWARDS = 0.8;
/** Paths whose score is smaller are not followed. */
const MIN_SCORE = 0.01;

/**
 * The nodes of records near the anchors, the best first, ties by id, each by its best path. The score of a path is that of its
 * anchor times the weight of every step, so that the result does not depend on the order of the anchors. At most `depth` rounds
 * of one call of the store, each for at most `MAX_FRONTIER` nodes.
 */
export async function expand(
  options: ExpansionOptions,
  anchors: readonly ScoredNode[],
): Promise<ExpandedNode[]> {
  const best = new Map<string, ExpandedNode>();
  const anchorIds = new Set(anchors.map(({ node }) => node.id));
  for (const { node, score } of anchors) {
    const known = best.get(node.id);
    if (known === undefined || known.score < score) best.set(node.id, { node, score, path: [] });
  }
  let frontier = [...best.values()];
  for (let depth = 1; depth <= options.depth && frontier.length > 0; depth++) {
    const walked = frontier.sort(bestFirst).slice(0, MAX_FRONTIER);
    const steps = await stepsFrom(
      options,
      walked.map(({ node }) => node),
      EDGES_PER_NODE,
      depth === 1 ? undefined : MAX_DEGREE,
    );
    const reached = new Map<string, ExpandedNode>();
    for (const from of walked) {
      const { steps: all = [], degree = 0 } = steps.get(from.node.id) ?? {};
      for (const step of all) {
        const next = { node: step.to, score: scoreAfter(from, step, degree), path: [...from.path, step] };
        if (next.score < MIN_SCORE || anchorIds.has(step.to.id)) continue;
        if (isBetter(next, best.get(step.to.id))) {
          best.set(step.to.id, next);
          reached.set(step.to.id, next);
        }
      }
    }
    frontier = [...reached.values()];
  }
  return [...best.values()]
    .filter(({ node, path }) => path.length > 0 && node.record !== null)
    .sort(bestFirst)
    .slice(0, options.limit);
}

function scoreAfter(from: ExpandedNode, { edge, forwards }: Step, degree: number): number {
  const spread = 1 + Math.log2(Math.max(1, degree / FULL_DEGREE));
  return (from.score * edge.weight * (forwards ? 1 : BACKWARDS)) / spread;
}

/** Of two paths with one score, the shorter stays, else the one whose last step comes from the node with the smaller id. */
function isBetter(next: ExpandedNode, known: ExpandedNode | undefined): boolean {
  if (known === undefined || next.score !== known.score)
    return known === undefined || next.score > known.score;
  if (next.path.length !== known.path.length) return next.path.length < known.path.length;
  return compare(next.path.at(-1)?.from.id ?? '', known.path.at(-1)?.from.id ?? '') < 0;
}

function bestFirst(a: ExpandedNode, b: ExpandedNode): number {
  return b.score - a.score || compare(a.node.id, b.node.id);
}

import { EDGE_TYPES } from '../core/graph-types.ts';
import { type GraphNode, MAX_RANKED_EDGES } from '../store/graph-model.ts';
import { isProjectNode, readSteps, type Step, tagOf, type WalkOptions } from './walk.ts';

/** The edges of a node by what a walk does with them. */
export interface EdgeCounts {
  /** All edges to nodes that the caller may see. Where there are more than `MAX_RANKED_EDGES` one way, all edges. */
  readonly degree: number;
  /** Edges into other projects that the options do not allow to follow. */
  readonly otherProjects: number;
  /** Edges of tags that too many records have. */
  readonly commonTags: number;
  /** The edge of a record to its project, which no walk follows. */
  readonly ownProject: number;
}

/** Counts the edges of each of the nodes. @throws the errors of the store */
export async function countEdges(
  options: WalkOptions,
  nodes: readonly GraphNode[],
): Promise<Map<string, EdgeCounts>> {
  const { project, ...filter } = options.filter;
  const all = { ...options, filter, crossProjectTypes: EDGE_TYPES };
  const { steps, degrees, common } = await readSteps(all, nodes, { limit: MAX_RANKED_EDGES });
  const mayFollow = ({ edge, from, to }: Step): boolean =>
    (from.project === to.project || options.crossProjectTypes.includes(edge.type)) &&
    (project === undefined || project === to.project);
  const byNode = Map.groupBy(steps, ({ from }) => from.id);
  return new Map(
    degrees.map((stored): [string, EdgeCounts] => {
      const own = byNode.get(stored.id) ?? [];
      const kinds = Map.groupBy(own, (step) => {
        if (isProjectNode(step.to)) return 'ownProject';
        if (!mayFollow(step)) return 'otherProjects';
        return common.has(tagOf(step)?.id ?? '') ? 'commonTags' : 'followed';
      });
      const countOf = (kind: 'ownProject' | 'otherProjects' | 'commonTags'): number =>
        kinds.get(kind)?.length ?? 0;
      const isComplete = stored.out <= MAX_RANKED_EDGES && stored.in <= MAX_RANKED_EDGES;
      const counts = {
        degree: isComplete ? own.length : stored.out + stored.in,
        otherProjects: countOf('otherProjects'),
        commonTags: countOf('commonTags'),
        ownProject: countOf('ownProject'),
      };
      return [stored.id, counts];
    }),
  );
}

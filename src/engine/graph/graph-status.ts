import { z } from 'zod';
import { count } from '../../core/number-fields.ts';
import { EDGE_TYPES, NODE_TYPES } from '../../core/graph-types.ts';
import type { GraphCounts, GraphFilter, GraphState } from '../../store/graph-model.ts';
import { isBuilt, isTextCurrent } from '../../graph/build/derive.ts';
import { isSimilarCurrent } from '../../graph/build/similar.ts';
import { isConceptsCurrent } from '../../graph/concepts/derive-concepts.ts';
import { commonTags } from '../../graph/walk.ts';
import type { EngineContext } from '../context.ts';
import { expire } from '../shared/retention.ts';
import { projectField } from './graph-fields.ts';
import { graphFilter } from './graph-view.ts';

const CONDITIONS = ['off', 'building', 'behind', 'current'] as const;
export type GraphCondition = (typeof CONDITIONS)[number];

export const graphStatusInput = z.strictObject({ project: projectField() });

export const graphStatusOutput = z.strictObject({
  condition: z
    .enum(CONDITIONS)
    .describe(
      '`building`: not all records were derived once; `behind`: the last changes are not derived yet.',
    ),
  newest_change: count().describe('The number of the last change of a record.'),
  derived_up_to: count().describe('The last change that the graph takes into account.'),
  similar_up_to: count().describe('The same for edges between similar texts.'),
  stale: count().describe('Records whose links mean other notes now, and that are not derived again yet.'),
  nodes: count(),
  edges: count(),
  projects: z.array(
    z.strictObject({
      project: z.string(),
      nodes: z.partialRecord(z.enum(NODE_TYPES), count()).describe('By type.'),
    }),
  ),
  edges_by_type: z.partialRecord(z.enum(EDGE_TYPES), count()),
});
export type GraphStatusOutput = z.infer<typeof graphStatusOutput>;

export async function graphStatus(
  context: EngineContext,
  scope: z.infer<typeof graphStatusInput> = {},
): Promise<GraphStatusOutput> {
  const { store, namespace } = context;
  await expire(context);
  const state = await store.graph.state(namespace);
  const { nodes, edges } = await followedCounts(context, await graphFilter(context, scope));
  const byProject = Map.groupBy(nodes, ({ project }) => project);
  return {
    condition: conditionOf(context, state),
    newest_change: state.lastChange,
    derived_up_to: state.upTo,
    similar_up_to: state.similarUpTo,
    stale: state.stale,
    nodes: nodes.reduce((sum, each) => sum + each.nodes, 0),
    edges: edges.reduce((sum, each) => sum + each.edges, 0),
    projects: [...byProject].map(([project, types]) => ({
      project,
      nodes: Object.fromEntries(types.map((each) => [each.type, each.nodes])),
    })),
    edges_by_type: Object.fromEntries(edges.map((each) => [each.type, each.edges])),
  };
}

/** Nodes and edges without the tags that are too common to follow, as in an export. */
async function followedCounts(
  context: EngineContext,
  filter: GraphFilter,
): Promise<Pick<GraphCounts, 'nodes' | 'edges'>> {
  const { nodes, edges, tags } = await context.graph.counts(context.namespace, filter);
  const ids = await commonTags(
    context,
    tags.map(({ tag }) => tag),
  );
  const common = tags.filter(({ tag }) => ids.has(tag.id));
  const tagged = common.reduce((sum, each) => sum + each.edges, 0);
  const without = (project: string): number => common.filter(({ tag }) => tag.project === project).length;
  return {
    nodes: nodes
      .map((each) =>
        each.type === 'concept' ? { ...each, nodes: each.nodes - without(each.project) } : each,
      )
      .filter((each) => each.nodes > 0),
    edges: edges
      .map((each) => (each.type === 'tagged' ? { ...each, edges: each.edges - tagged } : each))
      .filter((each) => each.edges > 0),
  };
}

/** Whether the graph has all that follows from the records. */
export async function graphCondition(context: EngineContext): Promise<GraphCondition> {
  return conditionOf(context, await context.store.graph.state(context.namespace));
}

function conditionOf({ config: { graph } }: EngineContext, state: GraphState): GraphCondition {
  if (!graph.enabled) return 'off';
  if (state.lastChange > 0 && !isBuilt(state, graph.types)) return 'building';
  if (state.lastChange === 0) return 'current';
  const isCurrent = isTextCurrent(state, graph.types) && isSimilarCurrent(state) && isConceptsCurrent(state);
  return isCurrent ? 'current' : 'behind';
}

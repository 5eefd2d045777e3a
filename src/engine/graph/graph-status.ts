import type { GraphCounts, GraphFilter, GraphState } from '../../store/graph-model.ts';
import { isBuilt, isTextCurrent } from '../../graph/build/derive.ts';
import { isSimilarCurrent } from '../../graph/build/similar.ts';
import { isConceptsCurrent } from '../../graph/concepts/derive-concepts.ts';
import { commonTags } from '../../graph/walk.ts';
import type { EngineContext } from '../context.ts';
import { expire } from '../shared/retention.ts';
import { graphFilter, type GraphScope } from './graph-view.ts';

/** `behind`: some changes are not derived yet. `building`: not all records were derived once. */
export type GraphCondition = 'off' | 'building' | 'behind' | 'current';

export interface GraphStatus extends Omit<
  GraphState,
  'conceptRules' | 'changedNames' | 'conceptChanges' | 'waiting'
> {
  readonly condition: GraphCondition;
  readonly counts: Pick<GraphCounts, 'nodes' | 'edges'>;
}

export async function graphStatus(context: EngineContext, scope: GraphScope = {}): Promise<GraphStatus> {
  const { store, namespace } = context;
  await expire(context);
  const state = await store.graph.state(namespace);
  const counts = await followedCounts(context, await graphFilter(context, scope));
  const { upTo, similarUpTo, conceptsUpTo, rules, lastChange, stale } = state;
  const shown = { upTo, similarUpTo, conceptsUpTo, rules, lastChange, stale };
  return { ...shown, condition: conditionOf(context, state), counts };
}

/** Nodes and edges without the tags that are too common to follow, as in an export. */
async function followedCounts(
  { store, namespace }: EngineContext,
  filter: GraphFilter,
): Promise<Pick<GraphCounts, 'nodes' | 'edges'>> {
  const { nodes, edges, tags } = await store.graph.counts(namespace, filter);
  const ids = await commonTags(
    { graph: store.graph, namespace },
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

import type { GraphCounts, GraphState } from '../../store/graph-model.ts';
import { isBuilt, isTextCurrent } from '../../graph/build/derive.ts';
import { isSimilarCurrent } from '../../graph/build/similar.ts';
import { isConceptsCurrent } from '../../graph/concepts/derive-concepts.ts';
import type { EngineContext } from '../context.ts';
import { graphFilter, type GraphScope } from './graph-view.ts';

/** `behind`: some changes are not derived yet. `building`: not all records were derived once. */
export type GraphCondition = 'off' | 'building' | 'behind' | 'current';

export interface GraphStatus extends GraphState {
  readonly condition: GraphCondition;
  readonly counts: GraphCounts;
}

export async function graphStatus(context: EngineContext, scope: GraphScope): Promise<GraphStatus> {
  const { store, namespace } = context;
  await context.expire();
  const state = await store.graph.state(namespace);
  const counts = await store.graph.counts(namespace, await graphFilter(context, scope));
  return { ...state, condition: await conditionOf(context, state), counts };
}

/** Whether the graph has all that follows from the records. */
export async function graphCondition(context: EngineContext): Promise<GraphCondition> {
  return conditionOf(context, await context.store.graph.state(context.namespace));
}

async function conditionOf(
  { store, namespace, config: { graph } }: EngineContext,
  state: GraphState,
): Promise<GraphCondition> {
  if (!graph.enabled) return 'off';
  if (state.lastChange > 0 && !isBuilt(state, graph.types)) return 'building';
  if (state.lastChange === 0) return 'current';
  const isCurrent = isTextCurrent(state, graph.types) && isSimilarCurrent(state);
  return isCurrent && (await isConceptsCurrent({ store, namespace })) ? 'current' : 'behind';
}

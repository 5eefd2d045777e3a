import type { GraphCounts, GraphState } from '../../store/graph-model.ts';
import { isBuilt, isTextCurrent } from '../../graph/build/derive.ts';
import { isSimilarCurrent } from '../../graph/build/similar.ts';
import type { EngineContext } from '../context.ts';
import { graphFilter, type GraphScope } from './graph-view.ts';

/** `behind`: some changes are not derived yet. `building`: not all records were derived once. */
export type GraphCondition = 'off' | 'building' | 'behind' | 'current';

export interface GraphStatus extends GraphState {
  readonly condition: GraphCondition;
  readonly counts: GraphCounts;
}

export async function graphStatus(context: EngineContext, scope: GraphScope): Promise<GraphStatus> {
  const { store, namespace, config } = context;
  await context.expire();
  const state = await store.graph.state(namespace);
  const counts = await store.graph.counts(namespace, await graphFilter(context, scope));
  return { ...state, condition: conditionOf(config, state), counts };
}

function conditionOf({ graph }: EngineContext['config'], state: GraphState): GraphCondition {
  if (!graph.enabled) return 'off';
  if (state.lastChange > 0 && !isBuilt(state, graph.types)) return 'building';
  return state.lastChange === 0 || (isTextCurrent(state, graph.types) && isSimilarCurrent(state))
    ? 'current'
    : 'behind';
}

import { LociError } from '../../core/errors.ts';
import type { EdgeType } from '../../core/graph-types.ts';
import type { GraphFilter } from '../../store/graph-model.ts';
import type { WalkOptions } from '../../graph/walk.ts';
import type { EngineContext } from '../context.ts';
import {
  audienceOf,
  hiddenSources,
  sourcesOfNamespace,
  type Audience,
} from '../reading/configured/source-policies.ts';
import { expand, type ExpandedNode } from '../../graph/expand.ts';
import { isBuilt } from '../../graph/build/derive.ts';

/** What a request about the graph may see. */
export interface GraphScope {
  readonly project?: string;
  /** Asks to follow edges into other projects. The settings decide whether it may, and which types. */
  readonly allow_cross_project?: boolean;
  /** `context` hides what the settings keep out of a model's context, whoever asks. By the caller unless given. */
  readonly audience?: Audience;
}

/** @throws LociError `forbidden` while the settings switch the graph off */
export function assertGraphIsOn({ config }: EngineContext): void {
  if (config.graph.enabled) return;
  throw new LociError('forbidden', 'the graph is switched off', { hint: 'Set graph.enabled to true.' });
}

export async function graphFilter(
  context: EngineContext,
  { project, audience = audienceOf(context.caller, {}) }: GraphScope,
): Promise<GraphFilter> {
  const { vaults, sources, conversations } = await sourcesOfNamespace(context);
  const excludedSources = hiddenSources(vaults, [...sources, ...conversations], audience);
  return {
    ...(excludedSources.length > 0 && { excludedSources }),
    ...(project !== undefined && { project }),
  };
}

/** The types of edges that a request may follow into other projects. */
export function crossProjectTypes(
  { config: { graph } }: EngineContext,
  { allow_cross_project = false }: GraphScope,
): readonly EdgeType[] {
  return allow_cross_project && graph.crossProject ? graph.crossProjectTypes : [];
}

export async function walkOptions(context: EngineContext, scope: GraphScope): Promise<WalkOptions> {
  const { graph, namespace } = context;
  const filter = await graphFilter(context, scope);
  return {
    ...{ graph, namespace, filter },
    crossProjectTypes: crossProjectTypes(context, scope),
  };
}

interface NearRequest extends GraphScope {
  /** Records with their relevance, 0 to 1. */
  readonly anchors: readonly { readonly record: number; readonly score: number }[];
  /** 1 to `MAX_DEPTH`. */
  readonly depth: number;
  readonly limit: number;
}

/**
 * The nodes near some records, each with the path that justifies it. It does not update the graph first.
 * @throws LociError `store_busy` before all records were derived once, and the errors of the store
 */
export async function nodesNear(
  context: EngineContext,
  { anchors, depth, limit, ...scope }: NearRequest,
): Promise<ExpandedNode[]> {
  const { store, graph, namespace, config } = context;
  const options = await walkOptions(context, scope);
  const records = anchors.map(({ record }) => record);
  const [state, nodes] = await Promise.all([
    store.graph.state(namespace),
    graph.nodes(namespace, { records }, options.filter),
  ]);
  if (!isBuilt(state, config.graph.types)) throw new LociError('store_busy', 'the graph is being built');
  // The node of a record precedes those of its tasks.
  const byRecord = Map.groupBy(nodes, ({ record }) => record);
  const found = anchors.flatMap(({ record, score }) => {
    const node = byRecord.get(record)?.[0];
    return node === undefined ? [] : [{ node, score }];
  });
  return expand({ ...options, depth, limit }, found);
}

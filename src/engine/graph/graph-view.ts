import { LociError, messageOf, type ErrorCode } from '../../core/errors.ts';
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
import { within } from '../../core/time/deadline.ts';
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
  const { vaults, sources } = await sourcesOfNamespace(context);
  const excludedSources = hiddenSources(vaults, sources, audience);
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

interface NeighbourhoodRequest extends GraphScope {
  /** Records with their relevance, 0 to 1. */
  readonly anchors: readonly { readonly record: number; readonly score: number }[];
  /** 1 to `MAX_DEPTH`. */
  readonly depth: number;
  readonly limit: number;
}

/** Why the graph has not answered. */
type GraphFailure = 'off' | 'not_built' | 'deadline' | 'error';

/** The nodes near some records, or the reason why they are not known. A caller then goes on without them. */
type GraphNeighbourhood =
  | { readonly failure: null; readonly expanded: readonly ExpandedNode[]; readonly milliseconds: number }
  | {
      readonly failure: GraphFailure;
      /** The code of the error, as a receipt names it. */
      readonly code: ErrorCode;
      readonly detail: string;
      readonly milliseconds: number;
    };

/**
 * The nodes near some records, each with the path that justifies it. It never throws, and takes no longer than `graph.deadline`:
 * what uses it must work without the graph. It does not update the graph first.
 */
export async function neighbourhood(
  context: EngineContext,
  request: NeighbourhoodRequest,
): Promise<GraphNeighbourhood> {
  const started = performance.now();
  const failed = (failure: GraphFailure, code: ErrorCode, detail: string): GraphNeighbourhood => ({
    ...{ failure, code, detail },
    milliseconds: performance.now() - started,
  });
  const { enabled, deadline } = context.config.graph;
  if (!enabled) return failed('off', 'forbidden', 'graph.enabled is false');
  const answer = expandedOf(context, request).then(
    (expanded): GraphNeighbourhood =>
      expanded === null
        ? failed('not_built', 'store_busy', 'it is being built')
        : { failure: null, expanded, milliseconds: performance.now() - started },
    (error: unknown) =>
      failed('error', error instanceof LociError ? error.code : 'internal', messageOf(error)),
  );
  return within(answer, deadline, () =>
    failed('deadline', 'timed_out', `it took longer than graph.deadline, ${String(deadline)} ms`),
  );
}

/** Returns `null` before all records were derived once. */
async function expandedOf(
  context: EngineContext,
  { anchors, depth, limit, ...scope }: NeighbourhoodRequest,
): Promise<ExpandedNode[] | null> {
  const { store, graph, namespace, config } = context;
  if (!isBuilt(await store.graph.state(namespace), config.graph.types)) return null;
  const options = await walkOptions(context, scope);
  const records = anchors.map(({ record }) => record);
  const nodes = await graph.nodes(namespace, { records }, options.filter);
  // The node of a record precedes those of its tasks.
  const byRecord = Map.groupBy(nodes, ({ record }) => record);
  const found = anchors.flatMap(({ record, score }) => {
    const node = byRecord.get(record)?.[0];
    return node === undefined ? [] : [{ node, score }];
  });
  return expand({ ...options, depth, limit }, found);
}

import { LociError, messageOf, type ErrorCode } from '../../core/errors.ts';
import { within } from '../../core/time/deadline.ts';
import { expand, type ExpandedNode } from '../../graph/expand.ts';
import { isBuilt } from '../../graph/build/derive.ts';
import type { EngineContext } from '../context.ts';
import { type GraphScope, walkOptions } from './graph-view.ts';

export interface NeighbourhoodRequest extends GraphScope {
  /** Records with their relevance, 0 to 1. */
  readonly anchors: readonly { readonly record: number; readonly score: number }[];
  /** 1 to `MAX_DEPTH`. */
  readonly depth: number;
  readonly limit: number;
}

/** Why the graph has not answered. */
export type GraphFailure = 'off' | 'not_built' | 'deadline' | 'error';

/** The nodes near some records, or the reason why they are not known. A caller then goes on without them. */
export type GraphNeighbourhood =
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
  const { graph, namespace, config } = context;
  if (!isBuilt(await graph.state(namespace), config.graph.types)) return null;
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

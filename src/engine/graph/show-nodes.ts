import type { GraphEdge, GraphNode } from '../../store/graph-model.ts';
import { countEdges, type EdgeCounts } from '../../graph/edge-counts.ts';
import { expand, type ExpandedNode } from '../../graph/expand.ts';
import { type PathSearch, shortestPath } from '../../graph/path.ts';
import { type Step, stepsFrom } from '../../graph/walk.ts';
import type { EngineContext } from '../context.ts';
import { expire } from '../shared/retention.ts';
import { citationsOf, wholeCitations } from '../shared/citations.ts';
import { edgePlaces, recordsOfEdges } from './edge-places.ts';
import { findNodes, type UnknownNode } from './find-nodes.ts';
import { GraphMask } from './graph-mask.ts';
import { assertGraphIsOn, type GraphScope, walkOptions } from './graph-view.ts';
import { type PathAcrossProjects, pathAcrossProjects } from './other-projects.ts';
import { updateGraph } from './update-relations.ts';

export interface ShowRequest extends GraphScope {
  /** Ids, citations, titles, names of projects, or tags with `#`. */
  readonly names: readonly string[];
  /** 1 to `MAX_DEPTH`. */
  readonly depth: number;
  /** Edges of a node, and nodes near it, to return at most. */
  readonly limit: number;
}

export interface ShownNode {
  readonly node: GraphNode;
  /** `null` for a node that records share. */
  readonly citation: string | null;
  /** The edges that lead from it or to it, the closest first. */
  readonly steps: readonly Step[];
  /** All edges of the node that the caller may know, and why some are not shown. */
  readonly counts: EdgeCounts;
  /** The nodes that more than one step leads to; empty for a depth of 1. */
  readonly near: readonly ExpandedNode[];
}

export interface ShownNodes {
  readonly nodes: readonly ShownNode[];
  readonly unknown: readonly UnknownNode[];
  /** Citations of the places from which the edges were derived. */
  readonly places: ReadonlyMap<GraphEdge, string>;
}

/** Of a node that was removed a moment ago. */
const NO_EDGES: EdgeCounts = { degree: 0, otherProjects: 0, commonTags: 0, ownProject: 0 };

/** Credentials are masked, as in an export. @throws LociError `forbidden` while the graph is off */
export async function showNodes(context: EngineContext, request: ShowRequest): Promise<ShownNodes> {
  const options = await readyWalk(context, request);
  const { nodes, unknown } = await findNodes(context, request.names, options.filter);
  const steps = await stepsFrom(options, nodes, request.limit);
  const counts = await countEdges(options, nodes);
  const { depth, limit } = request;
  const shown: ShownNode[] = [];
  const mask = new GraphMask(context.thread);
  const citations = await citationsOfNodes(context, nodes);
  for (const [i, node] of nodes.entries()) {
    const found = steps.get(node.id);
    const near = depth > 1 ? await expand({ ...options, depth, limit }, [{ node, score: 1 }]) : [];
    const further = near.filter(({ path }) => path.length > 1);
    shown.push({
      node: await mask.node(node),
      citation: citations[i]!,
      steps: await mask.steps((found?.steps ?? []).slice(0, limit)),
      counts: counts.get(node.id) ?? NO_EDGES,
      near: await Promise.all(
        further.map(async ({ node: other, score, path }) => ({
          node: await mask.node(other),
          score,
          path: await mask.steps(path),
        })),
      ),
    });
  }
  const edges = shown.flatMap((each) => [
    ...each.steps.map(({ edge }) => edge),
    ...each.near.flatMap(({ path }) => path.map(({ edge }) => edge)),
  ]);
  return { nodes: shown, unknown, places: await placesOf(context, edges) };
}

export interface PathRequest extends GraphScope {
  readonly from: string;
  readonly to: string;
}

export interface FoundPath extends PathSearch {
  /** `null` for an unknown name. */
  readonly from: GraphNode | null;
  readonly to: GraphNode | null;
  /** For nodes without a path, one that the request does not follow because it leads through another project. */
  readonly across: PathAcrossProjects | null;
  readonly unknown: readonly UnknownNode[];
  readonly places: ReadonlyMap<GraphEdge, string>;
}

/** Credentials are masked, as in an export. @throws LociError `forbidden` while the graph is off */
export async function findPath(context: EngineContext, request: PathRequest): Promise<FoundPath> {
  const options = await readyWalk(context, request);
  const [from, to] = [
    await findNodes(context, [request.from], options.filter),
    await findNodes(context, [request.to], options.filter),
  ];
  const [start = null, end = null] = [from.nodes[0], to.nodes[0]];
  const unknown = [...from.unknown, ...to.unknown];
  const mask = new GraphMask(context.thread);
  const ends = {
    from: start === null ? null : await mask.node(start),
    to: end === null ? null : await mask.node(end),
  };
  if (start === null || end === null)
    return { ...ends, unknown, path: null, across: null, isPartial: false, places: new Map() };
  const { path: found, isPartial } = await shortestPath(options, start, end);
  const path = found === null ? null : await mask.steps(found);
  const across = found === null ? await pathAcrossProjects(context, request, start, end) : null;
  const edges = (path ?? []).map(({ edge }) => edge);
  return { ...ends, unknown, path, across, isPartial, places: await placesOf(context, edges) };
}

async function readyWalk(context: EngineContext, scope: GraphScope): ReturnType<typeof walkOptions> {
  assertGraphIsOn(context);
  await expire(context);
  await updateGraph(context);
  return walkOptions(context, scope);
}

async function citationsOfNodes(
  context: EngineContext,
  nodes: readonly GraphNode[],
): Promise<(string | null)[]> {
  const { store, namespace, now } = context;
  const ids = [...new Set(nodes.flatMap(({ record }) => record ?? []))];
  const records = await store.records.get(namespace, ids, { liveAt: now() });
  const whole = await wholeCitations(context, records);
  const byRecord = new Map(records.map((record, i) => [record.id, { record, citation: whole[i]! }]));
  const cited = nodes.map(async ({ record: id, provenance }) => {
    const found = id === null ? undefined : byRecord.get(id);
    if (found === undefined) return null;
    const lines = provenance?.lines ?? null;
    if (lines === null) return found.citation;
    const [citation] = await citationsOf(context, [
      { record: found.record, startLine: lines.first, endLine: lines.last },
    ]);
    return citation ?? null;
  });
  return Promise.all(cited);
}

/** The citation of the lines from which each edge was derived, or of the record. */
async function placesOf(
  context: EngineContext,
  edges: readonly GraphEdge[],
): Promise<Map<GraphEdge, string>> {
  const places = await edgePlaces(context, edges, await recordsOfEdges(context, edges));
  return new Map([...places].map(([edge, { citation }]) => [edge, citation]));
}

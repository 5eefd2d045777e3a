import type { ViewerGraph } from '../../../../src/graph/viewer/viewer-graph.ts';
import { call, type Input, type Output } from '../../api/client.ts';
import type { Connection, Explored, Facets, FoundPath, NodeDetails } from '../../viewer/explored.ts';

type MapOutput = Output<'/api/v1/graph/map'>;
type Step = Output<'/api/v1/graph/path'>['steps'][number];

/** A part of the graph, ready to be drawn. */
export interface LoadedMap {
  readonly graph: ViewerGraph;
  readonly facets: Facets;
  readonly totals: MapOutput['totals'];
  /** Sentences of the server, without the one about what is left out. */
  readonly notices: readonly string[];
}

/** As many nodes as the server takes at once. */
const MAX_CENTRES = 50;

type Wanted = Pick<
  Explored,
  'search' | 'projects' | 'types' | 'tags' | 'edges' | 'around' | 'depth' | 'nodes'
>;

export async function loadMap(wanted: Wanted, signal: AbortSignal): Promise<LoadedMap> {
  const { search, projects, types, tags, edges, around, depth, nodes } = wanted;
  const asked = {
    nodes,
    ...(search !== '' && { search }),
    ...(projects.length > 0 && { projects: [...projects] }),
    ...(types.length > 0 && { types: [...types] }),
    ...(tags.length > 0 && { tags: [...tags] }),
    ...(edges.length > 0 && { edge_types: [...edges] }),
    ...(around.length > 0 && { around: around.slice(0, MAX_CENTRES), depth }),
    // The address may have types that there are not; the server then says so.
  } as Input<'/api/v1/graph/map'>;
  const map = await call('/api/v1/graph/map', asked, { signal });
  const { facets, totals, notices } = map;
  return {
    graph: { nodes: nodesOf(map), edges: edgesOf(map) },
    facets: { projects: facets.projects, types: facets.types, tags: facets.tags, edges: facets.edge_types },
    totals,
    notices: totals.nodes > map.nodes.id.length ? notices.slice(1) : notices,
  };
}

function nodesOf({ nodes, node_types, projects, tags }: MapOutput): ViewerGraph['nodes'] {
  return nodes.id.map((id, i) => ({
    id,
    title: nodes.title[i]!,
    type: node_types[nodes.type[i]!]!,
    project: projects[nodes.project[i]!]!,
    tags: nodes.tags[i]!.map((tag) => tags[tag]!),
    record: nodes.record[i]!,
    x: nodes.x[i]!,
    y: nodes.y[i]!,
    degree: nodes.degree[i]!,
  }));
}

function edgesOf({ edges, edge_types }: MapOutput): ViewerGraph['edges'] {
  return edges.src.map((src, i) => ({
    src,
    dst: edges.dst[i]!,
    type: edge_types[edges.type[i]!]!,
    weight: edges.weight[i]!,
    reason: edges.reason[i]!,
  }));
}

function connection({ type, direction, from, to, reason, provenance }: Step): Connection {
  const { id, title } = direction === 'out' ? to : from;
  const { citation, record } = provenance;
  return { direction, type, other: { id, title }, reason, place: citation, record };
}

/** Connections of one node that are listed. */
const MAX_CONNECTIONS = 100;

export async function detailsOf(id: string, signal: AbortSignal): Promise<NodeDetails> {
  const { nodes, notices, unknown } = await call(
    '/api/v1/graph/show',
    { nodes: [id], k: MAX_CONNECTIONS },
    { signal },
  );
  const [node] = nodes;
  return {
    place: node?.citation ?? null,
    connections: node?.edges.map(connection) ?? [],
    further: node?.not_shown.limit ?? 0,
    notices: [...notices, ...unknown.map(({ reason }) => reason)],
  };
}

export async function findPath(from: string, to: string, signal: AbortSignal): Promise<FoundPath> {
  const found = await call('/api/v1/graph/path', { from, to }, { signal });
  const steps = found.steps.map(connection);
  return {
    nodes: found.found ? [found.from!.id, ...steps.map(({ other }) => other.id)] : [],
    steps,
    from: found.from?.title ?? '',
    notices: [...found.notices, ...found.unknown.map(({ reason }) => reason)],
  };
}

/** The path that led to a record of a receipt. */
export interface ReceiptPath extends FoundPath {
  /** The search found the record itself. */
  readonly isDirect: boolean;
  readonly isMissing: boolean;
}

/** @param item the UUID of the record */
export async function receiptPath(id: string, item: string, signal: AbortSignal): Promise<ReceiptPath> {
  const { receipt } = await call('/api/v1/receipt/show', { id }, { signal });
  const candidate = receipt.candidates.find(({ record }) => record === item);
  const path = candidate?.path ?? [];
  const none = { nodes: [], steps: [], from: '', notices: [] };
  if (path.length === 0)
    return { ...none, isDirect: candidate !== undefined, isMissing: candidate === undefined };
  const ids = [path[0]!.from, ...path.map(({ to }) => to)];
  const shown = await call('/api/v1/graph/show', { nodes: ids, k: MAX_CONNECTIONS }, { signal });
  const titles = new Map(shown.nodes.map((node) => [node.id, node.title]));
  const steps = path.map(({ from, to, type }): Connection => {
    const edges = shown.nodes.find((node) => node.id === from)?.edges.map(connection) ?? [];
    const edge = edges.find((each) => each.type === type && each.other.id === to);
    const unknown = { direction: 'out', reason: null, place: null, record: null } as const;
    return edge ?? { ...unknown, type, other: { id: to, title: titles.get(to) ?? to } };
  });
  const notices = shown.unknown.map(({ reason }) => reason);
  return {
    nodes: ids,
    steps,
    from: titles.get(ids[0]!) ?? ids[0]!,
    notices,
    isDirect: false,
    isMissing: false,
  };
}

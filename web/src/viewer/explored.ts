import type { ViewerEdge, ViewerGraph, ViewerNode } from '../../../src/graph/viewer/viewer-graph.ts';

/** What the reader has chosen to see. It is in the address. */
export interface Explored {
  readonly search: string;
  readonly projects: readonly string[];
  readonly types: readonly string[];
  readonly tags: readonly string[];
  readonly edges: readonly string[];
  /** The id of the selected node. */
  readonly selected: string | null;
  /** The other end of a path from the selected node. */
  readonly target: string | null;
  /** Only what is near these nodes. */
  readonly around: readonly string[];
  readonly depth: number;
  /** How many nodes are shown at most. */
  readonly nodes: number;
  readonly view: 'graph' | 'table';
}

/** As many nodes as are shown first, and as many more at each request. */
export const NODES_AT_ONCE = 500;
export const MAX_NODES = 5000;

const NAMES = { projects: 'project', types: 'type', tags: 'tag', edges: 'edge', around: 'around' } as const;

export function exploredOf(query: URLSearchParams): Explored {
  const list = (name: keyof typeof NAMES): readonly string[] => query.getAll(NAMES[name]);
  const depth = Number(query.get('depth') ?? 1);
  const nodes = Number(query.get('nodes') ?? NODES_AT_ONCE);
  return {
    search: query.get('q') ?? '',
    ...{ projects: list('projects'), types: list('types'), tags: list('tags'), edges: list('edges') },
    selected: query.get('node'),
    target: query.get('to'),
    around: list('around'),
    depth: depth >= 1 && depth <= 5 ? Math.round(depth) : 1,
    nodes: nodes >= 1 && nodes <= MAX_NODES ? Math.round(nodes) : NODES_AT_ONCE,
    view: query.get('view') === 'table' ? 'table' : 'graph',
  };
}

/** The values of the address. */
export function queryOf(explored: Explored): Record<string, string | number | readonly string[] | undefined> {
  const { search, selected, target, depth, nodes, view, around } = explored;
  const lists = Object.entries(NAMES).map(([field, name]) => [name, explored[field as keyof typeof NAMES]]);
  return {
    ...{ q: search, ...(Object.fromEntries(lists) as Record<string, readonly string[]>) },
    ...{ node: selected ?? undefined, to: target ?? undefined },
    ...{ nodes: nodes === NODES_AT_ONCE ? undefined : nodes },
    ...{ depth: around.length === 0 || depth === 1 ? undefined : depth },
    ...{ view: view === 'graph' ? undefined : view },
  };
}

/** How many nodes or edges have a value. */
export interface Facet {
  readonly value: string;
  readonly count: number;
}

export interface Facets {
  readonly projects: readonly Facet[];
  readonly types: readonly Facet[];
  readonly tags: readonly Facet[];
  readonly edges: readonly Facet[];
}

/** An edge of a node, seen from there. */
export interface Connection {
  readonly direction: 'out' | 'in';
  readonly type: string;
  readonly other: Pick<ViewerNode, 'id' | 'title'>;
  readonly reason: string | null;
  /** Where it says so. */
  readonly place: string | null;
  /** The record that says so, if it can be opened. */
  readonly record: number | null;
  readonly change?: ViewerEdge['change'];
}

/** What is known about a node beside what is drawn. */
export interface NodeDetails {
  readonly place: string | null;
  readonly connections: readonly Connection[];
  /** How many further edges there are. */
  readonly further: number;
  /** Why there may be less than expected. */
  readonly notices: readonly string[];
}

/** A way between two nodes. */
export interface FoundPath {
  /** Ids, from one end to the other; empty if there is no path. */
  readonly nodes: readonly string[];
  /** Each step as seen from the node before it. */
  readonly steps: readonly Connection[];
  /** The name of the first node. */
  readonly from: string;
  readonly notices: readonly string[];
}

export function foldedText(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** The part of a graph that passes the filters, for a graph that is here as a whole. Its rules are those of the server. */
export function filtered(graph: ViewerGraph, explored: Explored): ViewerGraph {
  const { search, projects, types, tags, edges } = explored;
  const text = foldedText(search.trim());
  const hasTag = (tag: string): boolean => tags.some((each) => tag === each || tag.startsWith(`${each}/`));
  const passes = (node: ViewerNode): boolean =>
    (projects.length === 0 || projects.includes(node.project)) &&
    (types.length === 0 || types.includes(node.type)) &&
    (tags.length === 0 || node.tags.some(hasTag)) &&
    (text === '' || foldedText(node.title).includes(text));
  const near = explored.around.length === 0 ? null : nearby(graph, explored.around, explored.depth);
  const places = new Map<number, number>();
  const nodes = graph.nodes.filter((node, i) => {
    if (!passes(node) || near?.has(i) === false) return false;
    places.set(i, places.size);
    return true;
  });
  return {
    nodes,
    edges: graph.edges.flatMap((edge) => {
      const [src, dst] = [places.get(edge.src), places.get(edge.dst)];
      const isWanted = edges.length === 0 || edges.includes(edge.type);
      return !isWanted || src === undefined || dst === undefined ? [] : [{ ...edge, src, dst }];
    }),
  };
}

function nearby(graph: ViewerGraph, ids: readonly string[], depth: number): ReadonlySet<number> {
  const found = new Set(graph.nodes.flatMap(({ id }, i) => (ids.includes(id) ? [i] : [])));
  for (let step = 0; step < depth; step++) {
    const before = new Set(found);
    for (const { src, dst } of graph.edges) {
      if (before.has(src)) found.add(dst);
      if (before.has(dst)) found.add(src);
    }
  }
  return found;
}

export function facetsOf({ nodes, edges }: ViewerGraph): Facets {
  return {
    projects: counted(nodes.map(({ project }) => project)),
    types: counted(nodes.map(({ type }) => type)),
    tags: counted(nodes.flatMap(({ tags }) => tags)).slice(0, 100),
    edges: counted(edges.map(({ type }) => type)),
  };
}

function counted(values: readonly string[]): Facet[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

/** The edges of a node, the heaviest first. */
export function connectionsOf({ nodes, edges }: ViewerGraph, id: string): Connection[] {
  const own = edges.filter(({ src, dst }) => nodes[src]!.id === id || nodes[dst]!.id === id);
  return own
    .sort((a, b) => b.weight - a.weight)
    .map((edge) => connection(edge, nodes, nodes[edge.src]!.id === id ? 'out' : 'in'));
}

function connection(edge: ViewerEdge, nodes: ViewerGraph['nodes'], direction: 'out' | 'in'): Connection {
  const { id, title } = nodes[direction === 'out' ? edge.dst : edge.src]!;
  return {
    ...{ direction, type: edge.type, other: { id, title }, reason: edge.reason },
    ...{ place: edge.place ?? null, record: null },
    ...(edge.change !== undefined && { change: edge.change }),
  };
}

/** The path with the fewest steps in a graph that is here as a whole; of several, the one that is found first. */
export function pathWithin({ nodes, edges }: ViewerGraph, from: string, to: string): FoundPath {
  const indexes = new Map(nodes.map(({ id }, i) => [id, i]));
  const [start, end] = [indexes.get(from), indexes.get(to)];
  const none = { nodes: [], steps: [], from: '', notices: [] };
  if (start === undefined || end === undefined) return none;
  const links = new Map<number, ViewerEdge[]>();
  for (const edge of edges)
    for (const node of [edge.src, edge.dst]) {
      const known = links.get(node);
      if (known === undefined) links.set(node, [edge]);
      else known.push(edge);
    }
  const reached = new Map<number, ViewerEdge | null>([[start, null]]);
  const queue = [start];
  for (const node of queue) {
    if (node === end) break;
    for (const edge of links.get(node) ?? []) {
      const other = edge.src === node ? edge.dst : edge.src;
      if (reached.has(other)) continue;
      reached.set(other, edge);
      queue.push(other);
    }
  }
  if (!reached.has(end)) return none;
  const steps: Connection[] = [];
  const path = [end];
  for (let node = end; reached.get(node) !== null;) {
    const edge = reached.get(node)!;
    steps.unshift(connection(edge, nodes, edge.dst === node ? 'out' : 'in'));
    node = edge.dst === node ? edge.src : edge.dst;
    path.unshift(node);
  }
  return { ...none, nodes: path.map((node) => nodes[node]!.id), steps, from: nodes[start]!.title };
}

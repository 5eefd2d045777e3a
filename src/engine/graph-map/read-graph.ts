import { createHash } from 'node:crypto';
import { EDGE_TYPES, type EdgeType } from '../../core/graph-types.ts';
import { sha256 } from '../../core/ids.ts';
import { assertNotAborted, type ProgressOptions } from '../../core/progress.ts';
import { eventLoopYielder } from '../../core/threads/slices.ts';
import {
  degreeOf,
  LAYOUT_RULES,
  type LayoutGraph,
  layOut,
  type Links,
  linksOf,
  type Positions,
  rankedByDegree,
} from '../../graph/layout/layout.ts';
import { inThread } from '../../graph/layout/layout-thread.ts';
import { compare } from '../../graph/model.ts';
import { commonTags, isProjectNode } from '../../graph/walk.ts';
import {
  type EdgeCursor,
  type GraphEdge,
  type GraphFilter,
  type GraphNode,
  type GraphOutline,
  MAX_RANKED_EDGES,
  type NeighbourRequest,
} from '../../store/graph-model.ts';
import { layoutChanges, storedLayout } from '../../store/items/kinds.ts';
import type { EngineContext } from '../context.ts';

/** All that an audience may see of a graph, with the position of each node. */
export interface MapGraph extends LayoutGraph {
  /** SHA-256 of the nodes and edges: what has the same version has the same positions. */
  readonly version: string;
  /** By id. Projects and tags that are too common are left out, because they connect everything. */
  readonly nodes: readonly GraphNode[];
  /** Indexes of `EDGE_TYPES`. */
  readonly types: Uint8Array;
  readonly reasons: readonly string[];
  readonly links: Links;
  /** The nodes with the most edges first. */
  readonly ranked: readonly number[];
  /** The edges with the highest weights first. */
  readonly heaviest: readonly number[];
  readonly positions: Positions;
  /** Edges into other projects, which are left out. */
  readonly acrossProjects: number;
  /** Whether it is so large that it was read without the concepts and edges that follow from names. */
  readonly isOutline: boolean;
}

type GraphWithoutPositions = Omit<MapGraph, 'positions'>;

/** Nodes or edges that are read with one call. */
const PAGE = 500;
/** Of a larger graph only the outline is read. Concepts and their edges would take most of the time. */
const MAX_COMPLETE_NODES = 5000;
/** Graphs in memory: one for each audience, and of a large graph one for each choice of centres. */
const MAX_GRAPHS = 4;

/** The graphs that were read last. They hold as long as nothing has changed. */
class MapGraphs {
  readonly #graphs = new Map<string, Promise<MapGraph>>();

  /** Calls at the same time wait for one reading. One that fails is not remembered. */
  of(key: string, read: () => Promise<MapGraph>): Promise<MapGraph> {
    const known = this.#graphs.get(key) ?? read();
    this.#graphs.delete(key);
    this.#graphs.set(key, known);
    const [oldest] = this.#graphs.keys();
    if (this.#graphs.size > MAX_GRAPHS) this.#graphs.delete(oldest!);
    known.catch(() => this.#graphs.delete(key));
    return known;
  }
}

/** The graph as the store has it now. Of a large one, concepts and their edges only as far as they are next to the centres. */
export async function readMapGraph(
  context: EngineContext,
  filter: GraphFilter,
  crossProjectTypes: readonly EdgeType[],
  centres: readonly GraphNode[],
  options: ProgressOptions,
): Promise<MapGraph> {
  const { store, namespace } = context;
  const { waiting: _, ...state } = await store.graph.state(namespace);
  const audience = JSON.stringify([filter.excludedSources ?? [], crossProjectTypes]);
  const key = JSON.stringify([namespace, state, audience]);
  // Several callers wait for it, so that none of them may stop it.
  const graphs = context.shared(MapGraphs);
  let graph = await graphs.of(key, async () => {
    const read = await readAll(context, filter, new Set(crossProjectTypes));
    return { ...read, positions: await positionsOf(context, sha256(audience), read) };
  });
  if (graph.isOutline && centres.length > 0) {
    const outline = graph;
    graph = await graphs.of(JSON.stringify([key, ...centres.map(({ id }) => id)]), () =>
      withConceptsNear(context, outline, centres, { crossProjectTypes, filter }),
    );
  }
  assertNotAborted(options);
  return graph;
}

/** The stored positions of this version, or new ones, which begin with those of the version before. */
async function positionsOf(
  context: EngineContext,
  audience: string,
  graph: GraphWithoutPositions,
): Promise<Positions> {
  const { store, namespace, thread, now } = context;
  const stored = await storedLayout(store.records, namespace, audience);
  if (stored?.graph === graph.version) return stored;
  const former = new Map(stored?.ids.map((id, i) => [id, [stored.x[i]!, stored.y[i]!] as const]));
  const positions = await layOut(graph, { ...inThread(thread), former });
  const layout = { graph: graph.version, ids: graph.ids, ...positions };
  if (!store.capabilities.readOnly)
    await store.records.commit(namespace, { items: layoutChanges(audience, now(), layout) });
  return positions;
}

/** Adds the concepts and edges next to the centres that the outline is without. */
async function withConceptsNear(
  context: EngineContext,
  outline: MapGraph,
  centres: readonly GraphNode[],
  visible: Pick<NeighbourRequest, 'crossProjectTypes' | 'filter'>,
): Promise<MapGraph> {
  const { graph, namespace, thread } = context;
  const of = centres.map(({ id }) => id);
  const near = await graph.neighbours(namespace, centres, { limit: MAX_RANKED_EDGES, ...visible });
  const indexes = new Map(outline.ids.map((id, i) => [id, i]));
  const isConcept = ({ type, record }: GraphNode): boolean => type === 'concept' && record === null;
  const missing = [...centres, ...near.nodes].filter((node) => isConcept(node) && !indexes.has(node.id));
  const common = await commonTags(context, missing);
  const nodes = [...outline.nodes];
  for (const node of missing)
    if (!common.has(node.id) && !indexes.has(node.id)) indexes.set(node.id, nodes.push(node) - 1);
  const edges = outline.reasons.map((reason, e): FoundEdge => {
    const [from, to] = [outline.src[e]!, outline.dst[e]!];
    return { from, to, type: outline.types[e]!, weight: outline.weight[e]!, reason };
  });
  const starts = new Set(of.map((id) => indexes.get(id)));
  const nameOf = ({ from, type, to }: FoundEdge): string => [from, type, to].join();
  const known = new Set(edges.filter(({ from, to }) => starts.has(from) || starts.has(to)).map(nameOf));
  for (const { src, dst, type, weight, reason } of [...near.out, ...near.in]) {
    const [from, to] = [indexes.get(src), indexes.get(dst)];
    if (from === undefined || to === undefined) continue;
    const edge = { from, to, type: EDGE_TYPES.indexOf(type), weight, reason };
    // An edge between two centres is near both.
    if (!known.has(nameOf(edge))) edges.push(edge);
    known.add(nameOf(edge));
  }
  const extended = graphOf(nodes, edges);
  const { version, positions, acrossProjects } = outline;
  const former = new Map(outline.ids.map((id, i) => [id, [positions.x[i]!, positions.y[i]!] as const]));
  return {
    ...{ ...extended, acrossProjects, isOutline: true },
    version: sha256(JSON.stringify([version, ...of])),
    positions: await layOut(extended, { ...inThread(thread), former }),
  };
}

async function readAll(
  context: EngineContext,
  filter: GraphFilter,
  crossProjectTypes: ReadonlySet<EdgeType>,
): Promise<GraphWithoutPositions> {
  const pages = await readOutline(context, filter);
  const isOutline = pages.reduce((sum, page) => sum + page.nodes.length, 0) > MAX_COMPLETE_NODES;
  const concepts = isOutline ? [] : await context.graph.concepts(context.namespace, filter);
  const nodes = await drawnNodes(context, [...pages.map((page) => page.nodes), concepts]);
  const indexes = new Map(nodes.map(({ id }, i) => [id, i]));
  for (const { id, key } of pages.flatMap((page) => page.nodes))
    if (indexes.has(id)) indexes.set(key, indexes.get(id)!);
  const found: FoundEdge[] = [];
  let acrossProjects = 0;
  const yieldToEventLoop = eventLoopYielder();
  const add = async (
    page: readonly Pick<GraphEdge, 'src' | 'dst' | 'type' | 'weight' | 'reason'>[],
  ): Promise<void> => {
    for (const { src, dst, type, weight, reason } of page) {
      const [from, to] = [indexes.get(src), indexes.get(dst)];
      if (from === undefined || to === undefined) continue;
      if (nodes[from]!.project !== nodes[to]!.project && !crossProjectTypes.has(type)) acrossProjects++;
      else found.push({ from, to, type: EDGE_TYPES.indexOf(type), weight, reason });
    }
    await yieldToEventLoop();
  };
  for (const { edges } of pages) await add(edges);
  for (let after: EdgeCursor | null = null; !isOutline;) {
    const page = await context.graph.conceptEdges(context.namespace, filter, { after, limit: PAGE });
    const last = page.at(-1);
    if (last === undefined) break;
    await add(page);
    after = last;
  }
  found.sort((a, b) => a.from - b.from || a.type - b.type || a.to - b.to);
  await yieldToEventLoop();
  const graph = graphOf(nodes, found);
  const hash = createHash('sha256').update(`${String(LAYOUT_RULES)}\n`);
  for (const id of graph.ids) hash.update(`${id}\n`);
  for (const column of [graph.src, graph.dst, graph.types, graph.weight]) hash.update(column);
  await yieldToEventLoop();
  return { ...graph, acrossProjects, version: hash.digest('hex'), isOutline };
}

function graphOf(
  nodes: readonly GraphNode[],
  edges: readonly FoundEdge[],
): Omit<GraphWithoutPositions, 'acrossProjects' | 'version' | 'isOutline'> {
  const ids = nodes.map(({ id }) => id);
  const src = Uint32Array.from(edges, ({ from }) => from);
  const dst = Uint32Array.from(edges, ({ to }) => to);
  const weight = Float32Array.from(edges, (edge) => edge.weight);
  const links = linksOf({ ids, src, dst });
  return {
    ...{ ids, src, dst, weight, nodes, links },
    types: Uint8Array.from(edges, ({ type }) => type),
    reasons: edges.map(({ reason }) => reason),
    ranked: rankedByDegree(links),
    heaviest: heaviestFirst(weight),
  };
}

/** Nodes and type by their indexes. */
interface FoundEdge {
  readonly from: number;
  readonly to: number;
  readonly type: number;
  readonly weight: number;
  readonly reason: string;
}

/** What the store has, without the concepts and edges that follow from names. */
async function readOutline(
  { store: { graph }, namespace }: EngineContext,
  filter: GraphFilter,
): Promise<GraphOutline[]> {
  const pages: GraphOutline[] = [];
  for (let after: string | null = null; ;) {
    const page: GraphOutline = await graph.outline(namespace, filter, { after, limit: PAGE });
    const last = page.nodes.at(-1);
    if (last === undefined) return pages;
    pages.push(page);
    after = last.id;
  }
}

/** The nodes by id, without projects and tags that are too common. */
async function drawnNodes(
  context: EngineContext,
  pages: readonly (readonly GraphNode[])[],
): Promise<GraphNode[]> {
  // For a moment, two documents that swap their identities have the same id.
  const nodes = new Map<string, GraphNode>();
  const yieldToEventLoop = eventLoopYielder();
  for (const page of pages) {
    const common = await commonTags(context, page);
    for (const node of page)
      if (!isProjectNode(node) && !common.has(node.id) && !nodes.has(node.id)) nodes.set(node.id, node);
    await yieldToEventLoop();
  }
  return [...nodes.values()].sort((a, b) => compare(a.id, b.id));
}

/** Ties in the order of the edges. */
function heaviestFirst(weights: Float32Array): number[] {
  const keys = Float64Array.from(
    weights,
    (weight, i) => Math.round((1 - weight) * 1000) * 2 ** 32 + i,
  ).sort();
  return Array.from(keys, (key) => key % 2 ** 32);
}

/** How many edges a node has in the graph. */
export function degreeIn({ links }: Pick<MapGraph, 'links'>, node: number): number {
  return degreeOf(links, node);
}

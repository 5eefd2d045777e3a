import { EDGE_TYPES, type EdgeType } from '../../core/graph-types.ts';
import { eventLoopYielder } from '../../core/threads/slices.ts';
import { compare } from '../../graph/walk.ts';
import type { GraphNode } from '../../store/graph-model.ts';
import type { GraphMapInput, GraphMapOutput } from './map-fields.ts';
import type { MapGraph } from './read-graph.ts';

/** Nodes of one turn of the event loop. */
const NODES_OF_TURN = 1000;
const MAX_FACET_VALUES = 100;
/** Longer names are left out, so that an answer is never too long. */
const MAX_FACET_LENGTH = 200;

export interface SelectedNodes {
  /** Indexes of nodes: the nearest to the starts first, then those with the most edges. */
  readonly nodes: readonly number[];
  /** The distance of each from the starts, in steps. */
  readonly steps: ReadonlyMap<number, number>;
}

/** The nodes that pass the filters, and are near the starts if there are any. A start need not pass. */
export async function selectNodes(
  graph: MapGraph,
  filters: GraphMapInput,
  starts: readonly number[] | null,
): Promise<SelectedNodes> {
  const passes = nodeTest(filters);
  const passing = new Set<number>();
  const yieldToEventLoop = eventLoopYielder();
  for (const [i, index] of graph.ranked.entries()) {
    if (passes(graph.nodes[index]!)) passing.add(index);
    if (i % NODES_OF_TURN === 0) await yieldToEventLoop();
  }
  if (starts === null) return { nodes: [...passing], steps: new Map() };
  const steps = new Map(starts.map((start) => [start, 0]));
  let frontier = [...steps.keys()];
  const { depth = 1 } = filters;
  for (let step = 1; step <= depth && frontier.length > 0; step++) {
    frontier = neighboursOf(graph, frontier, (node) => passing.has(node) && !steps.has(node));
    for (const node of frontier) steps.set(node, step);
  }
  return { nodes: [...steps.keys()], steps };
}

/** Those with the most edges first. */
function neighboursOf(
  { links: { first, others } }: MapGraph,
  nodes: readonly number[],
  isWanted: (node: number) => boolean,
): number[] {
  const found = new Set<number>();
  for (const node of nodes)
    for (const other of others.subarray(first[node], first[node + 1])) if (isWanted(other)) found.add(other);
  const degree = (node: number): number => first[node + 1]! - first[node]!;
  return [...found].sort((a, b) => degree(b) - degree(a) || a - b);
}

function nodeTest({ projects, types, tags, search }: GraphMapInput): (node: GraphNode) => boolean {
  const text = search === undefined ? null : foldedTitle(search);
  const wanted = tags?.map((tag) => tag.replace(/^#/, '').toLowerCase());
  const hasTag = (tag: string): boolean => wanted!.some((each) => tag === each || tag.startsWith(`${each}/`));
  return (node) =>
    (projects === undefined || projects.includes(node.project)) &&
    (types === undefined || types.includes(node.type)) &&
    (wanted === undefined || node.tags.some((tag) => hasTag(tag.toLowerCase()))) &&
    (text === null || foldedTitle(node.title).includes(text));
}

export function foldedTitle(title: string): string {
  return title.normalize('NFKC').toLowerCase();
}

/** The indexes of the edges between these nodes, the heaviest first. */
export function edgesBetween(
  { src, dst, types, heaviest }: MapGraph,
  nodes: ReadonlyMap<number, number>,
  wanted: readonly EdgeType[] | undefined,
): number[] {
  const isWanted = EDGE_TYPES.map((type) => wanted === undefined || wanted.includes(type));
  return heaviest.filter((e) => isWanted[types[e]!]! && nodes.has(src[e]!) && nodes.has(dst[e]!));
}

/** What the nodes and edges of the whole graph can be filtered by. */
export async function countFacets(
  { nodes, types }: MapGraph,
  masked: (texts: readonly string[]) => Promise<string[]>,
): Promise<GraphMapOutput['facets']> {
  const [projects, nodeTypes, tags, edgeTypes] = [new Counts(), new Counts(), new Counts(), new Counts()];
  const yieldToEventLoop = eventLoopYielder();
  for (const [i, node] of nodes.entries()) {
    projects.add(node.project);
    nodeTypes.add(node.type);
    for (const tag of node.tags) tags.add(tag);
    if (i % NODES_OF_TURN === 0) await yieldToEventLoop();
  }
  for (const type of types) edgeTypes.add(EDGE_TYPES[type]!);
  const found = tags.values();
  const names = await masked(found.map(({ value }) => value));
  return {
    projects: projects.values(),
    types: nodeTypes.values(),
    tags: found.map(({ count }, i) => ({ value: names[i]!, count })),
    edge_types: edgeTypes.values(),
  };
}

class Counts {
  readonly #counts = new Map<string, number>();

  add(value: string): void {
    if (value.length > MAX_FACET_LENGTH) return;
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
  }

  values(): { value: string; count: number }[] {
    return [...this.#counts]
      .map(([value, count]) => ({ value, count }))
      .sort((a, b) => b.count - a.count || compare(a.value, b.value))
      .slice(0, MAX_FACET_VALUES);
  }
}

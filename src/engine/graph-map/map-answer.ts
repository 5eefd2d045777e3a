import { EDGE_TYPES, NODE_TYPES, type EdgeType } from '../../core/graph-types.ts';
import { eventLoopYielder } from '../../core/threads/slices.ts';
import type { GraphMask } from '../graph/edge-places.ts';
import type { GraphMapOutput, GraphMapInput } from './map-fields.ts';
import { degreeIn, type MapGraph } from './read-graph.ts';
import { compare } from '../../graph/model.ts';
import type { GraphNode } from '../../store/graph-model.ts';

/** Nodes of one turn of the event loop. */
const NODES_OF_TURN = 1000;
const MAX_FACET_VALUES = 100;
/** Longer names are left out, so that an answer is never too long. */
const MAX_FACET_LENGTH = 200;

interface SelectedNodes {
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

function foldedTitle(title: string): string {
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

const MAX_TITLE_LENGTH = 120;
const MAX_REASON_LENGTH = 160;
const MAX_TAGS_OF_NODE = 8;
/** Nodes or edges whose texts are masked at once. */
const BATCH = 200;

/** The columns of the nodes, and the place of each in them by its index in the graph. */
interface NodeColumns extends Pick<GraphMapOutput, 'nodes' | 'projects' | 'tags'> {
  readonly shown: ReadonlyMap<number, number>;
  /** Nodes that only matched by a credential in their titles. */
  readonly dropped: number;
}

export async function nodeColumns(
  graph: MapGraph,
  mask: GraphMask,
  { nodes: indexes, steps }: SelectedNodes,
  search: string | undefined,
): Promise<NodeColumns> {
  const columns: GraphMapOutput['nodes'] = {
    ...{ id: [], title: [], type: [], project: [], tags: [] },
    ...{ record: [], x: [], y: [], degree: [], steps: [] },
  };
  const shown = new Map<number, number>();
  const [projects, labels] = [new Map<string, number>(), new Map<string, number>()];
  const text = search === undefined ? '' : foldedTitle(search);
  for (let from = 0; from < indexes.length; from += BATCH) {
    const batch = indexes.slice(from, from + BATCH);
    const masked = await Promise.all(batch.map((index) => mask.node(graph.nodes[index]!)));
    for (const [i, index] of batch.entries()) {
      const { id, type, title, project, tags, record } = masked[i]!;
      if (steps.get(index) !== 0 && !foldedTitle(title).includes(text)) continue;
      shown.set(index, columns.id.length);
      columns.id.push(id);
      columns.title.push(truncated(title, MAX_TITLE_LENGTH));
      columns.type.push(NODE_TYPES.indexOf(type));
      columns.project.push(placeIn(projects, project));
      columns.tags.push(
        tags.slice(0, MAX_TAGS_OF_NODE).map((tag) => placeIn(labels, truncated(tag, MAX_TITLE_LENGTH))),
      );
      columns.record.push(record);
      columns.x.push(graph.positions.x[index]!);
      columns.y.push(graph.positions.y[index]!);
      columns.degree.push(degreeIn(graph, index));
      columns.steps.push(steps.get(index) ?? 0);
    }
  }
  return {
    ...{ nodes: columns, projects: [...projects.keys()], tags: [...labels.keys()] },
    ...{ shown, dropped: indexes.length - shown.size },
  };
}

/** The place of a text that many nodes have in a list that has each once. */
function placeIn(places: Map<string, number>, value: string): number {
  const place = places.get(value) ?? places.size;
  places.set(value, place);
  return place;
}

export async function edgeColumns(
  { src, dst, types, weight, reasons }: MapGraph,
  mask: GraphMask,
  indexes: readonly number[],
  shown: ReadonlyMap<number, number>,
): Promise<GraphMapOutput['edges']> {
  const yieldToEventLoop = eventLoopYielder();
  const masked: string[] = [];
  for (let from = 0; from < indexes.length; from += BATCH) {
    const batch = indexes.slice(from, from + BATCH);
    masked.push(...(await mask.texts.texts(batch.map((e) => reasons[e]!))));
    await yieldToEventLoop();
  }
  return {
    src: indexes.map((e) => shown.get(src[e]!)!),
    dst: indexes.map((e) => shown.get(dst[e]!)!),
    type: indexes.map((e) => types[e]!),
    weight: indexes.map((e) => Math.round(weight[e]! * 1000) / 1000),
    reason: masked.map((reason) => truncated(reason, MAX_REASON_LENGTH)),
  };
}

function truncated(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).toWellFormed()}…`;
}

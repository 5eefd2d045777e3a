import { EDGE_TYPES, NODE_TYPES, type EdgeType } from '../../core/graph-types.ts';
import { eventLoopYielder } from '../../core/threads/slices.ts';
import type { GraphMask } from '../graph/edge-places.ts';
import type { GraphMapOutput, GraphMapInput } from './map-fields.ts';
import { degreeIn, type MapGraph } from './read-graph.ts';
import { compare } from '../../graph/walk.ts';
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

/** Bytes of an answer as JSON, less those of fields that always have few. */
const MAX_BYTES = 950_000;
/** Of these, the nodes take so many at most, so that there is room for edges. */
const MAX_NODE_BYTES = 650_000;
/** Bytes of the numbers of a node and of an edge, at most, with commas. */
const NODE_BYTES = 45;
const TAG_BYTES = 6;
const EDGE_BYTES = 24;
const MAX_TITLE_LENGTH = 120;
const MAX_REASON_LENGTH = 160;
const MAX_TAGS_OF_NODE = 8;
/** Nodes or edges whose texts are masked at once. */
const BATCH = 200;

/** Puts an answer together as long as it is short enough. */
export class MapAnswer {
  /** The places in the columns of the nodes that are shown, by their indexes in the graph. */
  readonly shown = new Map<number, number>();
  /** Nodes that only matched by a credential in their titles. */
  dropped = 0;
  readonly #graph: MapGraph;
  readonly #mask: GraphMask;
  readonly #facetBytes: number;
  readonly #search: string | null;
  readonly #nodes = noNodes();
  readonly #edges: GraphMapOutput['edges'] = { src: [], dst: [], type: [], weight: [], reason: [] };
  readonly #projects = new Table();
  readonly #tags = new Table();
  #bytes = 0;

  /** @param facets which the answer has as well */
  constructor(
    graph: MapGraph,
    mask: GraphMask,
    search: string | undefined,
    facets: GraphMapOutput['facets'],
  ) {
    this.#graph = graph;
    this.#bytes = this.#facetBytes = bytesOf(facets);
    this.#mask = mask;
    this.#search = search === undefined ? null : foldedTitle(search);
  }

  async addNodes(indexes: readonly number[], steps: ReadonlyMap<number, number>): Promise<void> {
    const { nodes, positions } = this.#graph;
    for (let from = 0; from < indexes.length; from += BATCH) {
      const batch = indexes.slice(from, from + BATCH);
      const masked = await Promise.all(batch.map((index) => this.#mask.node(nodes[index]!)));
      for (const [i, index] of batch.entries()) {
        const { id, type, title, project, tags, record } = masked[i]!;
        const isStart = steps.get(index) === 0;
        if (this.#search !== null && !isStart && !foldedTitle(title).includes(this.#search)) {
          this.dropped++;
          continue;
        }
        const shortTitle = truncated(title, MAX_TITLE_LENGTH);
        const labels = tags.slice(0, MAX_TAGS_OF_NODE).map((tag) => truncated(tag, MAX_TITLE_LENGTH));
        const added = [this.#projects.bytesFor(project), ...labels.map((tag) => this.#tags.bytesFor(tag))];
        const bytes =
          bytesOf(id) +
          bytesOf(shortTitle) +
          NODE_BYTES +
          TAG_BYTES * labels.length +
          added.reduce((sum, each) => sum + each, 0);
        if (this.#bytes + bytes > MAX_NODE_BYTES) return;
        this.#bytes += bytes;
        this.shown.set(index, this.#nodes.id.length);
        push(this.#nodes, {
          ...{
            id,
            title: shortTitle,
            type: NODE_TYPES.indexOf(type),
            project: this.#projects.placeOf(project),
          },
          ...{ x: positions.x[index]!, y: positions.y[index]!, degree: degreeIn(this.#graph, index) },
          tags: labels.map((tag) => this.#tags.placeOf(tag)),
          record,
          steps: steps.get(index) ?? 0,
        });
      }
    }
  }

  /** Returns where the next page begins; `null` if there is none. */
  async addEdges(indexes: readonly number[], start: number, limit: number): Promise<number | null> {
    const { src, dst, types, weight, reasons } = this.#graph;
    const end = Math.min(indexes.length, start + limit);
    const yieldToEventLoop = eventLoopYielder();
    // A page that has no nodes has room for more reasons.
    if (start > 0) this.#bytes = this.#facetBytes;
    // Every edge has its numbers before one has a reason.
    let left = MAX_BYTES - this.#bytes - (end - start) * EDGE_BYTES;
    for (let from = start; from < end; from += BATCH) {
      const batch = indexes.slice(from, Math.min(end, from + BATCH));
      const masked = left <= 0 ? [] : await this.#mask.texts.texts(batch.map((e) => reasons[e]!));
      for (const [i, e] of batch.entries()) {
        const reason = masked[i] === undefined ? null : truncated(masked[i], MAX_REASON_LENGTH);
        const bytes = reason === null ? 0 : bytesOf(reason);
        if (reason !== null) left -= bytes;
        push(this.#edges, {
          ...{ src: this.shown.get(src[e]!)!, dst: this.shown.get(dst[e]!)!, type: types[e]! },
          ...{ weight: Math.round(weight[e]! * 1000) / 1000, reason: left < 0 ? null : reason },
        });
      }
      await yieldToEventLoop();
    }
    return end < indexes.length ? end : null;
  }

  columns(
    edgesOnly: boolean,
  ): Pick<GraphMapOutput, 'nodes' | 'edges' | 'node_types' | 'edge_types' | 'projects' | 'tags'> {
    return {
      nodes: edgesOnly ? noNodes() : this.#nodes,
      edges: this.#edges,
      node_types: [...NODE_TYPES],
      edge_types: [...EDGE_TYPES],
      projects: edgesOnly ? [] : this.#projects.values,
      tags: edgesOnly ? [] : this.#tags.values,
    };
  }
}

function noNodes(): GraphMapOutput['nodes'] {
  const row = { id: [], title: [], type: [], project: [], tags: [] };
  return { ...row, record: [], x: [], y: [], degree: [], steps: [] };
}

/** Texts that many nodes have, each once. */
class Table {
  readonly values: string[] = [];
  readonly #places = new Map<string, number>();

  bytesFor(value: string): number {
    return this.#places.has(value) ? 0 : bytesOf(value);
  }

  placeOf(value: string): number {
    const known = this.#places.get(value);
    if (known !== undefined) return known;
    this.#places.set(value, this.values.length);
    return this.values.push(value) - 1;
  }
}

function push<Row extends object>(columns: { readonly [Field in keyof Row]: Row[Field][] }, row: Row): void {
  for (const field in row) columns[field].push(row[field]);
}

/** As JSON, with a comma. */
function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value)) + 1;
}

function truncated(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).toWellFormed()}…`;
}

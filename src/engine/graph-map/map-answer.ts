import { EDGE_TYPES, NODE_TYPES } from '../../core/graph-types.ts';
import { eventLoopYielder } from '../../core/threads/slices.ts';
import type { GraphMask } from '../graph/graph-mask.ts';
import type { GraphMapOutput } from './map-fields.ts';
import { degreeIn, type MapGraph } from './read-graph.ts';
import { foldedTitle } from './select.ts';

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
  readonly #nodes: GraphMapOutput['nodes'] = {
    ...{
      id: [],
      title: [],
      type: [],
      project: [],
      tags: [],
      record: [],
      x: [],
      y: [],
      degree: [],
      steps: [],
    },
  };
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
        const shortTitle = shortened(title, MAX_TITLE_LENGTH);
        const labels = tags.slice(0, MAX_TAGS_OF_NODE).map((tag) => shortened(tag, MAX_TITLE_LENGTH));
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
        const row = {
          id,
          title: shortTitle,
          type: NODE_TYPES.indexOf(type),
          project: this.#projects.placeOf(project),
        };
        const place = {
          x: positions.x[index]!,
          y: positions.y[index]!,
          degree: degreeIn(this.#graph, index),
        };
        const further = {
          tags: labels.map((tag) => this.#tags.placeOf(tag)),
          record,
          steps: steps.get(index) ?? 0,
        };
        push(this.#nodes, { ...row, ...place, ...further });
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
        const reason = masked[i] === undefined ? null : shortened(masked[i], MAX_REASON_LENGTH);
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
    const nodes = edgesOnly
      ? {
          ...{
            id: [],
            title: [],
            type: [],
            project: [],
            tags: [],
            record: [],
            x: [],
            y: [],
            degree: [],
            steps: [],
          },
        }
      : this.#nodes;
    const [projects, tags] = edgesOnly ? [[], []] : [this.#projects.values, this.#tags.values];
    return {
      nodes,
      edges: this.#edges,
      node_types: [...NODE_TYPES],
      edge_types: [...EDGE_TYPES],
      projects,
      tags,
    };
  }
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

function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).toWellFormed()}…`;
}

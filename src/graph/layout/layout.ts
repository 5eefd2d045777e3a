import { NODE_WIDTH } from './force-steps.ts';

/** The nodes and edges of a graph as numbers. */
export interface LayoutGraph {
  /** The ids of the nodes, ascending, each once. */
  readonly ids: readonly string[];
  /** Edges in the order of their source, target and type, by the indexes of their nodes. */
  readonly src: Uint32Array;
  readonly dst: Uint32Array;
  readonly weight: Float32Array;
}

/** Where each node is drawn, in the order of the nodes. Rounded to a tenth. */
export interface Positions {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

export interface LayoutOptions {
  /** Runs `forceSteps`, somewhere. */
  readonly move: (nodes: Float32Array, edges: Float32Array, steps: number) => Promise<Float32Array>;
  readonly yieldToEventLoop: () => Promise<void>;
  /** Where nodes were before the graph changed: they stay near. */
  readonly former?: ReadonlyMap<string, Place> | undefined;
}

/** Grows when the same graph gets other positions. */
export const LAYOUT_RULES = 2;

/** A graph with more nodes is large. */
const MAX_FORCE_NODES = 5000;
/** Of a large graph, as many nodes as a view shows first have positions by forces; others are placed around them, which takes little time. */
const LARGE_FORCE_NODES = 1500;
/** Nodes times steps: 5,000 nodes with 15,000 edges take about three seconds. */
const ALL_STEPS = 1_000_000;
const [MIN_STEPS, MAX_STEPS] = [200, 600];
/** Of a large graph, whose positions must be there within a second. */
const LARGE_STEPS = 100;
/** Enough for new nodes to find their place, and few enough that the others stay near theirs. */
const STEPS_AFTER_CHANGE = 30;
/** With fewer of its nodes known, a graph is laid out anew. */
const MIN_KNOWN_SHARE = 0.8;
/** Nodes times steps of one task, so that other tasks of the thread wait about a quarter of a second. */
const STEPS_AT_ONCE = 100_000;
/** Of the space that a node takes, at its side. */
const SPACING = 20;
/** Radians between two nodes around a third: the golden angle. */
const TURN = Math.PI * (3 - Math.sqrt(5));

/**
 * The positions of the nodes of a graph. They are the same for the same graph, whatever the order in which it was derived, and the
 * machine; after a change they also follow from the former ones. It
 * imports nothing of the server, because the page uses it too. @throws what `move` throws
 */
export async function layOut(graph: LayoutGraph, options: LayoutOptions): Promise<Positions> {
  const { ids } = graph;
  const { former = new Map<string, Place>(), yieldToEventLoop } = options;
  const isLarge = ids.length > MAX_FORCE_NODES;
  const known = ids.filter((id) => former.has(id)).length;
  const isChange = known > 0 && known >= ids.length * MIN_KNOWN_SHARE;
  const kept = isChange ? former : new Map<string, Place>();
  const links = linksOf(graph);
  await yieldToEventLoop();
  const core = isLarge ? rankedByDegree(links).slice(0, LARGE_FORCE_NODES) : rankedByDegree(links);
  const places = new Places(ids.length);
  for (const i of core) places.put(i, kept.get(ids[i]!) ?? startOf(ids, i, links, kept));
  const perNode = Math.ceil(ALL_STEPS / Math.max(1, core.length));
  const anew = isLarge ? LARGE_STEPS : Math.max(MIN_STEPS, Math.min(MAX_STEPS, perNode));
  const steps = isChange ? STEPS_AFTER_CHANGE : anew;
  await moveByForces(graph, core, places, steps, options);
  await yieldToEventLoop();
  placeOthers(ids, core, links, kept, places);
  await yieldToEventLoop();
  return { x: Array.from(places.x, rounded), y: Array.from(places.y, rounded) };
}

type Place = readonly [x: number, y: number];

class Places {
  /** Not a number until a node has a place. */
  readonly x: Float64Array;
  readonly y: Float64Array;

  constructor(count: number) {
    this.x = new Float64Array(count).fill(NaN);
    this.y = new Float64Array(count).fill(NaN);
  }

  has(node: number): boolean {
    return !Number.isNaN(this.x[node]);
  }

  put(node: number, [x, y]: Place): void {
    this.x[node] = x;
    this.y[node] = y;
  }

  of(node: number): Place {
    return [this.x[node]!, this.y[node]!];
  }
}

/** Without a negative zero, which JSON does not have. */
function rounded(value: number): number {
  return Math.round(value * 10) / 10 + 0;
}

/** The neighbours of node `i` are `others[first[i]]` to `others[first[i + 1] - 1]`, each as often as it has edges. */
export interface Links {
  readonly first: Uint32Array;
  readonly others: Uint32Array;
}

/** The neighbours of each node, both ways along the edges. An edge of a node to itself leads nowhere. */
export function linksOf({ ids, src, dst }: Pick<LayoutGraph, 'ids' | 'src' | 'dst'>): Links {
  const first = new Uint32Array(ids.length + 1);
  const eachEnd = (visit: (from: number, to: number) => void): void => {
    for (let e = 0; e < src.length; e++) {
      if (src[e] === dst[e]) continue;
      visit(src[e]!, dst[e]!);
      visit(dst[e]!, src[e]!);
    }
  };
  eachEnd((from) => first[from + 1]!++);
  for (let i = 0; i < ids.length; i++) first[i + 1]! += first[i]!;
  const next = first.slice();
  const others = new Uint32Array(first[ids.length]!);
  eachEnd((from, to) => {
    others[next[from]!++] = to;
  });
  return { first, others };
}

export function degreeOf({ first }: Links, node: number): number {
  return first[node + 1]! - first[node]!;
}

/** The indexes of the nodes, those with the most edges first, ties in their order. */
export function rankedByDegree(links: Links): number[] {
  const count = links.first.length - 1;
  // Numbers sort several times faster without a function that compares them.
  const keys = Float64Array.from({ length: count }, (_, i) => -degreeOf(links, i) * 2 ** 32 + i).sort();
  return Array.from(keys, (key) => ((key % 2 ** 32) + 2 ** 32) % 2 ** 32);
}

/** In the middle of the known neighbours of a new node, else anywhere in a square. A little aside, so that no two are in one place. */
function startOf(
  ids: readonly string[],
  index: number,
  { first, others }: Links,
  kept: ReadonlyMap<string, Place>,
): Place {
  const [u, v] = [hashOf(ids[index]!, 0x811c9dc5), hashOf(ids[index]!, 0x01000193)];
  const near = [...others.subarray(first[index], first[index + 1])]
    .map((other) => kept.get(ids[other]!))
    .filter((place) => place !== undefined);
  if (near.length === 0) {
    const side = SPACING * Math.sqrt(ids.length);
    return [u * side, v * side];
  }
  const mean = (axis: 0 | 1): number => near.reduce((sum, place) => sum + place[axis], 0) / near.length;
  return [mean(0) + u * SPACING, mean(1) + v * SPACING];
}

/** FNV-1a of a text, as a number from -0.5 to 0.5. */
function hashOf(text: string, seed: number): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32 - 0.5;
}

async function moveByForces(
  { src, dst, weight }: LayoutGraph,
  core: readonly number[],
  places: Places,
  steps: number,
  { move }: LayoutOptions,
): Promise<void> {
  if (core.length < 2) return;
  // In the order of the nodes, so that it does not matter which of them have how many edges.
  const order = [...core].sort((a, b) => a - b);
  const offsets = new Map(order.map((node, i) => [node, i * NODE_WIDTH]));
  let nodes: Float32Array = new Float32Array(order.length * NODE_WIDTH);
  for (const [i, node] of order.entries())
    nodes.set([...places.of(node), 0, 0, 0, 0, 1, 1, 1, 0], i * NODE_WIDTH);
  const edges: number[] = [];
  for (let e = 0; e < src.length; e++) {
    const [from, to] = [offsets.get(src[e]!), offsets.get(dst[e]!)];
    if (from === undefined || to === undefined || from === to) continue;
    edges.push(from, to, weight[e]!);
    nodes[from + MASS]! += weight[e]!;
    nodes[to + MASS]! += weight[e]!;
  }
  const matrix = Float32Array.from(edges);
  const atOnce = Math.max(1, Math.floor(STEPS_AT_ONCE / order.length));
  for (let done = 0; done < steps; done += atOnce) {
    nodes = await move(nodes, matrix, Math.min(atOnce, steps - done));
  }
  for (const [i, node] of order.entries())
    places.put(node, [nodes[i * NODE_WIDTH]!, nodes[i * NODE_WIDTH + 1]!]);
}

/** The place of the mass among the numbers of a node. */
const MASS = 6;

/** Places each other node around the first neighbour that has a place, and those without one around all. */
function placeOthers(
  ids: readonly string[],
  core: readonly number[],
  { first, others }: Links,
  kept: ReadonlyMap<string, Place>,
  places: Places,
): void {
  const queue = [...core];
  for (let next = 0; next < queue.length; next++) {
    const node = queue[next]!;
    let around = 0;
    for (let e = first[node]!; e < first[node + 1]!; e++) {
      const other = others[e]!;
      if (places.has(other)) continue;
      places.put(other, kept.get(ids[other]!) ?? beside(places.of(node), ++around, SPACING / 4));
      queue.push(other);
    }
  }
  if (queue.length === ids.length) return;
  let radius = 0;
  for (const node of queue) radius = Math.max(radius, Math.hypot(...places.of(node)));
  let outside = Math.ceil((radius / SPACING) ** 2);
  for (let i = 0; i < ids.length; i++)
    if (!places.has(i)) places.put(i, kept.get(ids[i]!) ?? beside([0, 0], ++outside, SPACING));
}

/** The place number `index` of a spiral around a centre. */
function beside([x, y]: Place, index: number, spacing: number): Place {
  const [distance, angle] = [spacing * Math.sqrt(index), index * TURN];
  return [x + distance * Math.cos(angle), y + distance * Math.sin(angle)];
}

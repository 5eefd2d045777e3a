import type { EdgeType, NodeType } from '../../core/graph-types.ts';
import type { ExportedEdge, ExportedGraph, ExportedNode, ExportedProvenance } from '../export-schema.ts';
import { layOut, type LayoutOptions, linksOf, degreeOf } from '../layout/layout.ts';

/** What an export has that another one has not, or has differently. */
export type Change = 'added' | 'removed' | 'changed';

/** A node as a viewer draws it and lists it. */
export interface ViewerNode {
  readonly id: string;
  readonly title: string;
  readonly type: NodeType;
  readonly project: string;
  readonly tags: readonly string[];
  readonly x: number;
  readonly y: number;
  /** How many edges it has, also those that are not drawn. */
  readonly degree: number;
  /** The number of the record in the store. */
  readonly record?: number | null;
  /** The sentence that says what it is. */
  readonly abstract?: string | null;
  readonly task?: { readonly done: boolean; readonly due: string | null } | null;
  /** Where it comes from: a record and its lines. */
  readonly place?: string;
  readonly change?: Change;
  /** The fields that differ. */
  readonly fields?: readonly string[];
}

export interface ViewerEdge {
  /** Places of nodes. */
  readonly src: number;
  readonly dst: number;
  readonly type: EdgeType;
  readonly weight: number;
  /** `null` if it is not known here. */
  readonly reason: string | null;
  readonly place?: string;
  readonly change?: Change;
}

/** A graph with positions. It is plain JSON. */
export interface ViewerGraph {
  readonly nodes: readonly ViewerNode[];
  readonly edges: readonly ViewerEdge[];
}

/**
 * The graph of an export, with what differs from an earlier one. What was removed is part of it. It imports nothing of the server,
 * because the page uses it too. @throws what `move` of the layout throws
 */
export async function viewExport(
  after: ExportedGraph,
  before: ExportedGraph | null,
  options: LayoutOptions,
): Promise<ViewerGraph> {
  const nodes = merged(after.nodes, before?.nodes ?? null, nodeKey);
  const indexes = new Map(nodes.map(({ item }, i) => [item.id, i]));
  const edges = merged(after.edges, before?.edges ?? null, edgeKey)
    // A file that was edited may lack nodes.
    .filter(({ item }) => indexes.has(item.src) && indexes.has(item.dst));
  const graph = {
    ids: nodes.map(({ item }) => item.id),
    src: Uint32Array.from(edges, ({ item }) => indexes.get(item.src)!),
    dst: Uint32Array.from(edges, ({ item }) => indexes.get(item.dst)!),
    weight: Float32Array.from(edges, ({ item }) => item.weight),
  };
  const { x, y } = await layOut(graph, options);
  const links = linksOf(graph);
  return {
    nodes: nodes.map(({ item, before: _, ...rest }, i) => ({
      ...nodeOf(item),
      ...{ x: x[i]!, y: y[i]!, degree: degreeOf(links, i) },
      ...rest,
    })),
    edges: edges.map(({ item, change }, i) => ({
      ...edgeOf(item, graph.src[i]!, graph.dst[i]!),
      ...(change !== undefined && { change }),
    })),
  };
}

/** Longer texts are cut, so that a hostile one does not make the page unusable. */
const MAX_TEXT_LENGTH = 500;
const MAX_TAGS = 50;

function nodeOf(node: ExportedNode): Omit<ViewerNode, 'x' | 'y' | 'degree'> {
  const { id, title, type, project, tags, l0_abstract, task, provenance } = node;
  return {
    ...{ id, type, task, title: cut(title), project: cut(project), place: placeOf(provenance) },
    tags: tags.slice(0, MAX_TAGS).map(cut),
    abstract: typeof l0_abstract === 'string' ? cut(l0_abstract) : null,
  };
}

function edgeOf({ type, weight, reason, provenance }: ExportedEdge, src: number, dst: number): ViewerEdge {
  return { src, dst, type, weight, reason: cut(reason), place: placeOf(provenance) };
}

function placeOf({ record, lines }: ExportedProvenance): string {
  const name = cut(record);
  return lines === null ? name : `${name}#L${String(lines.first)}-L${String(lines.last)}`;
}

function cut(text: string): string {
  return text.length <= MAX_TEXT_LENGTH ? text : `${text.slice(0, MAX_TEXT_LENGTH - 1).toWellFormed()}…`;
}

interface Merged<Item> {
  readonly item: Item;
  readonly change?: Change;
  /** What was changed, and the names of the fields that differ. */
  readonly before?: Item;
  readonly fields?: readonly string[];
}

interface Difference<Item> {
  readonly added: Item[];
  readonly removed: Item[];
  readonly changed: { readonly before: Item; readonly after: Item; readonly fields: readonly string[] }[];
}

/** Compares two exports: nodes by id, edges by their nodes and type. All lists are in the order of exports. */
export function diffGraphs(
  before: ExportedGraph,
  after: ExportedGraph,
): { readonly nodes: Difference<ExportedNode>; readonly edges: Difference<ExportedEdge> } {
  return {
    nodes: differenceOf(merged(after.nodes, before.nodes, nodeKey)),
    edges: differenceOf(merged(after.edges, before.edges, edgeKey)),
  };
}

function differenceOf<Item>(all: readonly Merged<Item>[]): Difference<Item> {
  const withChange = (wanted: Change): Item[] =>
    all.flatMap(({ item, change }) => (change === wanted ? [item] : []));
  const changed = all.flatMap(({ item: after, before, fields = [] }) =>
    before === undefined ? [] : [{ before, after, fields }],
  );
  return { added: withChange('added'), removed: withChange('removed'), changed };
}

function nodeKey({ id }: ExportedNode): string {
  return id;
}

function edgeKey({ src, type, dst }: ExportedEdge): string {
  return `${src} ${type} ${dst}`;
}

/** The items of both lists, each once, in the order of their keys. Without an earlier list, nothing has changed. */
function merged<Item extends object>(
  after: readonly Item[],
  before: readonly Item[] | null,
  keyOf: (item: Item) => string,
): Merged<Item>[] {
  const old = new Map(before?.map((item) => [keyOf(item), item]));
  const all = new Map<string, Merged<Item>>();
  for (const [key, item] of old) all.set(key, { item, change: 'removed' });
  for (const item of after) {
    const key = keyOf(item);
    const previous = old.get(key);
    const fields = previous === undefined ? [] : differingFields(previous, item);
    if (before === null) all.set(key, { item });
    else if (previous === undefined) all.set(key, { item, change: 'added' });
    else all.set(key, fields.length === 0 ? { item } : { item, change: 'changed', before: previous, fields });
  }
  return [...all].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, item]) => item);
}

/** Both are of one schema, so that their fields have one order. */
function differingFields(before: object, after: object): string[] {
  const old = new Map(Object.entries(before));
  return Object.entries(after).flatMap(([field, value]) =>
    JSON.stringify(value) === JSON.stringify(old.get(field)) ? [] : [field],
  );
}

/** A rectangle in pixels. */
interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The boxes that do not lie on one before them: which labels are drawn. */
export function apart<Each extends Box>(boxes: readonly Each[]): Each[] {
  const kept: Each[] = [];
  for (const box of boxes) {
    const covers = (other: Box): boolean =>
      box.left < other.left + other.width &&
      other.left < box.left + box.width &&
      box.top < other.top + other.height &&
      other.top < box.top + box.height;
    if (!kept.some(covers)) kept.push(box);
  }
  return kept;
}

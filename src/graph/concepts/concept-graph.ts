import type { EdgeType } from '../../core/graph-types.ts';
import type {
  EdgeCursor,
  GraphCounts,
  GraphEdge,
  GraphFilter,
  GraphNode,
  NeighbourRequest,
  Neighbours,
  NodeDegree,
  NodeSelector,
} from '../../store/graph-model.ts';
import type { Page } from '../../store/model.ts';
import type { Store, StoreGraph } from '../../store/store.ts';
import { compare } from '../walk.ts';
import { type ConceptEdge, noteOf } from './concept-edges.ts';
import { isConceptId } from './concept-id.ts';
import { ConceptNodes, conceptVersion } from './concept-nodes.ts';
import { ConceptReader } from './concept-reader.ts';

/** Nodes whose edges are read at once: about as many as a page of edges has. */
const NODES = 64;
/** Nodes and their edges that are remembered, for all callers together: a walk reads each of them several times. */
const MAX_REMEMBERED = 20_000;
/** Follows every type of an edge in the order of code points. */
const AFTER_ALL_TYPES = '~' as EdgeType;

type Direction = NeighbourRequest['direction'];

/** An edge of concepts between nodes. */
interface NodeEdge {
  readonly edge: ConceptEdge;
  readonly src: GraphNode;
  readonly dst: GraphNode;
}

/** The store with the edges and nodes of concepts in its graph. They are not stored, but follow from names when they are read. */
export function withConcepts(store: Store): Store {
  const concepts = new ConceptGraph(store);
  const graph: StoreGraph = {
    ...store.graph,
    nodes: (namespace, selector, filter = {}) => concepts.nodes(namespace, selector, filter),
    neighbours: (namespace, request) => concepts.neighbours(namespace, request),
    degrees: (namespace, ids, types, excludedSources = []) =>
      concepts.degrees(namespace, ids, types, excludedSources),
    pageNodes: (namespace, filter, page) => concepts.pageNodes(namespace, filter, page),
    pageEdges: (namespace, filter, page) => concepts.pageEdges(namespace, filter, page),
    counts: (namespace, filter) => concepts.counts(namespace, filter),
  };
  return { ...store, graph };
}

class ConceptGraph {
  readonly #store: Pick<Store, 'graph' | 'records'>;
  readonly #graph: StoreGraph;
  readonly #nodes: ConceptNodes;
  /** The edges that were read last, as long as nothing has changed. */
  #read: { readonly of: string; readonly edges: Map<string, readonly NodeEdge[]> } = {
    of: '',
    edges: new Map(),
  };
  #remembered = 0;

  constructor(store: Pick<Store, 'graph' | 'records'>) {
    this.#store = store;
    this.#graph = store.graph;
    this.#nodes = new ConceptNodes(store);
  }

  async nodes(namespace: string, selector: NodeSelector, filter: GraphFilter): Promise<GraphNode[]> {
    if (!('ids' in selector)) return this.#graph.nodes(namespace, selector, filter);
    const stored = await this.#graph.nodes(namespace, { ids: this.#maybeStored(selector.ids) }, filter);
    const found = new Map(stored.map((node) => [node.id, node]));
    const missing = selector.ids.filter((id) => !found.has(id) && isConceptId(id));
    for (const node of await this.#nodes.withIds(namespace, missing, filter)) found.set(node.id, node);
    return [...new Set(selector.ids)].flatMap((id) => found.get(id) ?? []);
  }

  async neighbours(namespace: string, request: NeighbourRequest): Promise<Neighbours> {
    const { of, direction, types, limit, filter } = request;
    const stored = await this.#graph.neighbours(namespace, { ...request, of: this.#maybeStored(of) });
    if (!hasConceptType(types)) return stored;
    const near = await this.#near(namespace, of, filter.excludedSources);
    const read = await this.#edges(namespace, near, direction, filter);
    const added = read.filter(({ edge }) => types?.includes(edge.type) ?? true);
    const [from, to] = direction === 'out' ? (['src', 'dst'] as const) : (['dst', 'src'] as const);
    const others = new Map(stored.nodes.map((node) => [node.id, node]));
    for (const each of added) others.set(each[to].id, each[to]);
    const all: (GraphEdge | NodeEdge)[] = [...stored.edges, ...added];
    const ends = (each: GraphEdge | NodeEdge): EdgeCursor & { weight: number } =>
      'edge' in each ? { ...cursorOf(each), weight: each.edge.weight } : each;
    const byNode = Map.groupBy(all, (each) => ends(each)[from]);
    const edges = [...new Set(of)].flatMap((id) =>
      (byNode.get(id) ?? [])
        .sort((a, b) => {
          const [x, y] = [ends(a), ends(b)];
          return y.weight - x.weight || compare(x[to], y[to]) || compare(x.type, y.type);
        })
        .slice(0, limit),
    );
    const placed = await this.#placed(namespace, edges);
    const shown = new Set(placed.map((edge) => edge[to]));
    const nodes = [...others.values()].filter(({ id }) => shown.has(id));
    return { edges: placed, nodes: nodes.sort((a, b) => compare(a.id, b.id)) };
  }

  async degrees(
    namespace: string,
    ids: readonly string[],
    types: readonly EdgeType[] | undefined,
    excludedSources: readonly string[],
  ): Promise<NodeDegree[]> {
    const stored = await this.#graph.degrees(namespace, this.#maybeStored(ids), types, excludedSources);
    if (!hasConceptType(types)) return stored;
    const near = await this.#near(namespace, ids, excludedSources);
    const filter = { excludedSources };
    const [out, into] = await Promise.all(
      (['out', 'in'] as const).map(async (direction) => {
        const edges = await this.#edges(namespace, near, direction, filter);
        const counted = edges.filter(({ edge }) => types?.includes(edge.type) ?? true);
        return Map.groupBy(counted, ({ src, dst }) => (direction === 'out' ? src.id : dst.id));
      }),
    );
    const known = new Map(stored.map((each) => [each.id, each]));
    const existing = new Set([...known.keys(), ...near.map(({ id }) => id)]);
    return ids
      .filter((id) => existing.has(id))
      .map((id) => ({
        id,
        out: (known.get(id)?.out ?? 0) + (out!.get(id)?.length ?? 0),
        in: (known.get(id)?.in ?? 0) + (into!.get(id)?.length ?? 0),
      }));
  }

  async pageNodes(
    namespace: string,
    filter: GraphFilter,
    { after, limit }: Page<string>,
  ): Promise<GraphNode[]> {
    const stored = await this.#graph.pageNodes(namespace, filter, { after, limit });
    const concepts = firstAfter(await this.#nodes.all(namespace, filter), after ?? '', limit);
    return [...stored, ...concepts].sort((a, b) => compare(a.id, b.id)).slice(0, limit);
  }

  async pageEdges(
    namespace: string,
    filter: GraphFilter,
    { after, limit }: Page<EdgeCursor>,
  ): Promise<GraphEdge[]> {
    const found: (GraphEdge | NodeEdge)[] = [];
    for (let cursor = after; ;) {
      const stored = await this.#graph.pageEdges(namespace, filter, { after: cursor, limit });
      const nodes = await this.#pageFrom(namespace, filter, cursor?.src ?? null);
      const read = await this.#edges(namespace, nodes, 'out', filter);
      const added = read.filter((each) => cursor === null || byEnds(cursorOf(each), cursor) > 0);
      // Beyond these ends, edges of the other kind are missing.
      const ends = [
        ...(stored.length < limit ? [] : [stored.at(-1)!]),
        ...(nodes.length < NODES ? [] : [{ src: nodes.at(-1)!.id, type: AFTER_ALL_TYPES, dst: '' }]),
      ].sort(byEnds);
      const [end] = ends;
      const page = [...stored, ...added].filter(
        (each) => end === undefined || byEnds(cursorOf(each), end) <= 0,
      );
      found.push(...page.sort((a, b) => byEnds(cursorOf(a), cursorOf(b))));
      if (end === undefined || found.length >= limit) return this.#placed(namespace, found.slice(0, limit));
      cursor = end;
    }
  }

  async counts(namespace: string, filter: GraphFilter): Promise<GraphCounts> {
    const { nodes, edges, tags } = await this.#graph.counts(namespace, filter);
    const concepts = await this.#nodes.all(namespace, filter);
    const ofProjects = new Map(nodes.map((each) => [`${each.project}\0${each.type}`, each]));
    for (const { project, type } of concepts) {
      const known = ofProjects.get(`${project}\0${type}`) ?? { project, type, nodes: 0, records: 0 };
      ofProjects.set(`${project}\0${type}`, { ...known, nodes: known.nodes + 1 });
    }
    const ofTypes = new Map(edges.map((each) => [each.type, each.edges]));
    const reader = new ConceptReader(this.#store, namespace, filter.excludedSources ?? []);
    for (const project of await this.#nodes.projects(namespace, filter))
      for (const [type, count] of Object.entries(await reader.count(project)))
        if (count > 0) ofTypes.set(type as EdgeType, (ofTypes.get(type as EdgeType) ?? 0) + count);
    return {
      nodes: [...ofProjects.values()].sort(
        (a, b) => compare(a.project, b.project) || compare(a.type, b.type),
      ),
      edges: [...ofTypes]
        .map(([type, count]) => ({ type, edges: count }))
        .sort((a, b) => compare(a.type, b.type)),
      tags,
    };
  }

  /** Without the ids of concepts that have a name only, which the store would look up for nothing. */
  #maybeStored(ids: readonly string[]): readonly string[] {
    return ids.filter((id) => !this.#nodes.has(id));
  }

  #near(
    namespace: string,
    ids: readonly string[],
    excludedSources: readonly string[] = [],
  ): Promise<GraphNode[]> {
    return this.nodes(namespace, { ids }, { excludedSources });
  }

  /** The nodes from one on, at most `NODES`. */
  async #pageFrom(namespace: string, filter: GraphFilter, from: string | null): Promise<GraphNode[]> {
    const first = from === null ? [] : await this.nodes(namespace, { ids: [from] }, filter);
    const page = { after: from, limit: NODES - first.length };
    return [...first, ...(await this.pageNodes(namespace, filter, page))];
  }

  /** The edges of concepts that leave these nodes or lead to them, without their places. */
  async #edges(
    namespace: string,
    near: readonly GraphNode[],
    direction: Direction,
    filter: GraphFilter,
  ): Promise<NodeEdge[]> {
    const of = await conceptVersion(this.#store, namespace);
    if (this.#read.of !== of || this.#remembered > MAX_REMEMBERED) {
      this.#read = { of, edges: new Map() };
      this.#remembered = 0;
    }
    const { edges } = this.#read;
    const { project = null, excludedSources = [] } = filter;
    const kind = JSON.stringify([direction, project, excludedSources]);
    const keyOf = ({ id }: GraphNode): string => kind + id;
    const missing = near.filter((node) => !edges.has(keyOf(node)));
    const found = await this.#readEdges(namespace, missing, direction, filter);
    const byNode = Map.groupBy(found, ({ src, dst }) => (direction === 'in' ? dst.id : src.id));
    for (const node of missing) {
      const own = byNode.get(node.id) ?? [];
      edges.set(keyOf(node), own);
      this.#remembered += 1 + own.length;
    }
    return near.flatMap((node) => edges.get(keyOf(node)) ?? []);
  }

  async #readEdges(
    namespace: string,
    near: readonly GraphNode[],
    direction: Direction,
    filter: GraphFilter,
  ): Promise<NodeEdge[]> {
    const reader = new ConceptReader(this.#store, namespace, filter.excludedSources ?? []);
    const records = near.flatMap(({ id, record }) => (record !== null && isOfRecord(id) ? [record] : []));
    const refs = near.flatMap((node) => this.#nodes.refOf(node) ?? []);
    if (records.length === 0 && refs.length === 0) return [];
    const edges = direction === 'in' ? await reader.to(records, refs) : await reader.from(records, refs);
    return this.#between(namespace, edges, filter);
  }

  /** The edges with their nodes. Those with a node that does not pass the filter are left out. */
  async #between(namespace: string, edges: readonly ConceptEdge[], filter: GraphFilter): Promise<NodeEdge[]> {
    const records = new Set(edges.flatMap(({ record, concept }) => [record, noteOf(concept) ?? record]));
    const stored = await this.#graph.nodes(namespace, { records: [...records] }, filter);
    // The node of a record precedes those of its tasks.
    const byRecord = new Map(stored.toReversed().map((node) => [node.record, node]));
    return edges.flatMap((edge): NodeEdge[] => {
      const own = byRecord.get(edge.record);
      const note = noteOf(edge.concept);
      const other = note === null ? this.#nodes.of(edge.concept) : byRecord.get(note);
      if (own === undefined || other === undefined) return [];
      return [edge.type === 'mentions' ? { edge, src: own, dst: other } : { edge, src: other, dst: own }];
    });
  }

  /** The edges, with the places of those of concepts. */
  async #placed(namespace: string, edges: readonly (GraphEdge | NodeEdge)[]): Promise<GraphEdge[]> {
    const lines = edges.flatMap((each) => ('edge' in each ? [each.edge] : []));
    const places = await this.#graph.linePlaces(namespace, lines.map(({ record, line }) => ({ record, line }))); // prettier-ignore
    const byLine = new Map(
      places.map((place) => [`${String(place.record)}:${String(place.lines?.first)}`, place]),
    );
    return edges.flatMap((each): GraphEdge[] => {
      if (!('edge' in each)) return [each];
      const { record, line, type, weight, reason } = each.edge;
      const provenance = byLine.get(`${String(record)}:${String(line ?? undefined)}`);
      return provenance === undefined
        ? []
        : [{ src: each.src.id, dst: each.dst.id, type, weight, reason, provenance }];
    });
  }
}

function hasConceptType(types: readonly EdgeType[] | undefined): boolean {
  return types === undefined || types.includes('mentions') || types.includes('same_as');
}

/** Whether it is the node of a record, and not of one of its tasks. */
function isOfRecord(id: string): boolean {
  return id.startsWith('n_');
}

/** The first nodes after an id, of nodes in the order of their ids. */
function firstAfter(nodes: readonly GraphNode[], id: string, limit: number): readonly GraphNode[] {
  let [low, high] = [0, nodes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(nodes[middle]!.id, id) <= 0) low = middle + 1;
    else high = middle;
  }
  return nodes.slice(low, low + limit);
}

function cursorOf(each: GraphEdge | NodeEdge): EdgeCursor {
  if (!('edge' in each)) return each;
  return { src: each.src.id, type: each.edge.type, dst: each.dst.id };
}

function byEnds(a: EdgeCursor, b: EdgeCursor): number {
  return compare(a.src, b.src) || compare(a.type, b.type) || compare(a.dst, b.dst);
}

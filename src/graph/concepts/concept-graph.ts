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
  GraphState,
} from '../../store/graph-model.ts';
import type { Page } from '../../store/model.ts';
import type { Store } from '../../store/store.ts';
import { compare } from '../walk.ts';
import { type ConceptEdge, isConceptId, type Concept } from './concepts.ts';
import { ConceptReader, type Direction, type ConceptRef } from './concept-reader.ts';

/** Nodes whose edges are read at once: about as many as a page of edges has. */
const NODES = 64;
/** Nodes and their edges that are remembered, for all callers together: a walk reads each of them several times. */
const MAX_REMEMBERED = 20_000;
/** Follows every type of an edge in the order of code points. */
const AFTER_ALL_TYPES = '~' as EdgeType;

/** An edge of concepts between nodes. */
interface NodeEdge {
  readonly edge: ConceptEdge;
  readonly src: GraphNode;
  readonly dst: GraphNode;
}

type NodeEdges = Readonly<Record<Direction, readonly NodeEdge[]>>;

type NearNode = Pick<NodeDegree, 'id' | 'record'>;

/** What is read of the graph with the nodes and edges of concepts. */
export type GraphReads = Pick<Store['graph'], 'nodes' | 'neighbours' | 'edges' | 'counts'>;

/** Adds the nodes and edges of concepts to the stored ones. They are not stored, but follow from names when they are read. */
export class ConceptGraph implements GraphReads {
  readonly #graph: Store['graph'];
  readonly #nodes: ConceptNodes;
  /** The edges that were read last, as long as nothing has changed. */
  #read: { readonly of: string; readonly edges: Map<string, readonly NodeEdge[]> } = {
    of: '',
    edges: new Map(),
  };
  #remembered = 0;

  constructor(store: Pick<Store, 'graph' | 'records'>) {
    this.#graph = store.graph;
    this.#nodes = new ConceptNodes(store);
  }

  async nodes(namespace: string, selector: NodeSelector, filter: GraphFilter = {}): Promise<GraphNode[]> {
    if ('records' in selector) return this.#graph.nodes(namespace, selector, filter);
    if ('page' in selector) {
      const { after, limit } = selector.page;
      const stored = await this.#graph.nodes(namespace, selector, filter);
      const concepts = firstAfter(await this.#nodes.all(namespace, filter), after ?? '', limit);
      return [...stored, ...concepts].sort((a, b) => compare(a.id, b.id)).slice(0, limit);
    }
    const ids = this.#maybeStored(selector.ids);
    const stored = ids.length === 0 ? [] : await this.#graph.nodes(namespace, { ids }, filter);
    const found = new Map(stored.map((node) => [node.id, node]));
    const missing = selector.ids.filter((id) => !found.has(id) && isConceptId(id));
    for (const node of await this.#nodes.withIds(namespace, missing, filter)) found.set(node.id, node);
    return [...new Set(selector.ids)].flatMap((id) => found.get(id) ?? []);
  }

  async neighbours(namespace: string, request: NeighbourRequest): Promise<Neighbours> {
    const { limit, maxDegree = Infinity, countsHidden = false, filter } = request;
    const of = [...new Set(request.of)];
    const stored = await this.#graph.neighbours(namespace, { ...request, of: this.#maybeStored(of) });
    // Only the tags are wanted.
    if (limit === 0) return stored;
    const near = await this.#near(namespace, of, stored.degrees, filter);
    const { project, ...visible } = filter;
    const read = await this.#edges(namespace, near, ['out', 'in'], visible);
    const isCounted = visible.excludedSources !== undefined && countsHidden;
    const all = isCounted ? await this.#edges(namespace, near, ['out', 'in'], {}) : read;
    const degrees = near.map(({ id, record }): NodeDegree => {
      const known = stored.degrees.find((each) => each.id === id) ?? { out: 0, in: 0 };
      // What a concept is called, and so which edges it has, may depend on sources that are hidden.
      const { out, in: into } = (record === null ? read : all).get(id)!;
      return { id, record, out: known.out + out.length, in: known.in + into.length };
    });
    const followed = new Set(degrees.filter((each) => each.out + each.in <= maxDegree).map(({ id }) => id));
    const nodes = new Map(stored.nodes.map((node) => [node.id, node]));
    const nearest = (direction: Direction): (GraphEdge | NodeEdge)[] => {
      const [from, to] = direction === 'out' ? (['src', 'dst'] as const) : (['dst', 'src'] as const);
      const byNode = Map.groupBy(stored[direction], (edge) => edge[from]);
      return of.flatMap((id) => {
        if (!followed.has(id)) return [];
        const added = read.get(id)![direction].filter((each) => (project ?? each[to].project) === each[to].project); // prettier-ignore
        for (const each of added) nodes.set(each[to].id, each[to]);
        return [...(byNode.get(id) ?? []), ...added].sort(heaviestFirst(to)).slice(0, limit);
      });
    };
    const [out, into] = await this.#placed(namespace, [nearest('out'), nearest('in')]);
    const shown = new Set([...out!.map(({ dst }) => dst), ...into!.map(({ src }) => src)]);
    return {
      ...{ out: out!, in: into!, degrees, tags: stored.tags },
      nodes: [...nodes.values()].filter(({ id }) => shown.has(id)).sort((a, b) => compare(a.id, b.id)),
    };
  }

  async edges(
    namespace: string,
    filter: GraphFilter,
    { after, limit }: Page<EdgeCursor>,
  ): Promise<GraphEdge[]> {
    const found: (GraphEdge | NodeEdge)[] = [];
    for (let cursor = after; ;) {
      const stored = await this.#graph.edges(namespace, filter, { after: cursor, limit });
      const nodes = await this.#pageFrom(namespace, filter, cursor?.src ?? null);
      const read = await this.#edges(namespace, nodes, ['out'], filter);
      const edges = nodes.flatMap(({ id }) => read.get(id)!.out);
      const added = edges.filter((each) => cursor === null || byEnds(cursorOf(each), cursor) > 0);
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
      if (end === undefined || found.length >= limit)
        return (await this.#placed(namespace, [found.slice(0, limit)])).flat();
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
    const reader = new ConceptReader(this.#graph, namespace, filter.excludedSources);
    let mentions = ofTypes.get('mentions') ?? 0;
    for (const project of await this.#nodes.projects(namespace, filter))
      mentions += await reader.count(project);
    if (mentions > 0) ofTypes.set('mentions', mentions);
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
    return ids.filter((id) => this.#nodes.refOf(id) === undefined);
  }

  /** The nodes that are there: stored ones, and concepts that have a name only. */
  async #near(
    namespace: string,
    ids: readonly string[],
    stored: readonly NodeDegree[],
    { excludedSources = [] }: GraphFilter,
  ): Promise<NearNode[]> {
    const near = new Map<string, NearNode>(stored.map((each) => [each.id, each]));
    const others = ids.filter((id) => !near.has(id) && isConceptId(id));
    const unknown = others.filter((id) => this.#nodes.refOf(id) === undefined);
    await this.#nodes.withIds(namespace, unknown, { excludedSources });
    return ids.flatMap(
      (id) => near.get(id) ?? (this.#nodes.refOf(id) === undefined ? [] : { id, record: null }),
    );
  }

  /** The nodes from one on, at most `NODES`. */
  async #pageFrom(namespace: string, filter: GraphFilter, from: string | null): Promise<GraphNode[]> {
    const first = from === null ? [] : await this.nodes(namespace, { ids: [from] }, filter);
    const page = { after: from, limit: NODES - first.length };
    return [...first, ...(await this.nodes(namespace, { page }, filter))];
  }

  /** The edges of concepts that leave these nodes and lead to them, without their places. */
  async #edges(
    namespace: string,
    near: readonly NearNode[],
    directions: readonly Direction[],
    { excludedSources = [] }: GraphFilter,
  ): Promise<Map<string, NodeEdges>> {
    const of = conceptVersion(namespace, await this.#graph.state(namespace));
    if (this.#read.of !== of || this.#remembered > MAX_REMEMBERED) {
      this.#read = { of, edges: new Map() };
      this.#remembered = 0;
    }
    const { edges } = this.#read;
    const keyOf = ({ id }: NearNode, direction: Direction): string =>
      JSON.stringify([direction, excludedSources, id]);
    const missing = near.filter((node) => directions.some((each) => !edges.has(keyOf(node, each))));
    const reader = new ConceptReader(this.#graph, namespace, excludedSources);
    const found = await this.#readEdges(namespace, reader, missing, directions, { excludedSources });
    for (const direction of directions) {
      const byNode = Map.groupBy(found[direction], ({ src, dst }) => (direction === 'in' ? dst.id : src.id));
      for (const node of missing) {
        const own = byNode.get(node.id) ?? [];
        edges.set(keyOf(node, direction), own);
        this.#remembered += 1 + own.length;
      }
    }
    return new Map(
      near.map((node) => [
        node.id,
        { out: edges.get(keyOf(node, 'out')) ?? [], in: edges.get(keyOf(node, 'in')) ?? [] },
      ]),
    );
  }

  async #readEdges(
    namespace: string,
    reader: ConceptReader,
    near: readonly NearNode[],
    directions: readonly Direction[],
    filter: GraphFilter,
  ): Promise<Record<Direction, readonly NodeEdge[]>> {
    const records = near.flatMap(({ id, record }) => (record !== null && isOfRecord(id) ? [record] : []));
    const refs = near.flatMap(({ id }) => this.#nodes.refOf(id) ?? []);
    if (records.length === 0 && refs.length === 0) return { out: [], in: [] };
    const found = await reader.around(records, refs, directions);
    const between = await this.#between(namespace, [...found.out, ...found.in], filter);
    const within = (edges: readonly ConceptEdge[]): NodeEdge[] =>
      edges.flatMap((edge) => between.get(edge) ?? []);
    return { out: within(found.out), in: within(found.in) };
  }

  /** The edges with their nodes. Those with a node that does not pass the filter are left out. */
  async #between(
    namespace: string,
    edges: readonly ConceptEdge[],
    filter: GraphFilter,
  ): Promise<Map<ConceptEdge, NodeEdge>> {
    const records = new Set(edges.flatMap(({ record, concept }) => [record, concept.record ?? record]));
    const stored = await this.#graph.nodes(namespace, { records: [...records] }, filter);
    // The node of a record precedes those of its tasks.
    const byRecord = new Map(stored.toReversed().map((node) => [node.record, node]));
    return new Map(
      edges.flatMap((edge): [ConceptEdge, NodeEdge][] => {
        const { record } = edge.concept;
        const src = byRecord.get(edge.record);
        const dst = record === null ? this.#nodes.of(edge.concept) : byRecord.get(record);
        return src === undefined || dst === undefined ? [] : [[edge, { edge, src, dst }]];
      }),
    );
  }

  /** The edges of each list, with the places of those of concepts. */
  async #placed(
    namespace: string,
    lists: readonly (readonly (GraphEdge | NodeEdge)[])[],
  ): Promise<GraphEdge[][]> {
    const lines = lists.flat().flatMap((each) => ('edge' in each ? [each.edge] : []));
    const places =
      lines.length === 0
        ? []
        : await this.#graph.linePlaces(namespace, lines.map(({ record, line }) => ({ record, line }))); // prettier-ignore
    const byLine = new Map(
      places.map((place) => [`${String(place.record)}:${String(place.lines?.first)}`, place]),
    );
    const placed = (each: GraphEdge | NodeEdge): GraphEdge[] => {
      if (!('edge' in each)) return [each];
      const { record, line, weight, reason } = each.edge;
      const provenance = byLine.get(`${String(record)}:${String(line ?? undefined)}`);
      return provenance === undefined
        ? []
        : [{ src: each.src.id, dst: each.dst.id, type: 'mentions', weight, reason, provenance }];
    };
    return lists.map((edges) => edges.flatMap(placed));
  }
}

/** The edges of a node with the highest weight first, ties by the node at the other end, then by type. */
function heaviestFirst(to: 'src' | 'dst'): (a: GraphEdge | NodeEdge, b: GraphEdge | NodeEdge) => number {
  const weightOf = (each: GraphEdge | NodeEdge): number => ('edge' in each ? each.edge : each).weight;
  return (a, b) => {
    const [x, y] = [cursorOf(a), cursorOf(b)];
    return weightOf(b) - weightOf(a) || compare(x[to], y[to]) || compare(x.type, y.type);
  };
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
  return { src: each.src.id, type: 'mentions', dst: each.dst.id };
}

function byEnds(a: EdgeCursor, b: EdgeCursor): number {
  return compare(a.src, b.src) || compare(a.type, b.type) || compare(a.dst, b.dst);
}

/** Concepts of which it is remembered which name an id stands for. */
const MAX_KNOWN = 50_000;

interface AllNodes {
  readonly nodes: readonly GraphNode[];
  readonly byId: ReadonlyMap<string, GraphNode>;
}

/** The nodes of concepts that are no note. */
class ConceptNodes {
  readonly #store: Pick<Store, 'graph' | 'records'>;
  /** By the id of a concept, which is a hash of its project and first name. */
  readonly #known = new Map<string, ConceptRef>();
  /** The nodes of all concepts, as long as nothing has changed. */
  readonly #all = new LatestValue<AllNodes>();

  constructor(store: Pick<Store, 'graph' | 'records'>) {
    this.#store = store;
  }

  /** The concept of a node that was read before; `undefined` for any other node. */
  refOf(id: string): ConceptRef | undefined {
    return this.#known.get(id);
  }

  of({ id, project, label, names }: Concept): GraphNode {
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(id, { project, key: names[0]!.key });
    const own = { id, type: 'concept', title: label, project } as const;
    return { ...own, tags: [], record: null, source: null, task: null, provenance: null };
  }

  /** Those of the concepts with these ids that pass the filter. */
  async withIds(namespace: string, ids: readonly string[], filter: GraphFilter): Promise<GraphNode[]> {
    if (ids.length === 0) return [];
    const state = await this.#store.graph.state(namespace);
    const all = await this.#all.peek(keyOf(namespace, state, filter));
    if (all !== null) return ids.flatMap((id) => all.byId.get(id) ?? []);
    const wanted = new Set(ids);
    const isWanted = ({ id, project }: GraphNode): boolean =>
      wanted.has(id) && (filter.project === undefined || filter.project === project);
    if (!ids.every((id) => this.#known.has(id))) return (await this.all(namespace, filter)).filter(isWanted);
    const reader = new ConceptReader(this.#store.graph, namespace, filter.excludedSources);
    const concepts = await reader.withNodes(ids.map((id) => this.#known.get(id)!));
    return concepts.map((concept) => this.of(concept)).filter(isWanted);
  }

  /** The nodes of all concepts that pass the filter, by id. */
  async all(namespace: string, filter: GraphFilter): Promise<readonly GraphNode[]> {
    const state = await this.#store.graph.state(namespace);
    const key = keyOf(namespace, state, filter);
    return (await this.#all.get(key, () => this.#readAll(namespace, filter))).nodes;
  }

  async #readAll(namespace: string, filter: GraphFilter): Promise<AllNodes> {
    const reader = new ConceptReader(this.#store.graph, namespace, filter.excludedSources);
    const nodes: GraphNode[] = [];
    for (const project of await this.projects(namespace, filter))
      for (const concept of await reader.allWithNodes(project)) nodes.push(this.of(concept));
    nodes.sort((a, b) => compare(a.id, b.id));
    return { nodes, byId: new Map(nodes.map((node) => [node.id, node])) };
  }

  /** The projects that pass the filter. */
  async projects(namespace: string, { project }: GraphFilter): Promise<readonly string[]> {
    if (project !== undefined) return [project];
    return (await this.#store.records.facet(namespace, 'project', { now: 0 })).map(({ value }) => value);
  }
}

/** Changes whenever nodes and edges of concepts may have changed. */
function conceptVersion(namespace: string, state: GraphState): string {
  const { lastChange, upTo, stale, conceptsUpTo, changedNames } = state;
  return JSON.stringify([namespace, lastChange, upTo, stale, conceptsUpTo, changedNames]);
}

function keyOf(namespace: string, state: GraphState, { project, excludedSources = [] }: GraphFilter): string {
  return `${conceptVersion(namespace, state)} ${JSON.stringify([project, excludedSources])}`;
}

/** Keeps the value that was made last. Calls with its key share it, also while it is being made. */
export class LatestValue<Value> {
  #latest: { readonly key: string; readonly value: Promise<Value> } | null = null;

  /** The value of this key, if it is the latest. */
  peek(key: string): Promise<Value> | null {
    return this.#latest?.key === key ? this.#latest.value : null;
  }

  async get(key: string, make: () => Promise<Value>): Promise<Value> {
    if (this.#latest?.key !== key) this.#latest = { key, value: make() };
    const latest = this.#latest;
    try {
      return await latest.value;
    } catch (error) {
      if (this.#latest === latest) this.#latest = null;
      throw error;
    }
  }
}

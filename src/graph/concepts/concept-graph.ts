import { nameKey } from '../../core/names/name.ts';
import type {
  EdgeCursor,
  GraphCounts,
  GraphEdge,
  GraphFilter,
  GraphNode,
  GraphProvenance,
  NeighbourRequest,
  Neighbours,
  NodeDegree,
  NodeSelector,
} from '../../store/graph-model.ts';
import type { Page } from '../../store/model.ts';
import type { Store } from '../../store/store.ts';
import { compare } from '../model.ts';
import { type Concept, type ConceptEdge, conceptNodeId } from './concepts.ts';
import { type ConceptEnds, ConceptReader } from './concept-reader.ts';

/** The type of the edges of concepts, of which none is stored. */
const CONCEPT_EDGE = 'mentions' as const;
/** Nodes whose edges are read at once: about as many as a page of edges has. */
const NODES = 64;

/** An edge of concepts between nodes. Its provenance has the line alone until `#placed` adds the rest. */
interface NodeEdge {
  readonly edge: GraphEdge;
  readonly src: GraphNode;
  readonly dst: GraphNode;
}

type EdgesOfNodes = Readonly<Record<'out' | 'in', ReadonlyMap<string, readonly NodeEdge[]>>>;

interface ConceptNode extends Pick<Concept, 'isCommon'> {
  readonly node: GraphNode;
}

/** The stored graph with the nodes and edges of concepts, which are not stored: they follow from names when they are read. */
export class ConceptGraph {
  readonly #store: Pick<Store, 'graph' | 'records'>;
  readonly #graph: Store['graph'];
  /** The nodes of concepts that were read last. They hold as long as nothing has changed. */
  #latest: { readonly key: string; readonly concepts: Promise<readonly ConceptNode[]> } | null = null;

  constructor(store: Pick<Store, 'graph' | 'records'>) {
    this.#store = store;
    this.#graph = store.graph;
  }

  /** Pages are without the concepts that no edge leads to. */
  async nodes(namespace: string, selector: NodeSelector, filter: GraphFilter = {}): Promise<GraphNode[]> {
    const stored = await this.#graph.nodes(namespace, selector, filter);
    if ('records' in selector) return stored;
    if ('page' in selector) {
      const { after, limit } = selector.page;
      const concepts = await this.concepts(namespace, filter);
      const next = concepts.filter(({ id }) => compare(id, after ?? '') > 0).slice(0, limit);
      return [...stored, ...next].sort(byId).slice(0, limit);
    }
    const found = new Map(stored.map((node) => [node.id, node]));
    if (selector.ids.some((id) => id.startsWith('c_') && !found.has(id)))
      for (const { node } of await this.#concepts(namespace, filter)) found.set(node.id, node);
    return [...new Set(selector.ids)].flatMap((id) => found.get(id) ?? []);
  }

  /** The concepts with nodes of their own to which edges lead, by id. */
  async concepts(namespace: string, filter: GraphFilter): Promise<GraphNode[]> {
    const concepts = await this.#concepts(namespace, filter);
    return concepts.flatMap(({ node, isCommon }) => (isCommon ? [] : [node]));
  }

  /** The edges of nodes, both ways. */
  async neighbours(
    namespace: string,
    near: readonly GraphNode[],
    request: Omit<NeighbourRequest, 'of'>,
  ): Promise<Neighbours> {
    const { limit, maxDegree = Infinity, countsHidden = false, filter } = request;
    const { project, ...visible } = filter;
    const of = [...new Map(near.map((node) => [node.id, node])).values()];
    const [concepts, others] = [of.filter(isConceptNode), of.filter((node) => !isConceptNode(node))];
    const records = of.flatMap(({ id, record }) => (record !== null && isOfRecord(id) ? [record] : []));
    const toNames = concepts.map((node) => ({ project: node.project, key: nameKey(node.title) }));
    const ends = { from: records, to: records, toNames };
    const countsMore = countsHidden && visible.excludedSources !== undefined;
    const [stored, read, all] = await Promise.all([
      this.#graph.neighbours(namespace, { ...request, of: others.map(({ id }) => id) }),
      this.#edgesOf(namespace, ends, visible),
      countsMore ? this.#edgesOf(namespace, ends, {}) : null,
    ]);
    const counted = all ?? read;
    const known = new Map(stored.degrees.map((degree) => [degree.id, degree]));
    for (const { id } of concepts) known.set(id, { id, record: null, out: 0, in: 0 });
    const degrees = [...known.values()].map(({ id, record, out, in: into }): NodeDegree => {
      // What a concept is called, and so which edges it has, may depend on sources that are hidden.
      const edges = record === null ? read : counted;
      const [added, addedInto] = [edges.out.get(id) ?? [], edges.in.get(id) ?? []];
      return { id, record, out: out + added.length, in: into + addedInto.length };
    });
    const followed = new Set(degrees.flatMap((each) => (each.out + each.in <= maxDegree ? [each.id] : [])));
    const nodes = new Map(stored.nodes.map((node) => [node.id, node]));
    const nearest = (
      direction: 'out' | 'in',
      from: 'src' | 'dst',
      to: 'src' | 'dst',
    ): Promise<GraphEdge[]> => {
      const byNode = Map.groupBy(stored[direction], (edge) => edge[from]);
      const found = of.flatMap(({ id }) => {
        if (!followed.has(id)) return [];
        const added = (read[direction].get(id) ?? []).filter(
          (each) => project === undefined || each[to].project === project,
        );
        for (const each of added) nodes.set(each[to].id, each[to]);
        const edges = [...(byNode.get(id) ?? []), ...added.map(({ edge }) => edge)];
        return edges
          .sort((a, b) => b.weight - a.weight || compare(a[to], b[to]) || compare(a.type, b.type))
          .slice(0, limit);
      });
      return this.#placed(namespace, found);
    };
    const [out, into] = await Promise.all([nearest('out', 'src', 'dst'), nearest('in', 'dst', 'src')]);
    const shown = new Set([...out.map(({ dst }) => dst), ...into.map(({ src }) => src)]);
    return {
      ...{ out, in: into, degrees, tags: stored.tags },
      nodes: [...nodes.values()].filter(({ id }) => shown.has(id)).sort(byId),
    };
  }

  /** All edges, those of concepts last, in the order of `byEnds`. */
  async edges(namespace: string, filter: GraphFilter, page: Page<EdgeCursor>): Promise<GraphEdge[]> {
    const isAmongConcepts = page.after?.type === CONCEPT_EDGE;
    const stored = isAmongConcepts ? [] : await this.#graph.edges(namespace, filter, page);
    if (stored.length > 0) return stored;
    const after = isAmongConcepts ? page.after : null;
    return this.conceptEdges(namespace, filter, { after, limit: page.limit });
  }

  async conceptEdges(
    namespace: string,
    filter: GraphFilter,
    { after, limit }: Page<EdgeCursor>,
  ): Promise<GraphEdge[]> {
    let nodes = after === null ? [] : await this.#graph.nodes(namespace, { ids: [after.src] }, filter);
    for (let from = after?.src ?? ID_OF_RECORD; ;) {
      const page = await this.#graph.nodes(namespace, { page: { after: from, limit: NODES } }, filter);
      nodes = [...nodes, ...page].filter(({ id }) => isOfRecord(id));
      if (nodes.length === 0) return [];
      const records = nodes.flatMap(({ record }) => record ?? []);
      const read = await this.#edgesOf(namespace, { from: records }, filter);
      const edges = [...read.out.values()].flat().map(({ edge }) => edge);
      const next = edges.filter((edge) => after === null || byEnds(edge, after) > 0).sort(byEnds);
      if (next.length > 0) return this.#placed(namespace, next.slice(0, limit));
      [from, nodes] = [page.at(-1)?.id ?? from, []];
    }
  }

  async counts(namespace: string, filter: GraphFilter): Promise<GraphCounts> {
    const { nodes, edges, tags } = await this.#graph.counts(namespace, filter);
    const reader = new ConceptReader(this.#graph, namespace, filter.excludedSources);
    let mentions = 0;
    for (const project of await this.#projects(namespace, filter)) mentions += await reader.count(project);
    const concepts = await this.concepts(namespace, filter);
    const ofProjects = new Map(nodes.map((each) => [`${each.project}\0${each.type}`, each]));
    for (const { project, type } of concepts) {
      const key = `${project}\0${type}`;
      const known = ofProjects.get(key) ?? { project, type, nodes: 0, records: 0 };
      ofProjects.set(key, { ...known, nodes: known.nodes + 1 });
    }
    return {
      nodes: [...ofProjects.values()].sort(
        (a, b) => compare(a.project, b.project) || compare(a.type, b.type),
      ),
      edges: [...edges, ...(mentions === 0 ? [] : [{ type: CONCEPT_EDGE, edges: mentions }])].sort((a, b) =>
        compare(a.type, b.type),
      ),
      tags,
    };
  }

  /** The concepts with nodes of their own that pass the filter, by id. */
  async #concepts(namespace: string, filter: GraphFilter): Promise<readonly ConceptNode[]> {
    const { waiting: _, ...state } = await this.#graph.state(namespace);
    const key = JSON.stringify([namespace, state, filter]);
    if (this.#latest?.key === key) return this.#latest.concepts;
    const latest = { key, concepts: this.#readConcepts(namespace, filter) };
    this.#latest = latest;
    latest.concepts.catch(() => {
      if (this.#latest === latest) this.#latest = null;
    });
    return latest.concepts;
  }

  async #readConcepts(namespace: string, filter: GraphFilter): Promise<readonly ConceptNode[]> {
    const reader = new ConceptReader(this.#graph, namespace, filter.excludedSources);
    const found: ConceptNode[] = [];
    for (const project of await this.#projects(namespace, filter))
      for (const concept of (await reader.concepts(project)).all)
        if (concept.record === null && !concept.isTag)
          found.push({ node: nodeOf(concept), isCommon: concept.isCommon });
    return found.sort((a, b) => byId(a.node, b.node));
  }

  /** The projects that pass the filter. */
  async #projects(namespace: string, { project }: GraphFilter): Promise<readonly string[]> {
    if (project !== undefined) return [project];
    return (await this.#store.records.facet(namespace, 'project', { now: 0 })).map(({ value }) => value);
  }

  /** The edges by the ids of the nodes where they begin, and by those of the nodes to which they lead. */
  async #edgesOf(namespace: string, ends: ConceptEnds, filter: GraphFilter): Promise<EdgesOfNodes> {
    const { out, in: into } = await new ConceptReader(this.#graph, namespace, filter.excludedSources).edges(
      ends,
    );
    const records = new Set(
      [...out, ...into].flatMap(({ record, concept }) => [record, concept.record ?? record]),
    );
    const stored =
      records.size === 0 ? [] : await this.#graph.nodes(namespace, { records: [...records] }, filter);
    // The node of a record precedes those of its tasks.
    const byRecord = new Map(stored.toReversed().map((node) => [node.record, node]));
    const between = ({ record, concept, line, weight, reason }: ConceptEdge): NodeEdge[] => {
      const src = byRecord.get(record);
      const dst = concept.record === null ? nodeOf(concept) : byRecord.get(concept.record);
      if (src === undefined || dst === undefined) return [];
      const lines = line === null ? null : { first: line, last: line };
      const provenance = { record, passage: null, lines, hash: '' };
      return [
        { edge: { src: src.id, dst: dst.id, type: CONCEPT_EDGE, weight, reason, provenance }, src, dst },
      ];
    };
    return {
      out: Map.groupBy(out.flatMap(between), ({ src }) => src.id),
      in: Map.groupBy(into.flatMap(between), ({ dst }) => dst.id),
    };
  }

  /** The edges with the places of those of concepts. */
  async #placed(namespace: string, edges: readonly GraphEdge[]): Promise<GraphEdge[]> {
    const keyOf = ({ record, lines }: Pick<GraphProvenance, 'record' | 'lines'>): string =>
      `${String(record)}:${String(lines?.first)}`;
    const ofConcepts = edges.filter(({ type }) => type === CONCEPT_EDGE);
    const lines = ofConcepts.map(({ provenance: { record, lines: at } }) => ({
      record,
      line: at?.first ?? null,
    }));
    const found = lines.length === 0 ? [] : await this.#graph.linePlaces(namespace, lines);
    const places = new Map(found.map((place) => [keyOf(place), place]));
    return edges.flatMap((edge) => {
      const provenance = edge.type === CONCEPT_EDGE ? places.get(keyOf(edge.provenance)) : edge.provenance;
      // The record was removed a moment ago.
      return provenance === undefined ? [] : [{ ...edge, provenance }];
    });
  }
}

function nodeOf({ id, label, project }: Concept): GraphNode {
  const own = { id, type: 'concept', title: label, project } as const;
  return { ...own, tags: [], record: null, source: null, task: null, provenance: null };
}

/** Whether it is the node of a phrase, and not of a tag, which is stored. */
function isConceptNode({ id, type, title, project, record }: GraphNode): boolean {
  return type === 'concept' && record === null && id === conceptNodeId(project, nameKey(title));
}

const ID_OF_RECORD = 'n_';

/** Whether it is the node of a record, and not of one of its tasks. */
function isOfRecord(id: string): boolean {
  return id.startsWith(ID_OF_RECORD);
}

function byId(a: GraphNode, b: GraphNode): number {
  return compare(a.id, b.id);
}

function byEnds(a: EdgeCursor, b: EdgeCursor): number {
  return compare(a.src, b.src) || compare(a.dst, b.dst);
}

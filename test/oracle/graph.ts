import type { EdgeType } from '../../src/core/graph-types.ts';
import type {
  EdgeDraft,
  GraphEdge,
  GraphFilter,
  GraphNode,
  GraphUpdate,
  NodeDraft,
} from '../../src/store/graph-model.ts';
import type { StoreGraph } from '../../src/store/store.ts';
import { conceptCalls } from './concepts.ts';
import { type OracleGraph, removeAbandoned, removeNode, sharedWithEdges } from './graph-state.ts';
import { linksOf } from './links.ts';
import { byCodePoint, type Namespace, type OracleState, recordsOf } from './state.ts';

export function putGraph(namespace: Namespace, update: GraphUpdate): void {
  const { graph } = namespace;
  const { lane, records, shared, settled = [], progress } = structuredClone(update);
  const candidates = new Set([...sharedWithEdges(graph), ...shared.map(({ key }) => key)]);
  for (const node of shared) graph.nodes.set(node.key, node);
  for (const [record, contribution] of records) {
    const isLive = namespace.records.get(record)?.record.deletedAt === null;
    const { nodes, edges } = isLive ? contribution : { nodes: [], edges: [] };
    if (lane === 'text') {
      const kept = new Set(nodes.map(({ key }) => key));
      for (const [key, node] of graph.nodes)
        if (node.record === record && !kept.has(key)) removeNode(graph, key);
      for (const node of nodes) graph.nodes.set(node.key, node);
    }
    for (const [key, each] of graph.edges)
      if (each.record === record && each.lane === lane) graph.edges.delete(key);
    for (const edge of edges)
      graph.edges.set(JSON.stringify([edge.src, edge.type, edge.dst]), { edge, record, lane });
  }
  removeAbandoned(graph, candidates);
  for (const { record, since } of settled) if (graph.stale.get(record) === since) graph.stale.delete(record);
  graph.progress = { ...graph.progress, ...progress };
}

/** What decides whether a record is stale after a change of others. */
interface LinksAndIdentities {
  readonly targets: ReadonlyMap<string, number | null>;
  readonly sharing: ReadonlySet<string>;
  readonly lastChange: number;
}

export function linksAndIdentities(namespace: Namespace): LinksAndIdentities {
  const links = linksOf(namespace).map(
    ({ record, position, targetRecord }) =>
      [`${String(record)} ${String(position)}`, targetRecord] as [string, number | null],
  );
  return {
    targets: new Map(links),
    sharing: new Set(
      [...namespace.graph.nodes.values()].flatMap(({ sharesIdentity, source, record }) =>
        sharesIdentity ? [`${source ?? ''} ${String(record)}`] : [],
      ),
    ),
    lastChange: namespace.lastChange,
  };
}

export function markStale(namespace: Namespace, before: LinksAndIdentities): void {
  const { lastChange, graph } = namespace;
  const changed = new Set(
    [...namespace.changes.values()]
      .filter(({ sequence }) => sequence > before.lastChange)
      .map(({ record }) => record),
  );
  const stale = new Set<number>();
  for (const [link, target] of linksAndIdentities(namespace).targets)
    if (before.targets.get(link) !== target) stale.add(Number(link.split(' ')[0]));
  for (const record of changed) for (const { id } of sharers(namespace, record)) stale.add(id);
  for (const each of before.sharing) {
    const [source, record] = [
      each.slice(0, each.lastIndexOf(' ')),
      Number(each.slice(each.lastIndexOf(' ') + 1)),
    ];
    if (!changed.has(record)) continue;
    for (const node of graph.nodes.values())
      if (node.sharesIdentity && node.source === source && node.record !== null) stale.add(node.record);
  }
  for (const record of stale) if (!changed.has(record)) graph.stale.set(record, lastChange);
}

/** Other live documents with the identity of this one. */
function sharers(namespace: Namespace, id: number): { id: number }[] {
  const record = namespace.records.get(id)?.record;
  if (record?.identity === undefined || record.identity === null) return [];
  return recordsOf(namespace).filter(
    (other) =>
      other.id !== id &&
      other.deletedAt === null &&
      other.source === record.source &&
      other.identity === record.identity,
  );
}

function isVisible({ project, source }: GraphNode, filter: GraphFilter): boolean {
  return (
    (filter.project === undefined || filter.project === project) &&
    (source === null || !(filter.excludedSources ?? []).includes(source))
  );
}

function nodeOf({ key: _, sharesIdentity: __, ...node }: NodeDraft): GraphNode {
  return node;
}

function allNodes({ nodes }: OracleGraph): NodeDraft[] {
  return [...nodes.values()].sort((a, b) => byCodePoint(a.key, b.key));
}

interface FullEdge {
  readonly edge: GraphEdge;
  readonly src: NodeDraft;
  readonly dst: NodeDraft;
}

function allEdges(graph: OracleGraph, filter: GraphFilter): FullEdge[] {
  return [...graph.edges.values()].flatMap(({ edge }) => {
    const [src, dst] = [graph.nodes.get(edge.src), graph.nodes.get(edge.dst)];
    if (src === undefined || dst === undefined || !isVisible(src, filter) || !isVisible(dst, filter))
      return [];
    return [{ edge: { ...edge, src: src.id, dst: dst.id }, src, dst }];
  });
}

function byIds(a: GraphEdge, b: GraphEdge): number {
  return byCodePoint(a.src, b.src) || byCodePoint(a.type, b.type) || byCodePoint(a.dst, b.dst);
}

export function graphCalls(state: OracleState): StoreGraph {
  const graphOf = (name: string): OracleGraph => structuredClone(state.read(name).graph);
  return {
    ...pageCalls(graphOf),
    ...conceptCalls(state),
    nodes: async (name, selector, filter = {}) => {
      const all = allNodes(graphOf(name)).filter((node) => isVisible(node, filter));
      const found =
        'ids' in selector
          ? [...new Set(selector.ids)].flatMap((id) => all.filter((node) => node.id === id).slice(0, 1))
          : [...new Set(selector.records)].flatMap((id) => all.filter(({ record }) => record === id));
      return found.map(nodeOf);
    },
    neighbours: async (name, { of, direction, types, limit, crossProjectTypes, filter }) => {
      const [near, far] = direction === 'out' ? (['src', 'dst'] as const) : (['dst', 'src'] as const);
      const all = allEdges(graphOf(name), {}).filter(
        (each) =>
          isVisible(each[far], filter) &&
          (each.src.project === each.dst.project || crossProjectTypes.includes(each.edge.type)) &&
          (types === undefined || types.includes(each.edge.type)),
      );
      const found = [...new Set(of)].flatMap((id) =>
        all
          .filter((each) => each.edge[near] === id)
          .sort(
            (a, b) =>
              b.edge.weight - a.edge.weight ||
              byCodePoint(a.edge[far], b.edge[far]) ||
              byCodePoint(a.edge.type, b.edge.type),
          )
          .slice(0, limit),
      );
      const others = new Map(found.map((each) => [each[far].id, nodeOf(each[far])]));
      return {
        edges: found.map(({ edge }) => edge),
        nodes: [...others.values()].sort((a, b) => byCodePoint(a.id, b.id)),
      };
    },
    degrees: async (name, ids, types) => {
      const graph = graphOf(name);
      const edges = [...graph.edges.values()].filter(({ edge }) => types?.includes(edge.type) ?? true);
      return ids.flatMap((id) => {
        const node = allNodes(graph).find((each) => each.id === id);
        if (node === undefined) return [];
        const count = (end: 'src' | 'dst'): number =>
          edges.filter(({ edge }) => edge[end] === node.key).length;
        return [{ id, out: count('src'), in: count('dst') }];
      });
    },
    state: async (name) => {
      const { graph, lastChange, concepts } = state.read(name);
      const conceptsUpTo = concepts.progress.upTo;
      return { ...graph.progress, conceptsUpTo, lastChange, stale: graph.stale.size };
    },
    stale: async (name, limit) =>
      [...state.read(name).graph.stale]
        .map(([record, since]) => ({ record, since }))
        .sort((a, b) => a.record - b.record)
        .slice(0, limit),
    sharingIdentity: async (name, records) =>
      records.filter((record) => sharers(state.read(name), record).length > 0),
    contributions: async (name, lane, records) => {
      const graph = graphOf(name);
      const owned = (record: number): EdgeDraft[] =>
        [...graph.edges.values()]
          .filter((each) => each.record === record && each.lane === lane)
          .map(({ edge }) => edge)
          .sort(
            (a, b) => byCodePoint(a.src, b.src) || byCodePoint(a.type, b.type) || byCodePoint(a.dst, b.dst),
          );
      return new Map(
        records.map((record) => [
          record,
          {
            nodes: lane === 'text' ? allNodes(graph).filter((node) => node.record === record) : [],
            edges: owned(record),
          },
        ]),
      );
    },
  };
}

function pageCalls(
  graphOf: (name: string) => OracleGraph,
): Pick<StoreGraph, 'pageNodes' | 'pageEdges' | 'counts'> {
  return {
    pageNodes: async (name, filter, { after, limit }) =>
      allNodes(graphOf(name))
        .filter((node) => isVisible(node, filter) && (after === null || byCodePoint(node.id, after) > 0))
        .sort((a, b) => byCodePoint(a.id, b.id))
        .slice(0, limit)
        .map(nodeOf),
    pageEdges: async (name, filter, { after, limit }) =>
      allEdges(graphOf(name), filter)
        .map(({ edge }) => edge)
        .sort(byIds)
        .filter((edge) => after === null || byIds(edge, { ...edge, ...after }) > 0)
        .slice(0, limit),
    counts: async (name, filter) => {
      const graph = graphOf(name);
      const visible = allNodes(graph).filter((node) => isVisible(node, filter));
      const groups = Map.groupBy(visible, ({ project, type }) => JSON.stringify([project, type]));
      const edges = Map.groupBy(allEdges(graph, filter), ({ edge }) => edge.type);
      return {
        nodes: [...groups.values()]
          .map((group) => ({
            project: group[0]!.project,
            type: group[0]!.type,
            nodes: group.length,
            records: group.filter(({ record, key }) => record !== null && !key.includes('/')).length,
          }))
          .sort((a, b) => byCodePoint(a.project, b.project) || byCodePoint(a.type, b.type)),
        edges: [...edges]
          .map(([type, group]): { type: EdgeType; edges: number } => ({ type, edges: group.length }))
          .sort((a, b) => byCodePoint(a.type, b.type)),
        tags: [...Map.groupBy(edges.get('tagged') ?? [], ({ dst }) => dst.key).values()]
          .map((group) => ({ tag: nodeOf(group[0]!.dst), edges: group.length }))
          .sort((a, b) => byCodePoint(a.tag.id, b.tag.id)),
      };
    },
  };
}

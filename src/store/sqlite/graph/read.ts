import { storedTexts } from '../../sql/stored-json.ts';
import type { EdgeType, NodeType } from '../../../core/graph-types.ts';
import type {
  EdgeCursor,
  EdgeDraft,
  GraphCounts,
  GraphEdge,
  GraphFilter,
  GraphLane,
  GraphNode,
  GraphProvenance,
  GraphState,
  NeighbourRequest,
  Neighbours,
  NodeDegree,
  NodeDraft,
  NodeSelector,
  RecordGraph,
  StaleRecord,
} from '../../graph-model.ts';
import { MAX_COUNTED_DEGREE, MAX_RANKED_EDGES } from '../../graph-model.ts';
import type { Page } from '../../model.ts';
import type { Database } from '../database/database.ts';
import type { Row } from '../../sql/rows.ts';

const NODE_FIELDS = [
  ...['id', 'type', 'title', 'project', 'tags', 'record', 'source', 'done', 'due'],
  ...['passage', 'first_line', 'last_line', 'hash'],
];
const NODE_COLUMNS = NODE_FIELDS.map((field) => `n.${field}`).join(', ');
/** Beside the columns of an edge, of which some have the same names. */
const FAR_NODE_COLUMNS = NODE_FIELDS.map((field) => `n.${field} AS node_${field}`).join(', ');
const EDGE_COLUMNS = `e.type, e.weight, e.reason, e.record, e.passage, e.first_line, e.last_line, e.hash`;
/** The parameters are those of `filterOf`. */
const isVisible = (node: 'n' | 's' | 'd'): string =>
  `(:project IS NULL OR ${node}.project = :project)
   AND (${node}.source IS NULL OR ${node}.source NOT IN (SELECT value FROM json_each(:excluded)))`;
/** What records share is visible if an edge leads to it from a visible record, or from it to one. */
const IS_VISIBLE_IF_SHARED = `(:excluded = '[]' OR n.source IS NOT NULL OR EXISTS (
    SELECT 1 FROM graph_edge AS e INDEXED BY graph_edge_dst CROSS JOIN graph_node AS o ON o.ns = e.ns AND o.key = e.src
    WHERE e.ns = n.ns AND e.dst = n.key AND o.source NOT IN (SELECT value FROM json_each(:excluded)))
  OR EXISTS (
    SELECT 1 FROM graph_edge AS e CROSS JOIN graph_node AS o ON o.ns = e.ns AND o.key = e.dst
    WHERE e.ns = n.ns AND e.src = n.key AND o.source NOT IN (SELECT value FROM json_each(:excluded))))`;

function filterOf({ project, excludedSources }: GraphFilter): { project: string | null; excluded: string } {
  return { project: project ?? null, excluded: JSON.stringify(excludedSources ?? []) };
}

export function nodes(db: Database, ns: number, selector: NodeSelector, filter: GraphFilter): GraphNode[] {
  const [column, wanted] =
    'ids' in selector ? (['id', selector.ids] as const) : (['record', selector.records] as const);
  const index = column === 'id' ? 'graph_node_id' : 'graph_node_record';
  const select = db.prepare(
    `SELECT ${NODE_COLUMNS} FROM graph_node AS n INDEXED BY ${index}
     WHERE n.ns = :ns AND n.${column} = :value AND ${isVisible('n')} AND ${IS_VISIBLE_IF_SHARED} ORDER BY n.key`,
  );
  return [...new Set<number | string>(wanted)].flatMap((value) => {
    const found = select.all({ ns, value, ...filterOf(filter) }).map(nodeOf);
    // For a moment, two documents that swap their identities have the same id.
    return column === 'id' ? found.slice(0, 1) : found;
  });
}

export function neighbours(db: Database, ns: number, request: NeighbourRequest): Neighbours {
  const { of, direction, types, limit, crossProjectTypes, filter } = request;
  const [near, far, index] =
    direction === 'out'
      ? (['src', 'dst', ''] as const)
      : (['dst', 'src', 'INDEXED BY graph_edge_dst'] as const);
  // The inner statement reads incoming edges in the order of the index, and therefore only the first of a note to which all link.
  const select = db.prepare(
    `SELECT ${EDGE_COLUMNS}, ${FAR_NODE_COLUMNS}
     FROM graph_node AS m INDEXED BY graph_node_id
     CROSS JOIN (
       SELECT * FROM graph_edge ${index}
       WHERE ns = :ns AND ${near} = (SELECT key FROM graph_node INDEXED BY graph_node_id WHERE ns = :ns AND id = :id ORDER BY key LIMIT 1)
         AND (:types IS NULL OR type IN (SELECT value FROM json_each(:types)))
       ORDER BY weight DESC LIMIT ${String(MAX_RANKED_EDGES)}) AS e ON e.${near} = m.key
     CROSS JOIN graph_node AS n ON n.ns = :ns AND n.key = e.${far}
     WHERE m.ns = :ns AND m.id = :id
       AND (n.project = m.project OR e.type IN (SELECT value FROM json_each(:crossing))) AND ${isVisible('n')}
     ORDER BY e.weight DESC, n.id, e.type LIMIT :limit`,
  );
  const found = new Map<string, GraphNode>();
  const edges = [...new Set(of)].flatMap((id) =>
    select
      .all({
        ns,
        id,
        types: types === undefined ? null : JSON.stringify(types),
        crossing: JSON.stringify(crossProjectTypes),
        ...filterOf(filter),
        limit,
      })
      .map((row): GraphEdge => {
        const other = nodeOf(farNodeRow(row));
        found.set(other.id, other);
        const [src, dst] = direction === 'out' ? [id, other.id] : [other.id, id];
        return edgeOf(row, src, dst);
      }),
  );
  return { edges, nodes: [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

export function degrees(
  db: Database,
  ns: number,
  ids: readonly string[],
  types: readonly EdgeType[] | null,
  excludedSources: readonly string[],
): NodeDegree[] {
  const key = db.prepare(
    'SELECT key FROM graph_node INDEXED BY graph_node_id WHERE ns = ? AND id = ? ORDER BY key',
  );
  // Only where sources are hidden is the other node of each edge read, which takes longer than to read the edge.
  const isVisibleEnd = (far: 'src' | 'dst'): string =>
    `NOT EXISTS (SELECT 1 FROM graph_node AS n WHERE n.ns = e.ns AND n.key = e.${far}
       AND n.source IN (SELECT value FROM json_each(:excluded)))`;
  const [out, into] = (
    [
      ['src', 'dst', ''],
      ['dst', 'src', 'INDEXED BY graph_edge_dst'],
    ] as const
  ).map(([near, far, index]) =>
    db.prepare(
      `SELECT count(*) AS n FROM (SELECT 1 FROM graph_edge AS e ${index}
       WHERE ns = :ns AND ${near} = :key AND (:types IS NULL OR type IN (SELECT value FROM json_each(:types)))
         AND (:excluded = '[]' OR ${isVisibleEnd(far)})
       LIMIT ${String(MAX_COUNTED_DEGREE)})`,
    ),
  );
  const excluded = JSON.stringify(excludedSources);
  const wanted = types === null ? null : JSON.stringify(types);
  return ids.flatMap((id) => {
    const found = key.get(ns, id)?.['key'] as string | undefined;
    if (found === undefined) return [];
    const [outgoing, incoming] = [out!, into!].map((each) =>
      Number(each.get({ ns, key: found, types: wanted, excluded })?.['n']),
    );
    return [{ id, out: outgoing!, in: incoming! }];
  });
}

export function pageNodes(
  db: Database,
  ns: number,
  filter: GraphFilter,
  { after, limit }: Page<string>,
): GraphNode[] {
  return db
    .prepare(
      `SELECT ${NODE_COLUMNS} FROM graph_node AS n INDEXED BY graph_node_id
       WHERE n.ns = :ns AND n.id > :after AND ${isVisible('n')} AND ${IS_VISIBLE_IF_SHARED} ORDER BY n.id, n.key LIMIT :limit`,
    )
    .all({ ns, after: after ?? '', limit, ...filterOf(filter) })
    .map(nodeOf);
}

/** Edges whose two nodes pass the filter. */
export function pageEdges(
  db: Database,
  ns: number,
  filter: GraphFilter,
  { after, limit }: Page<EdgeCursor>,
): GraphEdge[] {
  return db
    .prepare(
      `SELECT ${EDGE_COLUMNS}, s.id AS src_id, d.id AS dst_id
       FROM graph_node AS s INDEXED BY graph_node_id
       CROSS JOIN graph_edge AS e ON e.ns = s.ns AND e.src = s.key
       CROSS JOIN graph_node AS d ON d.ns = e.ns AND d.key = e.dst
       WHERE s.ns = :ns AND s.id >= :src AND (s.id, e.type, d.id) > (:src, :type, :dst)
         AND ${isVisible('s')} AND ${isVisible('d')}
       ORDER BY s.id, e.type, d.id LIMIT :limit`,
    )
    .all({
      ns,
      src: after?.src ?? '',
      type: after?.type ?? '',
      dst: after?.dst ?? '',
      limit,
      ...filterOf(filter),
    })
    .map((row) => edgeOf(row, row['src_id'] as string, row['dst_id'] as string));
}

export function counts(db: Database, ns: number, filter: GraphFilter): GraphCounts {
  const nodeRows = db
    .prepare(
      `SELECT n.project, n.type, count(*) AS nodes, total(n.record IS NOT NULL AND n.key NOT GLOB '*/*') AS records
       FROM graph_node AS n WHERE n.ns = :ns AND ${isVisible('n')} AND ${IS_VISIBLE_IF_SHARED}
       GROUP BY n.project, n.type ORDER BY n.project, n.type`,
    )
    .all({ ns, ...filterOf(filter) });
  const edgeRows = db
    .prepare(
      `SELECT e.type, count(*) AS edges FROM graph_edge AS e
       CROSS JOIN graph_node AS s ON s.ns = e.ns AND s.key = e.src
       CROSS JOIN graph_node AS d ON d.ns = e.ns AND d.key = e.dst
       WHERE e.ns = :ns AND ${isVisible('s')} AND ${isVisible('d')} GROUP BY e.type ORDER BY e.type`,
    )
    .all({ ns, ...filterOf(filter) });
  const tagRows = db
    .prepare(
      `SELECT ${NODE_COLUMNS}, count(*) AS edges FROM graph_edge AS e
       CROSS JOIN graph_node AS s ON s.ns = e.ns AND s.key = e.src
       CROSS JOIN graph_node AS n ON n.ns = e.ns AND n.key = e.dst
       WHERE e.ns = :ns AND e.type = 'tagged' AND ${isVisible('s')} AND ${isVisible('n')} GROUP BY n.key ORDER BY n.id`,
    )
    .all({ ns, ...filterOf(filter) });
  return {
    nodes: nodeRows.map((row) => ({
      project: row['project'] as string,
      type: row['type'] as NodeType,
      nodes: row['nodes'] as number,
      records: row['records'] as number,
    })),
    edges: edgeRows.map((row) => ({ type: row['type'] as EdgeType, edges: row['edges'] as number })),
    tags: tagRows.map((row) => ({ tag: nodeOf(row), edges: row['edges'] as number })),
  };
}

export function graphState(db: Database, ns: number): GraphState {
  const row = db
    .prepare(
      `SELECT n.last_change, p.*, (SELECT count(*) FROM graph_stale AS s WHERE s.ns = n.id) AS stale,
         (SELECT up_to FROM concept_progress AS c WHERE c.ns = n.id) AS concepts_up_to
       FROM namespace AS n LEFT JOIN graph_progress AS p ON p.ns = n.id WHERE n.id = ?`,
    )
    .get(ns);
  return {
    upTo: Number(row?.['up_to'] ?? 0),
    similarUpTo: Number(row?.['similar_up_to'] ?? 0),
    conceptsUpTo: Number(row?.['concepts_up_to'] ?? 0),
    rules: String(row?.['rules'] ?? ''),
    lastChange: Number(row?.['last_change'] ?? 0),
    stale: Number(row?.['stale'] ?? 0),
  };
}

export function contributions(
  db: Database,
  ns: number,
  lane: GraphLane,
  records: readonly number[],
): Map<number, RecordGraph> {
  const nodesOf = db.prepare(
    `SELECT n.key, n.shares_identity, ${NODE_COLUMNS} FROM graph_node AS n INDEXED BY graph_node_record
     WHERE n.ns = ? AND n.record = ? ORDER BY n.key`,
  );
  const edgesOf = db.prepare(
    `SELECT e.src, e.dst, ${EDGE_COLUMNS} FROM graph_edge AS e INDEXED BY graph_edge_record
     WHERE e.ns = ? AND e.record = ? AND e.lane = ? ORDER BY e.src, e.type, e.dst`,
  );
  return new Map(
    records.map((record) => [
      record,
      {
        nodes:
          lane !== 'text'
            ? []
            : nodesOf.all(ns, record).map((row): NodeDraft => {
                const sharesIdentity = row['shares_identity'] === 1;
                return { ...nodeOf(row), key: row['key'] as string, sharesIdentity };
              }),
        edges: edgesOf
          .all(ns, record, lane)
          .map((row): EdgeDraft => edgeOf(row, row['src'] as string, row['dst'] as string)),
      },
    ]),
  );
}

function farNodeRow(row: Row): Row {
  return Object.fromEntries(NODE_FIELDS.map((field) => [field, row[`node_${field}`]!]));
}

function nodeOf(row: Row): GraphNode {
  const done = row['done'] as number | null;
  return {
    id: row['id'] as string,
    type: row['type'] as NodeType,
    title: row['title'] as string,
    project: row['project'] as string,
    tags: storedTexts(row['tags'], () => `the list of tags of node ${String(row['id'])}`),
    record: row['record'] as number | null,
    source: row['source'] as string | null,
    task: done === null ? null : { done: done === 1, due: row['due'] as string | null },
    provenance: row['hash'] === null ? null : provenanceOf(row),
  };
}

function edgeOf(row: Row, src: string, dst: string): GraphEdge {
  return {
    src,
    dst,
    type: row['type'] as EdgeType,
    weight: row['weight'] as number,
    reason: row['reason'] as string,
    provenance: provenanceOf(row),
  };
}

function provenanceOf(row: Row): GraphProvenance {
  const first = row['first_line'] as number | null;
  return {
    record: row['record'] as number,
    passage: row['passage'] as number | null,
    lines: first === null ? null : { first, last: row['last_line'] as number },
    hash: row['hash'] as string,
  };
}

export function staleRecords(db: Database, ns: number, limit: number): StaleRecord[] {
  return db
    .prepare('SELECT record, since FROM graph_stale WHERE ns = ? ORDER BY record LIMIT ?')
    .all(ns, limit)
    .map((row) => ({ record: row['record'] as number, since: row['since'] as number }));
}

/** Those of the records whose source has another live document with the same identity. */
export function sharingIdentity(db: Database, ns: number, records: readonly number[]): number[] {
  const shares = db.prepare(
    `SELECT 1 FROM record AS r CROSS JOIN record AS o INDEXED BY record_identity
       ON o.ns = r.ns AND o.source = r.source AND o.identity = r.identity AND o.id <> r.id
     WHERE r.ns = ? AND r.id = ? AND r.identity IS NOT NULL AND o.deleted_at IS NULL LIMIT 1`,
  );
  return records.filter((record) => shares.get(ns, record) !== undefined);
}

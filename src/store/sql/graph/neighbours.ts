import {
  type GraphNode,
  MAX_COUNTED_DEGREE,
  MAX_RANKED_EDGES,
  type NeighbourRequest,
  type Neighbours,
  type NodeDegree,
  type TagCount,
} from '../../graph-model.ts';
import type { Dialect, Row, Sql } from '../sql.ts';
import { edgeOf, NODE_FIELDS, nodeOf, visibility } from './rows.ts';

/** One step from the nodes, both ways along their edges. */
export async function neighbours(sql: Sql, ns: number, request: NeighbourRequest): Promise<Neighbours> {
  const { of, limit, maxDegree = 2 * MAX_COUNTED_DEGREE, crossProjectTypes, projects = [], filter } = request;
  const rows = await sql.all(levelStatement(sql.dialect, request), {
    ...{ ns, of: [...new Set(of)], limit, maxDegree, crossing: crossProjectTypes, projects },
    // Of a node with more edges than a walk follows, it is enough to know that.
    maxCounted: Math.min(MAX_COUNTED_DEGREE, maxDegree + 1),
    maxRanked: limit === 0 ? 0 : MAX_RANKED_EDGES,
    ...visibility(sql.dialect, filter).parameters,
  });
  const degrees = new Map<string, NodeDegree>();
  const tags = new Map<string, TagCount>();
  const nodes = new Map<string, GraphNode>();
  const edges: Record<'out' | 'in', Neighbours['out'][number][]> = { out: [], in: [] };
  for (const row of rows) {
    const id = row['near_id'] as string;
    degrees.set(id, {
      id,
      record: row['near_record'] as number | null,
      out: row['out_degree'] as number,
      in: row['in_degree'] as number,
    });
    const tag = row['tag'] as string | null;
    if (tag !== null)
      tags.set(tag, { id: tag, tagged: row['tagged'] as number, records: Number(row['records'] ?? 0) });
    if (row['forwards'] === null) continue;
    const other = nodeOf(farNodeRow(row));
    nodes.set(other.id, other);
    if (row['forwards'] === 1) edges.out.push(edgeOf(row, id, other.id));
    else edges.in.push(edgeOf(row, other.id, id));
  }
  return {
    ...edges,
    degrees: [...degrees.values()],
    nodes: [...nodes.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    tags: [...tags.values()],
  };
}

function farNodeRow(row: Row): Row {
  return Object.fromEntries(NODE_FIELDS.map((field) => [field, row[`node_${field}`]!]));
}

const EDGE_FIELDS = ['type', 'weight', 'reason', 'record', 'passage', 'first_line', 'last_line', 'hash'];
/** Beside the columns of an edge, of which some have the same names. */
const FAR_NODE_COLUMNS = NODE_FIELDS.map((field) => `n.${field} AS node_${field}`).join(', ');

/** Each node with its edges: a row for each edge, or one without an edge. */
function levelStatement(dialect: Dialect, { countsHidden = false, filter }: NeighbourRequest): string {
  const { list, rows, isIn, join, index } = dialect;
  const { isVisible } = visibility(dialect, filter);
  const isFiltered = (filter.excludedSources ?? []).length > 0;
  const byDst = index('graph_edge_dst');
  // Only where sources are hidden is the other node of each edge read, which takes longer than to read the edge.
  const counts = (far: string): string => {
    if (!isFiltered) return 'TRUE';
    const isSeen = `NOT EXISTS (SELECT 1 FROM graph_node AS n WHERE n.ns = :ns AND n.key = e.${far} AND ${isIn('n.source', 'excluded')})`;
    return countsHidden ? `(NOT (m.record IS NULL AND m.type = 'concept') OR ${isSeen})` : isSeen;
  };
  const degree = (near: string, far: string, hint: string): string =>
    `(SELECT count(*) FROM (SELECT 1 FROM graph_edge AS e ${hint} WHERE e.ns = :ns AND e.${near} = m.key AND ${counts(far)}
       LIMIT :maxCounted) AS counted)`;
  const records = (key: string): string =>
    `(SELECT count(*) FROM (SELECT 1 FROM graph_edge AS e ${byDst} WHERE e.ns = :ns AND e.dst = ${key}
       AND e.type IN ('tagged', 'part_of') LIMIT ${String(MAX_COUNTED_DEGREE)}) AS counted)`;
  const step = (near: string, far: string, hint: string): string => `
    SELECT m.position, ${near === 'src' ? '1' : '0'} AS forwards, m.project AS near_project, e.${far} AS far,
      ${EDGE_FIELDS.map((field) => `e.${field}`).join(', ')}
    FROM counted AS m ${join} graph_edge AS e ON e.ns = :ns AND e.${near} = m.key AND (e.type, e.${far}) IN (
      SELECT x.type, x.${far} FROM graph_edge AS x ${hint} WHERE x.ns = :ns AND x.${near} = m.key
      ORDER BY x.weight DESC, x.src, x.type, x.dst LIMIT :maxRanked)
    WHERE m.out_degree + m.in_degree <= :maxDegree`;
  return `WITH near AS MATERIALIZED (
    SELECT w.key AS position, n.key, n.id, n.type, n.project, n.record
    FROM ${list('of', 'text')} AS w ${join} graph_node AS n ${index('graph_node_id')} ON n.ns = :ns AND n.id = w.value
    WHERE n.key = (SELECT min(o.key) FROM graph_node AS o ${index('graph_node_id')} WHERE o.ns = :ns AND o.id = w.value)),
  counted AS MATERIALIZED (
    SELECT m.*, ${degree('src', 'dst', '')} AS out_degree, ${degree('dst', 'src', byDst)} AS in_degree FROM near AS m),
  step AS MATERIALIZED (${step('src', 'dst', '')} UNION ALL ${step('dst', 'src', byDst)}),
  shown AS MATERIALIZED (
    SELECT e.*, ${FAR_NODE_COLUMNS}, row_number() OVER (
      PARTITION BY e.position, e.forwards ORDER BY e.weight DESC, n.id, e.type) AS place
    FROM step AS e ${join} graph_node AS n ON n.ns = :ns AND n.key = e.far
    WHERE (n.project = e.near_project OR ${isIn('e.type', 'crossing')}) AND ${isVisible('n')}),
  level AS MATERIALIZED (
    SELECT m.position AS near_position, m.id AS near_id, m.record AS near_record, m.project AS own_project, m.out_degree, m.in_degree, e.*,
      CASE WHEN e.type = 'tagged' THEN CASE WHEN e.forwards = 1 THEN e.far ELSE m.key END
        WHEN m.type = 'concept' AND m.record IS NULL THEN m.key END AS tag
    FROM counted AS m LEFT JOIN shown AS e ON e.position = m.position AND e.place <= :limit),
  tag AS MATERIALIZED (
    SELECT t.key, ${records('t.key')} AS tagged FROM (SELECT DISTINCT tag AS key FROM level WHERE tag IS NOT NULL) AS t),
  project AS MATERIALIZED (
    SELECT p.project, ${records('p.node')} AS records FROM ${rows('projects', { project: 'text', node: 'text' })} AS p
    WHERE EXISTS (SELECT 1 FROM tag))
  SELECT level.*, tag.tagged, project.records FROM level LEFT JOIN tag ON tag.key = level.tag
    LEFT JOIN project ON project.project = level.own_project
  ORDER BY near_position, forwards DESC, place`;
}

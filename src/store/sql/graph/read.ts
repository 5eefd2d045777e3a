import type { EdgeType, NodeType } from '../../../core/graph-types.ts';
import type { ProjectName } from '../../concept-model.ts';
import {
  type Contribution,
  type EdgeCursor,
  type GraphCounts,
  type GraphEdge,
  type GraphFilter,
  type GraphLane,
  type GraphNode,
  type GraphOutline,
  type GraphProvenance,
  type GraphState,
  MAX_COUNTED_DEGREE,
  MAX_RANKED_EDGES,
  type NeighbourRequest,
  type Neighbours,
  type NodeDegree,
  type NodeDraft,
  type NodeSelector,
  type StaleRecord,
  type TagCount,
  type Waiting,
} from '../../graph-model.ts';
import type { Page } from '../../model.ts';
import type { Scope } from '../driver.ts';
import { objectsOf, storedTexts } from '../rows.ts';
import type { Dialect, Parameters, Row, Sql } from '../sql.ts';

export async function nodes(
  { sql, ns }: Scope,
  selector: NodeSelector,
  filter: GraphFilter = {},
): Promise<GraphNode[]> {
  const { list, join, index } = sql.dialect;
  const { isVisible, isShared, parameters } = visibility(sql.dialect, filter);
  if ('page' in selector) {
    const { after, limit } = selector.page;
    const rows = await sql.all(
      `SELECT ${NODE_COLUMNS} FROM graph_node AS n ${index('graph_node_id')}
       WHERE n.ns = :ns AND n.id > :after AND ${isVisible('n')} AND ${isShared} ORDER BY n.id, n.key LIMIT :limit`,
      { ns, after: after ?? '', limit, ...parameters },
    );
    return rows.map(nodeOf);
  }
  const [column, wanted, type] =
    'ids' in selector
      ? (['id', selector.ids, 'text'] as const)
      : (['record', selector.records, 'integer'] as const);
  if (wanted.length === 0) return [];
  const rows = await sql.all(
    `SELECT ${NODE_COLUMNS} FROM ${list('wanted', type)} AS w
     ${join} graph_node AS n ${index(`graph_node_${column}`)} ON n.ns = :ns AND n.${column} = w.value
     WHERE ${isVisible('n')} AND ${isShared} ORDER BY w.key, n.key`,
    { ns, wanted: [...new Set<number | string>(wanted)], ...parameters },
  );
  const found = rows.map(nodeOf);
  if (column === 'record') return found;
  // For a moment, two documents that swap their identities have the same id.
  return found.filter(({ id }, i) => id !== found[i - 1]?.id);
}

/** Edges whose two nodes pass the filter. */
export async function edges(
  { sql, ns }: Scope,
  filter: GraphFilter,
  { after, limit }: Page<EdgeCursor>,
): Promise<GraphEdge[]> {
  const { join, index } = sql.dialect;
  const { isVisible, parameters } = visibility(sql.dialect, filter);
  const { src, type, dst } = after ?? { src: '', type: '', dst: '' };
  const rows = await sql.all(
    `SELECT ${EDGE_COLUMNS}, s.id AS src_id, d.id AS dst_id
     FROM graph_node AS s ${index('graph_node_id')}
     ${join} graph_edge AS e ON e.ns = s.ns AND e.src = s.key
     ${join} graph_node AS d ON d.ns = e.ns AND d.key = e.dst
     WHERE s.ns = :ns AND s.id >= :src AND (s.id, e.type, d.id) > (:src, :type, :dst)
       AND ${isVisible('s')} AND ${isVisible('d')}
     ORDER BY s.id, e.type, d.id LIMIT :limit`,
    { ns, src, type, dst, limit, ...parameters },
  );
  return rows.map((row) => edgeOf(row, row['src_id'] as string, row['dst_id'] as string));
}

export async function outline(
  { sql, ns }: Scope,
  filter: GraphFilter,
  { after, limit }: Page<string>,
): Promise<GraphOutline> {
  const { index, json, jsonList } = sql.dialect;
  const { isVisible, isShared, parameters } = visibility(sql.dialect, filter);
  const rows = await sql.all(
    `SELECT n.key, ${NODE_COLUMNS}, (SELECT ${jsonList(json(['e.dst', 'e.type', 'e.weight', 'e.reason']))}
       FROM graph_edge AS e WHERE e.ns = n.ns AND e.src = n.key) AS edges
     FROM graph_node AS n ${index('graph_node_id')}
     WHERE n.ns = :ns AND n.id > :after AND ${isVisible('n')} AND ${isShared} ORDER BY n.id, n.key LIMIT :limit`,
    { ns, after: after ?? '', limit, ...parameters },
  );
  return {
    nodes: rows.map((row) => ({ ...nodeOf(row), key: row['key'] as string })),
    edges: rows.flatMap(({ key, edges }) =>
      (JSON.parse(edges as string) as [string, EdgeType, number, string][]).map(
        ([dst, type, weight, reason]) => ({ src: key as string, dst, type, weight, reason }),
      ),
    ),
  };
}

export async function counts({ sql, ns }: Scope, filter: GraphFilter): Promise<GraphCounts> {
  const { join } = sql.dialect;
  const { isVisible, isShared, parameters } = visibility(sql.dialect, filter);
  const edgesWith = (target: 'd' | 'n'): string => `FROM graph_edge AS e
     ${join} graph_node AS s ON s.ns = e.ns AND s.key = e.src
     ${join} graph_node AS ${target} ON ${target}.ns = e.ns AND ${target}.key = e.dst
     WHERE e.ns = :ns AND ${isVisible('s')} AND ${isVisible(target)}`;
  const all = (statement: string): Promise<Row[]> => sql.all(statement, { ns, ...parameters });
  const nodeRows = await all(
    `SELECT n.project, n.type, count(*) AS nodes,
       sum(CASE WHEN n.record IS NOT NULL AND n.key NOT LIKE '%/%' THEN 1 ELSE 0 END) AS records
     FROM graph_node AS n WHERE n.ns = :ns AND ${isVisible('n')} AND ${isShared}
     GROUP BY n.project, n.type ORDER BY n.project, n.type`,
  );
  const edgeRows = await all(
    `SELECT e.type, count(*) AS edges ${edgesWith('d')} GROUP BY e.type ORDER BY e.type`,
  );
  const tagRows = await all(
    `SELECT ${NODE_COLUMNS}, count(*) AS edges ${edgesWith('n')} AND e.type = 'tagged' GROUP BY n.ns, n.key ORDER BY n.id`,
  );
  return {
    nodes: objectsOf(nodeRows),
    edges: objectsOf(edgeRows),
    tags: tagRows.map((row) => ({ tag: nodeOf(row), edges: row['edges'] as number })),
  };
}

export async function graphState({ sql, ns }: Scope, limit = 0): Promise<GraphState> {
  const row = await sql.get(
    `SELECT n.last_change, p.up_to, p.similar_up_to, p.rules, c.up_to AS concepts_up_to, c.rules AS concept_rules,
       (SELECT count(*) FROM graph_stale AS s WHERE s.ns = :ns) AS stale,
       (SELECT count(*) FROM concept_changed AS s WHERE s.ns = :ns) AS changed_names
     FROM namespace_state AS n LEFT JOIN graph_progress AS p ON p.ns = n.ns LEFT JOIN concept_progress AS c ON c.ns = n.ns
     WHERE n.ns = :ns`,
    { ns },
  );
  const numberIn = (column: string): number => Number(row?.[column] ?? 0);
  return {
    upTo: numberIn('up_to'),
    similarUpTo: numberIn('similar_up_to'),
    conceptsUpTo: numberIn('concepts_up_to'),
    rules: String(row?.['rules'] ?? ''),
    conceptRules: String(row?.['concept_rules'] ?? ''),
    lastChange: numberIn('last_change'),
    stale: numberIn('stale'),
    changedNames: numberIn('changed_names'),
    waiting: limit === 0 ? { records: [], names: [] } : await waiting(sql, ns, limit),
  };
}

/** What must be derived again, at most so many of each kind. */
async function waiting(sql: Sql, ns: number, limit: number): Promise<Waiting> {
  const rows = await sql.all(
    `SELECT * FROM (SELECT record, since, CAST(NULL AS TEXT) AS project, CAST(NULL AS TEXT) AS key FROM graph_stale WHERE ns = :ns
       ORDER BY record LIMIT :limit) AS stale
     UNION ALL SELECT * FROM (SELECT CAST(NULL AS BIGINT), CAST(NULL AS BIGINT), project, key FROM concept_changed WHERE ns = :ns
       ORDER BY project, key LIMIT :limit) AS changed`,
    { ns, limit },
  );
  const records = rows.filter(({ key }) => key === null);
  const names = rows.filter(({ key }) => key !== null);
  return {
    records: records.map(({ record, since }) => ({ record, since }) as StaleRecord),
    names: names.map(({ project, key }) => ({ project, key }) as ProjectName),
  };
}

export async function contributions(
  { sql, ns }: Scope,
  lane: GraphLane,
  records: readonly number[],
): Promise<Map<number, Contribution>> {
  const { list, join, index } = sql.dialect;
  const edgeRows = await sql.all(
    `SELECT e.src, e.dst, ${EDGE_COLUMNS} FROM ${list('records', 'integer')} AS w
     ${join} graph_edge AS e ${index('graph_edge_record')} ON e.ns = :ns AND e.record = w.value AND e.lane = :lane
     ORDER BY e.record, e.src, e.type, e.dst`,
    { ns, lane, records },
  );
  const ofRecord = Map.groupBy(edgeRows, ({ record }) => record);
  const nodeRows = lane === 'text' ? await nodesOfRecords(sql, ns, records) : [];
  const nodesOf = Map.groupBy(nodeRows, ({ wanted }) => wanted);
  return new Map(
    records.map((record) => {
      const own = nodesOf.get(record) ?? [];
      const contribution: Contribution = {
        nodes: own.flatMap((row): NodeDraft[] =>
          row['key'] === null
            ? []
            : [{ ...nodeOf(row), key: row['key'] as string, sharesIdentity: row['shares_identity'] === 1 }],
        ),
        edges: (ofRecord.get(record) ?? []).map((row) =>
          edgeOf(row, row['src'] as string, row['dst'] as string),
        ),
        isSharing: own[0]?.['is_sharing'] === 1,
      };
      return [record, contribution];
    }),
  );
}

/** The nodes of records, and a row for each without any. */
function nodesOfRecords(sql: Sql, ns: number, records: readonly number[]): Promise<Row[]> {
  const { list, join, index } = sql.dialect;
  return sql.all(
    `SELECT w.value AS wanted, n.key, n.shares_identity, ${NODE_COLUMNS}, CASE WHEN EXISTS (
       SELECT 1 FROM record AS r ${join} record AS o ${index('record_identity')}
         ON o.ns = r.ns AND o.source = r.source AND o.identity = r.identity AND o.id <> r.id
       WHERE r.ns = :ns AND r.id = w.value AND r.identity IS NOT NULL AND o.deleted_at IS NULL) THEN 1 ELSE 0 END AS is_sharing
     FROM ${list('records', 'integer')} AS w LEFT JOIN graph_node AS n ${index('graph_node_record')}
       ON n.ns = :ns AND n.record = w.value
     ORDER BY w.key, n.key`,
    { ns, records },
  );
}

const NODE_FIELDS = [
  ...['id', 'type', 'title', 'project', 'tags', 'record', 'source', 'done', 'due'],
  ...['passage', 'first_line', 'last_line', 'hash'],
];
const NODE_COLUMNS = NODE_FIELDS.map((field) => `n.${field}`).join(', ');
const EDGE_COLUMNS = `e.type, e.weight, e.reason, e.record, e.passage, e.first_line, e.last_line, e.hash`;

/** The conditions of a filter, with their parameters. */
interface Visibility {
  /** Whether a node is of the project, and of no hidden source. */
  readonly isVisible: (node: string) => string;
  /** Whether the node `n` is of a record, or shared by a visible one: an edge leads to it from one, or from it to one. */
  readonly isShared: string;
  readonly parameters: Parameters;
}

function visibility(
  { isIn, index, join }: Dialect,
  { project, excludedSources = [] }: GraphFilter,
): Visibility {
  const isHidden = isIn('o.source', 'excluded');
  const conditions = (node: string): string[] => [
    ...(project === undefined ? [] : [`${node}.project = :project`]),
    ...(excludedSources.length === 0
      ? []
      : [`(${node}.source IS NULL OR NOT ${isIn(`${node}.source`, 'excluded')})`]),
  ];
  return {
    isVisible: (node) => ['TRUE', ...conditions(node)].join(' AND '),
    isShared:
      excludedSources.length === 0
        ? 'TRUE'
        : `(n.source IS NOT NULL OR EXISTS (
    SELECT 1 FROM graph_edge AS e ${index('graph_edge_dst')} ${join} graph_node AS o ON o.ns = e.ns AND o.key = e.src
    WHERE e.ns = n.ns AND e.dst = n.key AND NOT ${isHidden})
  OR EXISTS (
    SELECT 1 FROM graph_edge AS e ${join} graph_node AS o ON o.ns = e.ns AND o.key = e.dst
    WHERE e.ns = n.ns AND e.src = n.key AND NOT ${isHidden}))`,
    parameters: {
      ...(project !== undefined && { project }),
      ...(excludedSources.length > 0 && { excluded: excludedSources }),
    },
  };
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

/** One step from the nodes, both ways along their edges. */
export async function neighbours({ sql, ns }: Scope, request: NeighbourRequest): Promise<Neighbours> {
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

import type { EdgeType } from '../../../core/graph-types.ts';
import type { ProjectName } from '../../concept-model.ts';
import type {
  Contribution,
  EdgeCursor,
  GraphCounts,
  GraphEdge,
  GraphFilter,
  GraphLane,
  GraphNode,
  GraphOutline,
  GraphState,
  NodeDraft,
  NodeSelector,
  StaleRecord,
  Waiting,
} from '../../graph-model.ts';
import type { Page } from '../../model.ts';
import { objectsOf } from '../rows.ts';
import type { Row, Sql } from '../sql.ts';
import { EDGE_COLUMNS, edgeOf, NODE_COLUMNS, nodeOf, visibility } from './rows.ts';

export async function nodes(
  sql: Sql,
  ns: number,
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
  sql: Sql,
  ns: number,
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
  sql: Sql,
  ns: number,
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

export async function counts(sql: Sql, ns: number, filter: GraphFilter): Promise<GraphCounts> {
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

export async function graphState(sql: Sql, ns: number, limit = 0): Promise<GraphState> {
  const row = await sql.get(
    `SELECT n.last_change, p.up_to, p.similar_up_to, p.rules, c.up_to AS concepts_up_to, c.rules AS concept_rules,
       (SELECT count(*) FROM graph_stale AS s WHERE s.ns = :ns) AS stale,
       (SELECT count(*) FROM concept_changed AS s WHERE s.ns = :ns) AS changed_names
     FROM namespace AS n LEFT JOIN graph_progress AS p ON p.ns = n.id LEFT JOIN concept_progress AS c ON c.ns = n.id
     WHERE n.id = :ns`,
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
  sql: Sql,
  ns: number,
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

import type {
  EdgeDraft,
  GraphLane,
  GraphProgress,
  GraphUpdate,
  NodeDraft,
  NodeKey,
  RecordGraph,
} from '../../graph-model.ts';
import { recordNode } from '../../graph-model.ts';
import type { ChangeKind } from '../../model.ts';
import { type Row, type Sql, type SqlValue } from '../sql.ts';

const NOTHING: RecordGraph = { nodes: [], edges: [] };

/** Within a transaction. */
export async function putGraph(sql: Sql, ns: number, update: GraphUpdate): Promise<void> {
  const { lane, shared, settled = [], progress = {} } = update;
  const ids = [...update.records.keys()];
  const live = await liveRecords(sql, ns, ids);
  const records = [...update.records].map(([id, each]) => [id, live.has(id) ? each : NOTHING] as const);
  const nodes = new Map(shared.map((node) => [node.key, node]));
  const edges = new Map<string, Row>();
  for (const [id, each] of records) {
    if (lane === 'text') for (const node of each.nodes) nodes.set(node.key, node);
    for (const edge of each.edges) edges.set(edgeKey(edge), edgeRow(ns, id, lane, edge));
  }
  const gone = lane === 'text' ? (await nodesOf(sql, ns, ids)).filter((key) => !nodes.has(key)) : [];
  const ends = await removeEdges(sql, ns, { keys: gone, records: ids, lane, kept: edges });
  await removeNodes(sql, ns, gone);
  await sql.write('graph_node', [...nodes.values()].map((node) => nodeRow(ns, node)), 'replace'); // prettier-ignore
  await sql.write('graph_edge', [...edges.values()], 'replace');
  await removeAbandoned(sql, ns, [...ends, ...shared.map(({ key }) => key)]);
  await sql.remove('graph_stale', settled.map(({ record, since }) => ({ ns, record, since }))); // prettier-ignore
  if (Object.keys(progress).length > 0) await setProgress(sql, ns, progress);
}

/** Those of the records that are there and not deleted. */
export async function liveRecords(sql: Sql, ns: number, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const { dialect } = sql;
  const rows = await sql.all(
    `SELECT r.id FROM ${dialect.list('ids', 'integer')} AS w ${dialect.join} record AS r ON r.ns = :ns AND r.id = w.value
     WHERE r.deleted_at IS NULL`,
    { ns, ids },
  );
  return new Set(rows.map(({ id }) => id as number));
}

async function nodesOf(sql: Sql, ns: number, records: readonly number[]): Promise<NodeKey[]> {
  if (records.length === 0) return [];
  const { dialect } = sql;
  const rows = await sql.all(
    `SELECT n.key FROM ${dialect.list('records', 'integer')} AS w
     ${dialect.join} graph_node AS n ${dialect.index('graph_node_record')} ON n.ns = :ns AND n.record = w.value`,
    { ns, records },
  );
  return rows.map(({ key }) => key as string);
}

interface RemovedEdges {
  /** Nodes whose edges are all removed. */
  readonly keys: readonly NodeKey[];
  /** Records that say the others, in this lane or in all. */
  readonly records: readonly number[];
  readonly lane: GraphLane | null;
  /** Edges that are written next, which need not be removed before. */
  readonly kept?: ReadonlyMap<string, unknown>;
}

/** Returns the nodes that records share and that lose an edge. */
async function removeEdges(
  sql: Sql,
  ns: number,
  { keys, records, lane, kept }: RemovedEdges,
): Promise<NodeKey[]> {
  if (keys.length === 0 && records.length === 0) return [];
  const { list, join, index } = sql.dialect;
  const rows = await sql.all(
    `SELECT e.src, e.type, e.dst FROM ${list('records', 'integer')} AS w
       ${join} graph_edge AS e ${index('graph_edge_record')} ON e.ns = :ns AND e.record = w.value
       WHERE e.lane = coalesce(:lane, e.lane)
     UNION SELECT e.src, e.type, e.dst FROM ${list('keys', 'text')} AS w
       ${join} graph_edge AS e ON e.ns = :ns AND e.src = w.value
     UNION SELECT e.src, e.type, e.dst FROM ${list('keys', 'text')} AS w
       ${join} graph_edge AS e ${index('graph_edge_dst')} ON e.ns = :ns AND e.dst = w.value`,
    { ns, keys, records, lane },
  );
  const removed = rows.filter((row) => kept?.has(edgeKey(row)) !== true);
  await sql.remove('graph_edge', removed.map(({ src, type, dst }) => ({ ns, src: src!, type: type!, dst: dst! }))); // prettier-ignore
  return removed.flatMap(({ src, dst }) => [src as string, dst as string]).filter(isShared);
}

/** A key of a node that records share is its id, which never has the form of the others. */
function isShared(key: NodeKey): boolean {
  return !/^r\d/.test(key);
}

async function removeNodes(sql: Sql, ns: number, keys: readonly NodeKey[]): Promise<void> {
  await sql.remove('graph_node', keys.map((key) => ({ ns, key }))); // prettier-ignore
}

/** Removes those of the shared nodes that have no edge left. */
async function removeAbandoned(sql: Sql, ns: number, keys: readonly NodeKey[]): Promise<void> {
  if (keys.length === 0) return;
  const { isIn, index } = sql.dialect;
  await sql.run(
    `DELETE FROM graph_node WHERE ns = :ns AND ${isIn('key', 'keys')} AND record IS NULL
       AND NOT EXISTS (SELECT 1 FROM graph_edge AS e WHERE e.ns = :ns AND e.src = graph_node.key)
       AND NOT EXISTS (
         SELECT 1 FROM graph_edge AS e ${index('graph_edge_dst')} WHERE e.ns = :ns AND e.dst = graph_node.key)`,
    { ns, keys: [...new Set(keys)] },
  );
}

function edgeKey({ src, type, dst }: Readonly<Record<'src' | 'type' | 'dst', SqlValue>> | Row): string {
  return JSON.stringify([src, type, dst]);
}

function nodeRow(ns: number, node: NodeDraft): Row {
  const { key, id, type, title, project, tags, record, source, sharesIdentity, task, provenance } = node;
  return {
    ...{ ns, key, id, type, title, project, tags: JSON.stringify(tags), record, source },
    shares_identity: Number(sharesIdentity),
    ...{ done: task === null ? null : Number(task.done), due: task?.due ?? null },
    ...placeOf(provenance),
  };
}

function edgeRow(ns: number, record: number, lane: GraphLane, edge: EdgeDraft): Row {
  const { src, dst, type, weight, reason, provenance } = edge;
  return { ns, src, type, dst, lane, weight, reason, record, ...placeOf(provenance) };
}

function placeOf(provenance: NodeDraft['provenance']): Row {
  const { passage = null, lines = null, hash = null } = provenance ?? {};
  return { passage, first_line: lines?.first ?? null, last_line: lines?.last ?? null, hash };
}

/** Removes what the graph has of records that are gone. Within the transaction that removes them. */
export async function removeGraph(
  sql: Sql,
  ns: number,
  kinds: ReadonlyMap<number, ChangeKind>,
): Promise<void> {
  const records = [...kinds].flatMap(([record, kind]) => (kind === 'written' ? [] : [record]));
  if (records.length === 0) return;
  // Edges to a record may be there before its node is.
  const keys = [...new Set([...records.map(recordNode), ...(await nodesOf(sql, ns, records))])];
  const ends = await removeEdges(sql, ns, { keys, records, lane: null });
  await removeNodes(sql, ns, keys);
  await removeAbandoned(sql, ns, ends);
  await sql.remove('graph_stale', records.map((record) => ({ ns, record }))); // prettier-ignore
}

/** Discards the graph, so that it is derived again. Within a transaction. */
export async function resetGraph(sql: Sql, ns: number): Promise<void> {
  for (const table of ['graph_node', 'graph_edge', 'graph_stale', 'graph_progress'] as const)
    await sql.remove(table, [{ ns }]);
}

async function setProgress(
  sql: Sql,
  ns: number,
  { upTo, similarUpTo, rules }: Partial<GraphProgress>,
): Promise<void> {
  await sql.run(
    `INSERT INTO graph_progress (ns, up_to, similar_up_to, rules)
     VALUES (:ns, coalesce(:upTo, 0), coalesce(:similarUpTo, 0), coalesce(:rules, ''))
     ON CONFLICT (ns) DO UPDATE SET up_to = coalesce(:upTo, graph_progress.up_to),
       similar_up_to = coalesce(:similarUpTo, graph_progress.similar_up_to), rules = coalesce(:rules, graph_progress.rules)`,
    { ns, upTo: upTo ?? null, similarUpTo: similarUpTo ?? null, rules: rules ?? null },
  );
}

import type {
  EdgeDraft,
  GraphLane,
  GraphProgress,
  GraphProvenance,
  GraphUpdate,
  NodeDraft,
  NodeKey,
  RecordGraph,
} from '../../graph-model.ts';
import { recordNode } from '../../graph-model.ts';
import type { ChangeKind } from '../../model.ts';
import type { Database } from '../database/database.ts';

/** A key of a node that records share is its id, which never has this form. */
const IS_SHARED = "NOT GLOB 'r[0-9]*'";

/** Within a transaction. */
export function putGraph(db: Database, ns: number, update: GraphUpdate): void {
  const { lane, records, shared, settled = [], progress } = update;
  const isLive = db.prepare('SELECT 1 FROM record WHERE ns = ? AND id = ? AND deleted_at IS NULL');
  const abandoned = new Set<NodeKey>();
  for (const node of shared) putNode(db, ns, node);
  for (const [record, contribution] of records) {
    const live = isLive.get(ns, record) !== undefined;
    replaceContribution(db, ns, record, lane, live ? contribution : { nodes: [], edges: [] }, abandoned);
  }
  for (const node of shared) abandoned.add(node.key);
  removeAbandoned(db, ns, abandoned);
  const settle = db.prepare('DELETE FROM graph_stale WHERE ns = ? AND record = ? AND since = ?');
  for (const { record, since } of settled) settle.run(ns, record, since);
  if (progress !== undefined) setProgress(db, ns, progress);
}

function replaceContribution(
  db: Database,
  ns: number,
  record: number,
  lane: GraphLane,
  { nodes, edges }: RecordGraph,
  abandoned: Set<NodeKey>,
): void {
  if (lane === 'text') {
    const kept = new Set(nodes.map(({ key }) => key));
    const before = db
      .prepare('SELECT key FROM graph_node INDEXED BY graph_node_record WHERE ns = ? AND record = ?')
      .all(ns, record);
    for (const { key } of before) if (!kept.has(key as string)) removeNode(db, ns, key as string, abandoned);
    for (const node of nodes) putNode(db, ns, node);
  }
  const owned = 'graph_edge INDEXED BY graph_edge_record WHERE ns = ? AND record = ? AND lane = ?';
  noteShared(db, `SELECT src, dst FROM ${owned}`, [ns, record, lane], abandoned);
  db.prepare(`DELETE FROM ${owned}`).run(ns, record, lane);
  for (const edge of edges) putEdge(db, ns, record, lane, edge);
}

function putNode(db: Database, ns: number, node: NodeDraft): void {
  const { key, id, type, title, project, tags, record, source, sharesIdentity, task } = node;
  db.prepare(
    `INSERT OR REPLACE INTO graph_node (ns, key, id, type, title, project, tags, record, source, shares_identity, done,
       due, passage, first_line, last_line, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    ...[ns, key, id, type, title, project, JSON.stringify(tags), record, source],
    ...[sharesIdentity ? 1 : 0, task === null ? null : Number(task.done), task?.due ?? null],
    ...placeOf(node.provenance),
    node.provenance?.hash ?? null,
  );
}

function putEdge(db: Database, ns: number, record: number, lane: GraphLane, edge: EdgeDraft): void {
  const { src, dst, type, weight, reason, provenance } = edge;
  db.prepare(
    `INSERT OR REPLACE INTO graph_edge (ns, src, type, dst, lane, weight, reason, record, passage, first_line, last_line,
       hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(ns, src, type, dst, lane, weight, reason, record, ...placeOf(provenance), provenance.hash);
}

function placeOf(provenance: GraphProvenance | null): (number | null)[] {
  const { passage = null, lines = null } = provenance ?? {};
  return [passage, lines?.first ?? null, lines?.last ?? null];
}

/** Removes a node with all of its edges. Adds the shared nodes that lose an edge to `abandoned`. */
function removeNode(db: Database, ns: number, key: NodeKey, abandoned: Set<NodeKey>): void {
  const incoming = 'graph_edge INDEXED BY graph_edge_dst WHERE ns = ? AND dst = ?';
  noteShared(db, `SELECT src, dst FROM graph_edge WHERE ns = ? AND src = ?`, [ns, key], abandoned);
  noteShared(db, `SELECT src, dst FROM ${incoming}`, [ns, key], abandoned);
  db.prepare('DELETE FROM graph_edge WHERE ns = ? AND src = ?').run(ns, key);
  db.prepare(`DELETE FROM ${incoming}`).run(ns, key);
  db.prepare('DELETE FROM graph_node WHERE ns = ? AND key = ?').run(ns, key);
}

function noteShared(
  db: Database,
  edges: string,
  parameters: readonly (number | string)[],
  abandoned: Set<NodeKey>,
): void {
  const rows = db
    .prepare(
      `WITH e AS (${edges}) SELECT src AS key FROM e WHERE src ${IS_SHARED} UNION SELECT dst FROM e WHERE dst ${IS_SHARED}`,
    )
    .all(...parameters);
  for (const { key } of rows) abandoned.add(key as string);
}

/** Removes those of the shared nodes that have no edge left. */
function removeAbandoned(db: Database, ns: number, keys: ReadonlySet<NodeKey>): void {
  const hasOut = db.prepare('SELECT 1 FROM graph_edge WHERE ns = ? AND src = ? LIMIT 1');
  const hasIn = db.prepare(
    'SELECT 1 FROM graph_edge INDEXED BY graph_edge_dst WHERE ns = ? AND dst = ? LIMIT 1',
  );
  const remove = db.prepare('DELETE FROM graph_node WHERE ns = ? AND key = ? AND record IS NULL');
  for (const key of keys) {
    if (hasOut.get(ns, key) !== undefined || hasIn.get(ns, key) !== undefined) continue;
    remove.run(ns, key);
  }
}

/** Removes what the graph has of records that are gone. Within the transaction that removes them. */
export function removeGraph(db: Database, ns: number, kinds: ReadonlyMap<number, ChangeKind>): void {
  const gone = [...kinds].filter(([, kind]) => kind !== 'written').map(([record]) => record);
  if (gone.length === 0) return;
  const abandoned = new Set<NodeKey>();
  const nodes = db.prepare(
    'SELECT key FROM graph_node INDEXED BY graph_node_record WHERE ns = ? AND record = ?',
  );
  const owned = 'graph_edge INDEXED BY graph_edge_record WHERE ns = ? AND record = ?';
  const unmark = db.prepare('DELETE FROM graph_stale WHERE ns = ? AND record = ?');
  for (const record of gone) {
    for (const { key } of nodes.all(ns, record)) removeNode(db, ns, key as string, abandoned);
    // Edges to a record may be there before its node is.
    removeNode(db, ns, recordNode(record), abandoned);
    noteShared(db, `SELECT src, dst FROM ${owned}`, [ns, record], abandoned);
    db.prepare(`DELETE FROM ${owned}`).run(ns, record);
    unmark.run(ns, record);
  }
  removeAbandoned(db, ns, abandoned);
}

/** Discards the graph, so that it is derived again. Within a transaction. */
export function resetGraph(db: Database, ns: number): void {
  for (const table of ['graph_node', 'graph_edge', 'graph_stale', 'graph_progress'])
    db.prepare(`DELETE FROM ${table} WHERE ns = ?`).run(ns);
}

function setProgress(db: Database, ns: number, progress: Partial<GraphProgress>): void {
  db.prepare('INSERT OR IGNORE INTO graph_progress (ns) VALUES (?)').run(ns);
  const { upTo = null, similarUpTo = null, rules = null } = progress;
  db.prepare(
    `UPDATE graph_progress SET up_to = coalesce(?, up_to), similar_up_to = coalesce(?, similar_up_to),
       rules = coalesce(?, rules) WHERE ns = ?`,
  ).run(upTo, similarUpTo, rules, ns);
}

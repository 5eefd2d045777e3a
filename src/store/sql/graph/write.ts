import type { ConceptMention, ConceptUpdate, ProjectName, RecordNames } from '../../concept-model.ts';
import {
  type BelongsToUpdate,
  type EdgeDraft,
  type GraphLane,
  type GraphProgress,
  type GraphUpdate,
  type NodeDraft,
  type NodeKey,
  type RecordGraph,
  recordNode,
} from '../../graph-model.ts';
import type { ChangeKind } from '../../model.ts';
import { atOnce, type Row, type Sql, type SqlValue } from '../sql.ts';
import { updateState } from '../namespace.ts';

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
async function liveRecords(sql: Sql, ns: number, ids: readonly number[]): Promise<Set<number>> {
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
  await sql.change(
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
export async function removeGraph(sql: Sql, ns: number, records: readonly number[]): Promise<void> {
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
  await sql.change(
    `INSERT INTO graph_progress (ns, up_to, similar_up_to, rules)
     VALUES (:ns, coalesce(:upTo, 0), coalesce(:similarUpTo, 0), coalesce(:rules, ''))
     ON CONFLICT (ns) DO UPDATE SET up_to = coalesce(:upTo, graph_progress.up_to),
       similar_up_to = coalesce(:similarUpTo, graph_progress.similar_up_to), rules = coalesce(:rules, graph_progress.rules)`,
    { ns, upTo: upTo ?? null, similarUpTo: similarUpTo ?? null, rules: rules ?? null },
  );
}

/**
 * Marks records whose contribution to the graph may differ from now on: `linking`, whose links mean other records, and those
 * whose node is identified by another field because a document of the same identity came or went. Within a transaction,
 * before the graph of removed records is removed.
 * @param identified those of the changed records that have or had an identity
 * @param since the last change of the transaction
 */
export async function markStale(
  sql: Sql,
  ns: number,
  kinds: ReadonlyMap<number, ChangeKind>,
  identified: readonly number[],
  linking: ReadonlySet<number>,
  since: number,
): Promise<void> {
  const others = new Set([...linking, ...(await sameIdentity(sql, ns, identified))]);
  const stale = [...others].filter((record) => !kinds.has(record));
  await sql.write('graph_stale', stale.map((record) => ({ ns, record, since })), 'replace'); // prettier-ignore
}

/** Records with the identity of one of these, and where the node of one shares its identity, all whose nodes do. */
async function sameIdentity(sql: Sql, ns: number, records: readonly number[]): Promise<number[]> {
  if (records.length === 0) return [];
  const { list, join, index } = sql.dialect;
  const rows = await sql.all(
    `SELECT o.id FROM ${list('records', 'integer')} AS w ${join} record AS r ON r.ns = :ns AND r.id = w.value
     ${join} record AS o ${index('record_identity')}
       ON o.ns = r.ns AND o.source = r.source AND o.identity = r.identity AND o.id <> r.id
     WHERE r.identity IS NOT NULL AND o.deleted_at IS NULL
     UNION SELECT o.record FROM ${list('records', 'integer')} AS w
     ${join} graph_node AS n ${index('graph_node_record')} ON n.ns = :ns AND n.record = w.value
     ${join} graph_node AS o ${index('graph_node_shared_identity')} ON o.ns = n.ns AND o.source = n.source
     WHERE n.shares_identity = 1 AND o.shares_identity = 1`,
    { ns, records },
  );
  return rows.map(({ id }) => id as number);
}

/** Within a transaction. */
export async function putConcepts(sql: Sql, ns: number, update: ConceptUpdate): Promise<void> {
  const { names, mentions, searched = [], progress } = update;
  if (names !== undefined) await putNames(sql, ns, names);
  if (mentions !== undefined) await putMentions(sql, ns, mentions);
  const settled = searched === 'all' ? [{ ns }] : searched.map(({ project, key }) => ({ ns, project, key }));
  await sql.remove('concept_changed', settled);
  if (progress === undefined) return;
  const { upTo, rules } = progress;
  await sql.write('concept_progress', [{ ns, up_to: upTo, rules }], 'replace');
}

async function putNames(sql: Sql, ns: number, names: ReadonlyMap<number, RecordNames | null>): Promise<void> {
  const records = [...names.keys()];
  if (records.length === 0) return;
  const [live, before] = await atOnce(sql, [
    () => liveRecords(sql, ns, [...names].flatMap(([record, own]) => (own === null ? [] : [record]))), // prettier-ignore
    () => claimsOf(sql, ns, records),
  ]);
  const present = [...names].flatMap(([record, own]) =>
    own === null || !live.has(record) ? [] : [{ record, ...own }],
  );
  const after = present.flatMap(({ record, project, names: own }) =>
    own
      .filter(({ kind }) => kind === 'title' || kind === 'alias')
      .map(({ key }) => ({ record, project, key })),
  );
  await noteChanged(sql, ns, before, after);
  const rows = records.map((record) => ({ ns, record }));
  await sql.remove('concept_name', rows);
  await sql.remove('concept_record', rows);
  const kept = new Set(present.map(({ record }) => record));
  await sql.remove('concept_mention', rows.filter(({ record }) => !kept.has(record))); // prettier-ignore
  await sql.write('concept_record', present.map(({ record, project, note }) => ({ ns, record, project, note }))); // prettier-ignore
  await moveMentions(sql, ns, [...kept]);
  await sql.write(
    'concept_name',
    present.flatMap(({ record, project, names: own }) =>
      own.map(({ key, text, kind, line }) => ({ ns, record, key, project, text, kind, line })),
    ),
  );
}

interface Claim extends ProjectName {
  readonly record: number;
}

/** The titles and aliases of records. */
async function claimsOf(sql: Sql, ns: number, records: readonly number[]): Promise<Claim[]> {
  const { list, join } = sql.dialect;
  const rows = await sql.all(
    `SELECT c.record, c.project, c.key FROM ${list('records', 'integer')} AS w
     ${join} concept_name AS c ON c.ns = :ns AND c.record = w.value WHERE c.kind IN ('title', 'alias')`,
    { ns, records },
  );
  return rows as unknown as Claim[];
}

/** Notes the titles and aliases that a record gets or loses. */
async function noteChanged(
  sql: Sql,
  ns: number,
  before: readonly Claim[],
  after: readonly Claim[],
): Promise<void> {
  const keyOf = ({ record, project, key }: Claim): string => JSON.stringify([record, project, key]);
  const without = (names: readonly Claim[], others: readonly Claim[]): Claim[] => {
    const known = new Set(others.map(keyOf));
    return names.filter((name) => !known.has(keyOf(name)));
  };
  const changed = [...without(before, after), ...without(after, before)];
  await sql.write('concept_changed', changed.map(({ project, key }) => ({ ns, project, key })), 'skip'); // prettier-ignore
}

/** Mentions that are kept belong to the project of their record, even if a record has moved to another one. */
async function moveMentions(sql: Sql, ns: number, records: readonly number[]): Promise<void> {
  if (records.length === 0) return;
  const project =
    'SELECT project FROM concept_record AS r WHERE r.ns = :ns AND r.record = concept_mention.record';
  await sql.change(
    `UPDATE concept_mention SET project = (${project})
     WHERE ns = :ns AND ${sql.dialect.isIn('record', 'records')} AND project <> (${project})`,
    { ns, records },
  );
}

async function putMentions(
  sql: Sql,
  ns: number,
  mentions: ReadonlyMap<number, readonly ConceptMention[]>,
): Promise<void> {
  const records = [...mentions.keys()];
  if (records.length === 0) return;
  const { list, join } = sql.dialect;
  const projects = await sql.all(
    `SELECT r.record, r.project FROM ${list('records', 'integer')} AS w
     ${join} concept_record AS r ON r.ns = :ns AND r.record = w.value`,
    { ns, records },
  );
  await sql.remove('concept_mention', records.map((record) => ({ ns, record }))); // prettier-ignore
  await sql.write(
    'concept_mention',
    projects.flatMap(
      ({ record, project }) =>
      mentions.get(record as number)!.map(({ key, line, count }) => ({ ns, record: record!, key, project: project!, line, count })), // prettier-ignore
    ),
  );
}

/** Removes what belongs to records that are gone. Within their transaction. */
export async function removeConcepts(sql: Sql, ns: number, records: readonly number[]): Promise<void> {
  await putNames(sql, ns, new Map(records.map((record) => [record, null])));
}

/** Discards everything derived. Changes by operators stay. Within a transaction. */
export async function resetConcepts(sql: Sql, ns: number): Promise<void> {
  for (const table of [
    'concept_record',
    'concept_name',
    'concept_mention',
    'concept_changed',
    'concept_progress',
  ] as const)
    // prettier-ignore
    await sql.remove(table, [{ ns }]);
}

/** Within a transaction. Returns what changes of the state of the namespace. */
export async function putBelongsTo(sql: Sql, ns: number, { edges, progress }: BelongsToUpdate): Promise<Row> {
  const documents = [...edges.keys()];
  const live = await liveRecords(sql, ns, [
    ...new Set([...documents, ...[...edges.values()].flatMap((notes) => notes.map(({ note }) => note))]),
  ]);
  await sql.remove(
    'belongs_to',
    documents.map((document) => ({ ns, document })),
  );
  const rows = [...edges].flatMap(([document, notes]) =>
    (live.has(document) ? notes : [])
      .filter(({ note }) => live.has(note))
      .map(({ note, share, confidence }, i) => ({ ns, document, position: i + 1, note, share, confidence })),
  );
  await sql.write('belongs_to', rows);
  return belongsToState(progress);
}

/** Removes the edges of records that are gone. Within a transaction. */
export async function removeBelongsTo(sql: Sql, ns: number, records: readonly number[]): Promise<void> {
  const { dialect } = sql;
  await sql.remove(
    'belongs_to',
    records.map((document) => ({ ns, document })),
  );
  await sql.change(
    `DELETE FROM belongs_to ${dialect.index('belongs_to_note')} WHERE ns = :ns AND ${dialect.isIn('note', 'records')}`,
    { ns, records },
  );
}

/** Discards all edges, so that they are derived again. Within a transaction. */
export async function resetBelongsTo(sql: Sql, ns: number): Promise<void> {
  await sql.remove('belongs_to', [{ ns }]);
  await updateState(sql, ns, belongsToState({ upTo: 0, excludedSources: [], pass: null }));
}

function belongsToState({ upTo, excludedSources, pass }: BelongsToUpdate['progress']): Row {
  return {
    belongs_to_change: upTo,
    belongs_to_excluded: JSON.stringify(excludedSources),
    belongs_to_pass: pass === null ? null : JSON.stringify(pass),
  };
}

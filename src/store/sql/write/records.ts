import { isDeepStrictEqual } from 'node:util';
import { storedTime } from '../../../core/time/whole-day.ts';
import type { LociRecord } from '../../../core/types.ts';
import type { ChangeKind, CommitBatch } from '../../model.ts';
import { recordTime } from '../../rules/record-time.ts';
import { wellFormed } from '../../rules/validation.ts';
import { RECORD_COLUMNS, recordOf } from '../rows.ts';
import { appendChanges } from './changes.ts';
import { deriveLinks, deriveNames } from '../derived/derived.ts';
import type { Driver, NewTextEntry, StateCounts, TextEntry } from '../driver.ts';
import type { NamespaceRow } from '../namespace.ts';
import { type DerivedState, derivedState } from './derived-state.ts';
import { isReindexed, keyOf, type PlannedRecord, RecordPlan, type StoredRecord } from './record-plan.ts';
import { atOnce, type Row, type Sql } from '../sql.ts';

/** What a batch changes, as it is before. */
export interface StoredState {
  /** The records that the batch changes, and those whose identity it may take. */
  readonly records: readonly StoredRecord[];
  /** Of those that it changes. */
  readonly derived: DerivedState;
}

/** Plans the changes of records, and writes them and what is derived of them. Within a transaction. */
export async function commitRecords(
  driver: Driver,
  namespace: string,
  row: NamespaceRow,
  batch: CommitBatch,
  { records, derived }: StoredState,
): Promise<Committed> {
  const { evictions = [], deletions = [], restorations = [], chunked = new Map<number, never>() } = batch;
  const [writes, imports] = [wellFormed(batch.writes ?? []), wellFormed(batch.imports ?? [])];
  const { chunking = null } = batch;
  const plan = new RecordPlan(namespace, records, row.nextRecord);
  for (const id of evictions) plan.evict(id);
  for (const deletion of deletions) plan.delete(deletion);
  const ids = writes.map((write) => plan.write(write, chunking));
  for (const restoration of restorations) plan.restore(restoration, chunking);
  for (const each of imports) ids.push(plan.import(each, chunking));
  if (chunking !== null)
    for (const [id, each] of chunked) {
      const passages = (derived.passages.get(id) ?? []).map(({ passage }) => passage);
      plan.rechunk(id, each, chunking, isDeepStrictEqual(passages, each.passages));
    }
  return { ids, ...(await applyPlan(driver, row, plan, derived)) };
}

/** The ids of writes and imports, and what changes of the state of the namespace. */
interface Committed extends StateChange {
  readonly ids: readonly number[];
}

interface StateChange {
  readonly columns: Row;
  readonly counts: StateCounts;
}

export async function storedState(
  sql: Sql,
  namespace: string,
  ns: number,
  batch: CommitBatch,
): Promise<StoredState> {
  const { evictions = [], deletions = [], writes = [], restorations = [], imports = [], chunked } = batch;
  const ids = [
    ...new Set([
      ...evictions,
      ...[...deletions, ...restorations].map(({ id }) => id),
      ...writes.flatMap(({ id }) => id ?? []),
      ...imports.flatMap(({ replaces }) => replaces ?? []),
      ...(chunked?.keys() ?? []),
    ]),
  ];
  const leaving = [
    ...evictions,
    ...deletions.map(({ id }) => id),
    ...imports.flatMap(({ replaces, deletedAt }) => (deletedAt === null ? [] : (replaces ?? []))),
  ];
  const [records, derived] = await atOnce(sql, [
    () => affectedRecords(sql, namespace, ns, batch, ids),
    () => derivedState(sql, ns, ids, leaving),
  ]);
  return { records, derived };
}

/** @param ids of those that the batch changes */
async function affectedRecords(
  sql: Sql,
  namespace: string,
  ns: number,
  { writes = [], restorations = [], imports = [] }: CommitBatch,
  ids: readonly number[],
): Promise<StoredRecord[]> {
  const { dialect } = sql;
  const drafts = wellFormed([...writes, ...imports].map(({ draft }) => draft));
  const keyed = drafts.flatMap(({ origin, source, category, key }) =>
    key === null ? [] : [{ origin, source, category, key }],
  );
  const documents = keyed.flatMap(({ origin, source, key }) => (origin === 'fact' ? [] : [{ source, key }]));
  const facts = keyed.flatMap(({ origin, category, key }) => (origin === 'fact' ? [{ category, key }] : []));
  const parameters = {
    ids,
    // A new record without a key has a UUID that was made for it.
    uuids: [...writes.filter(({ id, draft }) => id !== null || draft.key !== null), ...imports].map(
      ({ draft }) => draft.uuid,
    ),
    documents,
    facts,
    restored: restorations.map(({ id }) => id),
  };
  const table = `${dialect.join} record AS o ON o.ns = :ns`;
  const text = { source: 'text', category: 'text', key: 'text' } as const;
  const { source, category, key } = text;
  const selections: Readonly<Record<keyof typeof parameters, string>> = {
    ids: `SELECT w.value AS id FROM ${dialect.list('ids', 'integer')} AS w`,
    uuids: `SELECT o.id FROM ${dialect.list('uuids', 'text')} AS w ${table} AND o.uuid = w.value`,
    documents: `SELECT o.id FROM ${dialect.rows('documents', { source, key })} AS w
      ${table} AND o.source = w.source AND o.key = w.key AND o.origin <> 'fact'`,
    facts: `SELECT o.id FROM ${dialect.rows('facts', { category, key })} AS w
      ${table} AND o.key = w.key AND o.category = w.category AND o.origin = 'fact' AND o.deleted_at IS NULL`,
    restored: `SELECT o.id FROM ${dialect.list('restored', 'integer')} AS w
      ${dialect.join} record AS f ON f.ns = :ns AND f.id = w.value AND f.origin = 'fact'
      ${table} AND o.key = f.key AND o.category = f.category AND o.origin = 'fact' AND o.deleted_at IS NULL`,
  };
  const used = Object.entries(parameters).filter(([, values]) => values.length > 0);
  if (used.length === 0) return [];
  const union = used.map(([name]) => selections[name as keyof typeof parameters]).join(' UNION ');
  const rows = await sql.all(
    `SELECT ${RECORD_COLUMNS}, r.chunking FROM (${union}) AS affected
     ${dialect.join} record AS r ON r.ns = :ns AND r.id = affected.id`,
    { ns, ...Object.fromEntries(used) },
  );
  return rows.map((row) => storedRecordOf(namespace, row));
}

/** Damaged parts of the record are replaced, or removed with it. */
export function storedRecordOf(namespace: string, row: Row): StoredRecord {
  return { record: recordOf(namespace, row, 'is empty'), chunking: row['chunking'] as string | null };
}

/** Writes each table once. Within a transaction. Returns what changes of the state of the namespace. */
export async function applyPlan(
  driver: Driver,
  row: NamespaceRow,
  plan: RecordPlan,
  derived: DerivedState,
  isPurge = false,
): Promise<StateChange> {
  const { sql } = driver;
  const { planned } = plan;
  if (planned.length === 0) return { columns: {}, counts: {} };
  const ns = row.id;
  const counts = await writeRecordsAndPassages(driver, ns, planned, derived, isPurge);
  const changed = new Map(planned.flatMap((each) => (each.kind === null ? [] : [[each.id, each] as const])));
  const keyed = new Map(
    [...changed].filter(([, { before, after }]) => (before?.key ?? after?.key ?? null) !== null),
  );
  const names = derived.names.filter(({ record }) => changed.has(Number(record)));
  await deriveNames(sql, ns, new Map([...changed].map(([id, { after }]) => [id, after])), names);
  const linking = keyed.size === 0 ? new Set<number>() : await deriveLinks(sql, ns, keyed);
  const kinds = new Map([...changed].map(([id, { kind }]): [number, ChangeKind] => [id, kind!]));
  const identified = [...changed].flatMap(([id, { before, after }]) =>
    before?.identity || after?.identity ? [id] : [],
  );
  const changes = await appendChanges(sql, ns, row.lastChange, kinds, identified, linking, derived);
  const isOutdated = planned.some(
    (each) =>
      (each.isRewritten && each.before !== null) ||
      ((losesPassages(each) || isReindexed(each)) && derived.passages.has(each.id)),
  );
  const epoch = row.epoch + (isOutdated ? 1 : 0);
  return { columns: { next_record: plan.nextId, epoch, ...changes }, counts };
}

/** Returns what changes of the counts of the text index. */
async function writeRecordsAndPassages(
  { sql, text }: Driver,
  ns: number,
  planned: readonly PlannedRecord[],
  stored: DerivedState,
  isPurge: boolean,
): Promise<StateCounts> {
  const reindexed = planned.filter(isReindexed);
  const dropped = planned.filter(losesPassages);
  const entriesOf = ({ id }: PlannedRecord, fields: LociRecord | null): TextEntry[] =>
    (stored.passages.get(id) ?? []).map(({ id: passage, passage: text }) => ({
      passage,
      fields: fields!,
      text,
    }));
  const removed = [...dropped, ...reindexed].filter(({ erases }) => !erases);
  const erased = dropped.filter(({ erases }) => erases);
  await sql.remove(
    'passage',
    dropped.flatMap(({ id }) => (stored.passages.has(id) ? [{ ns, record: id }] : [])),
  );
  await writeRows(sql, ns, planned);
  const created = newPassages(planned);
  await sql.write(
    'passage',
    created.map((entry) => passageRow(ns, entry)),
  );
  return text.change(ns, {
    created,
    added: reindexed.flatMap((each) => entriesOf(each, each.after)),
    removed: removed.flatMap((each) => entriesOf(each, each.before)),
    erased: erased.flatMap((each) => entriesOf(each, each.before)),
    isPurge: isPurge || planned.some(({ after }) => after === null),
  });
}

function losesPassages({ before, after, passages }: PlannedRecord): boolean {
  return before?.deletedAt === null && (after?.deletedAt !== null || passages !== 'keep');
}

function newPassages(planned: readonly PlannedRecord[]): NewTextEntry[] {
  return planned.flatMap(({ id, after, passages }) =>
    after?.deletedAt !== null || passages === 'keep'
      ? []
      : passages.map((text) => ({ record: id, fields: after, text })),
  );
}

function passageRow(ns: number, { record, text: passage }: NewTextEntry): Row {
  return {
    ...{ ns, record, ordinal: passage.ordinal },
    headings: JSON.stringify(passage.headings),
    text: passage.text,
    start_line: passage.startLine,
    end_line: passage.endLine,
    hash: Buffer.from(passage.hash, 'hex'),
    context: passage.context,
  };
}

/** Keys are freed before they are taken: removals and deletions come first, restorations and new records last. */
async function writeRows(sql: Sql, ns: number, planned: readonly PlannedRecord[]): Promise<void> {
  const removed: Row[] = [];
  const [deleted, rewritten, restored, rechunked, added]: Row[][] = [[], [], [], [], []];
  for (const { id, before, after, chunking, isRewritten, kind } of planned) {
    if (after === null) removed.push({ ns, id });
    else if (before === null) added!.push(rowOf(ns, after, chunking));
    else if (isRewritten) rewritten!.push(rowOf(ns, after, chunking));
    else if (kind === null) rechunked!.push({ ns, id, chunking });
    else (after.deletedAt === null ? restored : deleted)!.push(stateOf(ns, after, chunking));
  }
  await sql.remove('record', removed);
  await sql.update('record', freedIdentities(ns, planned));
  for (const rows of [deleted!, rewritten!, restored!, rechunked!]) await sql.update('record', rows);
  await sql.write('record', added!);
}

/**
 * The records without the key and the UUID that other ones of the batch take from them. PostgreSQL compares each row with those that
 * it has not yet updated, in no certain order.
 */
function freedIdentities(ns: number, planned: readonly PlannedRecord[]): Row[] {
  const rewritten = planned.flatMap(({ id, before, after, isRewritten }) =>
    isRewritten && before !== null && after !== null ? [{ id, before, after }] : [],
  );
  const taken = new Set(rewritten.flatMap(({ after }) => [after.uuid, keyOf(after)]));
  return rewritten.flatMap(({ id, before, after }) =>
    (before.uuid !== after.uuid && taken.has(before.uuid)) ||
    (keyOf(before) !== keyOf(after) && taken.has(keyOf(before)))
      ? [{ ns, id, key: null, uuid: `freed ${String(id)}` }]
      : [],
  );
}

function stateOf(ns: number, record: LociRecord, chunking: string | null): Row {
  const { id, updatedAt, deletedAt } = record;
  const timeline_at = recordTime(record);
  return { ns, id, updated_at: updatedAt, deleted_at: deletedAt, timeline_at, chunking };
}

function rowOf(ns: number, record: LociRecord, chunking: string | null): Row {
  return {
    ...stateOf(ns, record, chunking),
    uuid: record.uuid,
    project: record.project,
    origin: record.origin,
    source: record.source,
    trust: record.trust,
    key: record.key,
    identity: record.identity,
    category: record.category,
    record_type: record.recordType,
    title: record.title,
    tags: JSON.stringify(record.tags),
    metadata: JSON.stringify(record.metadata),
    created_at: storedTime(record),
    expires_at: record.expiresAt,
    content_hash: record.contentHash,
    revision: record.revision,
    content: record.content,
  };
}

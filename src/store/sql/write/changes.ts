import type { ChangeKind, ChangePage, Page, RecordChange } from '../../model.ts';
import type { Scope } from '../driver.ts';
import { updateState } from '../namespace.ts';
import { derivedState, type DerivedState } from './derived-state.ts';
import { markStale, removeBelongsTo, removeConcepts, removeGraph } from '../graph/write.ts';
import { atOnce, type Sql } from '../sql.ts';

/** The most removals in the feed. A reader that has not read older ones must start again. */
const MAX_REMOVALS = 10_000;

/**
 * Adds changes to the feed, and removes what is derived of records that are gone. Within the transaction, after links and names
 * were derived. Returns what changes of the state of the namespace.
 * @param kinds in the order of the changes
 * @param identified those of the records that have or had an identity
 * @param linking other records whose links mean other records from now on
 */
export async function appendChanges(
  sql: Sql,
  ns: number,
  lastChange: number,
  kinds: ReadonlyMap<number, ChangeKind>,
  identified: readonly number[],
  linking: ReadonlySet<number>,
  derived: Pick<DerivedState, 'tables'>,
): Promise<{ readonly last_change: number; readonly trimmed_change?: number }> {
  if (kinds.size === 0) return { last_change: lastChange };
  const rows = [...kinds].map(([record, kind], i) => ({ ns, sequence: lastChange + i + 1, record, kind }));
  const last_change = lastChange + rows.length;
  await sql.write('change', rows, 'replace');
  const trimmed = [...kinds.values()].includes('removed') ? await trimRemovals(sql, ns) : {};
  await markStale(sql, ns, kinds, identified, linking, last_change);
  const gone = [...kinds].flatMap(([record, kind]) => (kind === 'written' ? [] : [record]));
  if (gone.length > 0) {
    const { tables } = derived;
    await atOnce(sql, [
      async () => (tables.has('belongs_to') ? removeBelongsTo(sql, ns, gone) : undefined),
      async () => (tables.has('graph') ? removeGraph(sql, ns, gone) : undefined),
      async () => (tables.has('concepts') ? removeConcepts(sql, ns, gone) : undefined),
    ]);
  }
  return { last_change, ...trimmed };
}

/** Deletes the oldest removals if the feed has more than `MAX_REMOVALS`. */
async function trimRemovals(sql: Sql, ns: number): Promise<{ readonly trimmed_change?: number }> {
  const oldest = await sql.get(
    `SELECT sequence FROM change ${sql.dialect.index('change_removed')}
     WHERE ns = :ns AND kind = 'removed' ORDER BY sequence DESC LIMIT 1 OFFSET :kept`,
    { ns, kept: MAX_REMOVALS },
  );
  if (oldest === undefined) return {};
  const upTo = Number(oldest['sequence']);
  await sql.change(`DELETE FROM change WHERE ns = :ns AND kind = 'removed' AND sequence <= :upTo`, {
    ns,
    upTo,
  });
  return { trimmed_change: upTo };
}

export async function changes({ sql, ns }: Scope, { after, limit }: Page<number>): Promise<ChangePage> {
  const row = await sql.get('SELECT last_change, trimmed_change FROM namespace_state WHERE ns = :ns', { ns });
  const isInFeed =
    Number(row?.['trimmed_change']) <= (after ?? 0) && (after ?? 0) <= Number(row?.['last_change']);
  if (after !== null && !isInFeed) return { changes: [], mustRestart: true };
  const rows = await sql.all(
    'SELECT sequence, record, kind FROM change WHERE ns = :ns AND sequence > :after ORDER BY sequence LIMIT :limit',
    { ns, after: after ?? 0, limit },
  );
  return { changes: rows as unknown as RecordChange[], mustRestart: false };
}

export async function verifyChanges(sql: Sql, ns: number, limit: number): Promise<string[]> {
  const wrong = [...(await wrongChanges(sql, ns))].slice(0, limit);
  return wrong.map(([record]) => `the change feed does not have the state of record ${String(record)}`);
}

/** Adds a change for every record whose state the feed does not have. Within a transaction. */
export async function repairChanges(sql: Sql, ns: number): Promise<void> {
  const wrong = await wrongChanges(sql, ns);
  if (wrong.size === 0) return;
  const row = await sql.get('SELECT last_change FROM namespace_state WHERE ns = :ns', { ns });
  const records = [...wrong.keys()];
  const derived = await derivedState(sql, ns, records);
  const last = Number(row?.['last_change']);
  await updateState(sql, ns, await appendChanges(sql, ns, last, wrong, records, new Set(), derived));
}

/** The correct last change of each record for which the feed has none or a different one. */
async function wrongChanges(sql: Sql, ns: number): Promise<Map<number, ChangeKind>> {
  const rows = await sql.all(
    `SELECT * FROM (
       SELECT coalesce(r.id, c.record) AS record, c.kind AS present,
         CASE WHEN r.id IS NULL THEN 'removed' WHEN r.deleted_at IS NULL THEN 'written' ELSE 'deleted' END AS kind
       FROM (SELECT id, deleted_at FROM record WHERE ns = :ns) AS r
       FULL JOIN (SELECT record, kind FROM change WHERE ns = :ns) AS c ON c.record = r.id) AS compared
     WHERE present IS DISTINCT FROM kind ORDER BY record`,
    { ns },
  );
  return new Map(rows.map((row) => [Number(row['record']), row['kind'] as ChangeKind]));
}

import { parseJson } from '../../../core/json.ts';
import type { LociRecord } from '../../../core/types.ts';
import type { BelongsToPass } from '../../graph-model.ts';
import type { ExistingRecords, RecordBounds, RecordIdentity, RecordState } from '../../model.ts';
import { objectsOf, RECORD_COLUMNS, recordOf } from '../rows.ts';
import type { Sql } from '../sql.ts';

export async function recordsInState(
  sql: Sql,
  namespace: string,
  ns: number,
  ids: readonly number[],
  state: RecordState,
): Promise<LociRecord[]> {
  if (ids.length === 0) return [];
  const [condition, parameters] =
    state === 'any'
      ? ['', {}]
      : [
          'WHERE r.deleted_at IS NULL AND (r.expires_at IS NULL OR r.expires_at > :liveAt)',
          { liveAt: state.liveAt },
        ];
  const rows = await sql.all(
    `SELECT ${RECORD_COLUMNS} FROM ${sql.dialect.list('ids', 'integer')} AS wanted
     ${sql.dialect.join} record AS r ON r.ns = :ns AND r.id = wanted.value ${condition}`,
    { ns, ids: [...new Set(ids)], ...parameters },
  );
  const byId = new Map(rows.map((row) => [row['id'], row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row === undefined ? [] : [recordOf(namespace, row, state === 'any' ? 'fails' : state.damaged)];
  });
}

export async function findExisting(
  sql: Sql,
  ns: number,
  identities: readonly RecordIdentity[],
): Promise<ExistingRecords[]> {
  if (identities.length === 0) return [];
  const columns = {
    position: 'integer',
    uuid: 'text',
    origin: 'text',
    source: 'text',
    category: 'text',
    key: 'text',
  } as const;
  const rows = await sql.all(
    `SELECT (SELECT id FROM record WHERE ns = :ns AND uuid = i.uuid) AS "sameUuid",
       CASE WHEN i.origin = 'fact' THEN
         (SELECT id FROM record WHERE ns = :ns AND category = i.category AND key = i.key AND uuid <> i.uuid
          AND origin = 'fact' AND deleted_at IS NULL)
       ELSE
         (SELECT id FROM record WHERE ns = :ns AND source = i.source AND key = i.key AND uuid <> i.uuid AND origin <> 'fact')
       END AS "sameKey"
     FROM ${sql.dialect.rows('identities', columns)} AS i ORDER BY i.position`,
    {
      ns,
      identities: identities.map(
        ({ uuid, origin = null, source = null, category = null, key = null }, i) => ({
          position: i,
          ...{ uuid, origin, source, category, key },
        }),
      ),
    },
  );
  return objectsOf(rows);
}

export async function bounds(sql: Sql, ns: number): Promise<RecordBounds> {
  const earliest = (column: 'expires_at' | 'deleted_at', table: 'record' | 'item'): string =>
    `(SELECT min(${column}) FROM ${table} WHERE ns = :ns AND ${column} IS NOT NULL)`;
  const row = await sql.get(
    `SELECT next_record - 1 AS id, last_change, belongs_to_change, belongs_to_excluded, belongs_to_pass,
       ${earliest('expires_at', 'record')} AS expiry, ${earliest('deleted_at', 'record')} AS deletion,
       ${earliest('expires_at', 'item')} AS history_expiry
     FROM namespace WHERE id = :ns`,
    { ns },
  );
  return {
    highestId: Number(row?.['id'] ?? 0),
    nextExpiry: (row?.['expiry'] ?? null) as number | null,
    oldestDeletion: (row?.['deletion'] ?? null) as number | null,
    nextHistoryExpiry: (row?.['history_expiry'] ?? null) as number | null,
    lastChange: Number(row?.['last_change'] ?? 0),
    belongsTo: {
      upTo: Number(row?.['belongs_to_change'] ?? 0),
      // What cannot be read is derived again.
      excludedSources: (parseJson(String(row?.['belongs_to_excluded'] ?? '[]')) ?? []) as string[],
      pass: (parseJson(String(row?.['belongs_to_pass'] ?? 'null')) ?? null) as BelongsToPass | null,
    },
  };
}

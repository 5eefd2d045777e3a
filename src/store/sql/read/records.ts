import { parseJson } from '../../../core/json.ts';
import type { LociRecord } from '../../../core/types.ts';
import type { BelongsTo, BelongsToPass, BelongsToSelector } from '../../graph-model.ts';
import type {
  ExistingRecords,
  LinkCursor,
  LinkSelector,
  Page,
  RecordBounds,
  RecordIdentity,
  RecordLink,
  RecordState,
} from '../../model.ts';
import { MAX_BEARERS } from '../../rules/mention-names.ts';
import type { NamedRecord } from '../../search-model.ts';
import type { Scope } from '../driver.ts';
import { objectsOf, RECORD_COLUMNS, recordOf } from '../rows.ts';
import type { Dialect, Parameters } from '../sql.ts';

export async function recordsInState(
  { sql, namespace, ns }: Scope,
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
  { sql, ns }: Scope,
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

export async function bounds({ sql, ns }: Scope): Promise<RecordBounds> {
  const earliest = (column: 'expires_at' | 'deleted_at', table: 'record' | 'item'): string =>
    `(SELECT min(${column}) FROM ${table} WHERE ns = :ns AND ${column} IS NOT NULL)`;
  const row = await sql.get(
    `SELECT next_record - 1 AS id, last_change, belongs_to_change, belongs_to_excluded, belongs_to_pass,
       ${earliest('expires_at', 'record')} AS expiry, ${earliest('deleted_at', 'record')} AS deletion,
       ${earliest('expires_at', 'item')} AS history_expiry
     FROM namespace_state WHERE ns = :ns`,
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

/** The tables that a selector reads, and its condition. */
interface LinkSelection {
  readonly tables: string;
  readonly condition: string;
  readonly parameters: Parameters;
}

function selection(dialect: Dialect, selector: LinkSelector): LinkSelection {
  // Without statistics, SQLite would read all links instead of using the smaller indexes.
  const wanted = `${dialect.list('records', 'integer')} AS wanted ${dialect.join} link AS l`;
  if ('from' in selector) {
    const { from, targets } = selector;
    const records = [...new Set(from)];
    const condition = 'l.record = wanted.value';
    if (targets === undefined) return { tables: `${wanted} ON TRUE`, condition, parameters: { records } };
    return {
      tables: `${wanted} ON TRUE`,
      condition: `${condition} AND ${dialect.isIn('l.target', 'targets')}`,
      parameters: { records, targets: [...new Set(targets)] },
    };
  }
  if ('to' in selector)
    return {
      tables: `${wanted} ${dialect.index('link_target')} ON TRUE`,
      condition: 'l.target_record = wanted.value',
      parameters: { records: [...new Set(selector.to)] },
    };
  return {
    tables: `link AS l ${dialect.index('link_unresolved')}`,
    condition: 'l.target_record IS NULL',
    parameters: {},
  };
}

export async function links(
  { sql, ns }: Scope,
  selector: LinkSelector,
  { after, limit }: Page<LinkCursor>,
): Promise<RecordLink[]> {
  const { tables, condition, parameters } = selection(sql.dialect, selector);
  const rows = await sql.all(
    `SELECT l.record, r.key, l.position, l.source, l.target, l.type, l.target_record AS "targetRecord",
       t.key AS "targetKey", (SELECT p.id FROM passage AS p WHERE p.ns = :ns AND p.record = l.target_record AND p.ordinal = 0) AS "targetPassage"
     FROM ${tables} ${sql.dialect.join} record AS r ON r.ns = :ns AND r.id = l.record
     LEFT JOIN record AS t ON t.ns = :ns AND t.id = l.target_record
     WHERE l.ns = :ns AND ${condition} AND (l.record, l.position) > (:record, :position)
     ORDER BY l.record, l.position LIMIT :limit`,
    { ns, ...parameters, record: after?.record ?? 0, position: after?.position ?? 0, limit },
  );
  return objectsOf(rows);
}

export async function belongsTo({ sql, ns }: Scope, selector: BelongsToSelector): Promise<BelongsTo[]> {
  const { dialect } = sql;
  const selected = dialect.list('ids', 'integer');
  // Each selected note and the notes that it links to.
  const linkedNotes = `
    SELECT value, value AS via, 0 AS links FROM ${selected} AS selected
    UNION
    SELECT l.target_record, s.value, count(*) OVER (PARTITION BY s.value) FROM ${selected} AS s
      ${dialect.join} link AS l ON l.ns = :ns AND l.record = s.value
      WHERE l.target_record IS NOT NULL`;
  const [column, targets, ids] =
    'notes' in selector
      ? (['note', linkedNotes, selector.notes] as const)
      : ([
          'document',
          `SELECT value, CAST(NULL AS BIGINT) AS via, 0 AS links FROM ${selected} AS selected`,
          selector.documents,
        ] as const);
  const rows = await sql.all(
    `SELECT b.document, b.position, b.note, b.share, b.confidence, coalesce(t.via, b.note) AS via, t.links, r.title AS "noteTitle",
       (SELECT p.id FROM passage AS p WHERE p.ns = b.ns AND p.record = b.document ORDER BY p.ordinal LIMIT 1) AS passage
     FROM (${targets}) AS t ${dialect.join} belongs_to AS b ON b.ns = :ns AND b.${column} = t.value
     ${dialect.join} record AS r ON r.ns = b.ns AND r.id = b.note
     ORDER BY b.document, b.position, via`,
    { ns, ids },
  );
  // A document whose passages are being derived again has none.
  return objectsOf(rows.filter((row) => row['passage'] !== null));
}

/** The records that have one of these names; a name that more than `MAX_BEARERS` records have is left out. */
export async function namedRecords({ sql, ns }: Scope, names: readonly string[]): Promise<NamedRecord[]> {
  const { dialect } = sql;
  // The inner limit keeps a name that thousands of records have from being read in full.
  const rows = await sql.all(
    `SELECT wanted.value AS name, n.record, p.id AS passage FROM ${dialect.list('names', 'text')} AS wanted
     ${dialect.join} name AS n ON n.ns = :ns AND n.kind = 'mention' AND n.name = wanted.value AND n.record IN (
       SELECT b.record FROM name AS b WHERE b.ns = :ns AND b.kind = 'mention' AND b.name = wanted.value
       ORDER BY b.record LIMIT ${String(MAX_BEARERS + 1)})
     LEFT JOIN passage AS p ON p.ns = n.ns AND p.record = n.record AND p.ordinal = 0
     ORDER BY wanted.key, n.record`,
    { ns, names: [...new Set(names)] },
  );
  const byName = Map.groupBy(rows, (row) => row['name'] as string);
  const found = [...byName.values()].filter(({ length }) => length <= MAX_BEARERS).flat();
  return objectsOf(found.filter((row) => row['passage'] !== null));
}

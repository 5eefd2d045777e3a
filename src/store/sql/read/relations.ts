import type { BelongsTo, BelongsToSelector } from '../../graph-model.ts';
import type { LinkCursor, LinkSelector, Page, RecordLink } from '../../model.ts';
import { MAX_BEARERS } from '../../rules/mention-names.ts';
import type { NamedRecord } from '../../search-model.ts';
import { objectsOf } from '../rows.ts';
import type { Dialect, Parameters, Sql } from '../sql.ts';

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
  sql: Sql,
  ns: number,
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

export async function belongsTo(sql: Sql, ns: number, selector: BelongsToSelector): Promise<BelongsTo[]> {
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
export async function namedRecords(sql: Sql, ns: number, names: readonly string[]): Promise<NamedRecord[]> {
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

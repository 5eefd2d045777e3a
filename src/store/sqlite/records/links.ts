import type { LinkCursor, LinkSelector, Page, RecordLink } from '../../model.ts';
import type { LinkType } from '../../rules/link-index.ts';
import type { Database } from '../database/database.ts';

/** The tables that a selector reads and its condition, each with its parameters. */
interface LinkSelection {
  readonly tables: string;
  readonly ids: readonly string[];
  readonly condition: string;
  readonly targets: readonly string[];
}

function selection(selector: LinkSelector): LinkSelection {
  const json = (values: readonly unknown[]): string => JSON.stringify([...new Set(values)]);
  // Without statistics, SQLite would read all links instead of using the smaller indexes.
  if ('from' in selector) {
    const { from, targets } = selector;
    const tables = 'json_each(?) AS wanted CROSS JOIN link AS l';
    const condition = 'l.record = wanted.value';
    if (targets === undefined) return { tables, ids: [json(from)], condition, targets: [] };
    const ofTargets = `${condition} AND l.target IN (SELECT value FROM json_each(?))`;
    return { tables, ids: [json(from)], condition: ofTargets, targets: [json(targets)] };
  }
  if ('to' in selector) {
    return {
      tables: 'json_each(?) AS wanted CROSS JOIN link AS l INDEXED BY link_target',
      ids: [json(selector.to)],
      condition: 'l.target_record = wanted.value',
      targets: [],
    };
  }
  return {
    tables: 'link AS l INDEXED BY link_unresolved',
    ids: [],
    condition: 'l.target_record IS NULL',
    targets: [],
  };
}

export function links(
  db: Database,
  ns: number,
  selector: LinkSelector,
  { after, limit }: Page<LinkCursor>,
): RecordLink[] {
  const { tables, ids, condition, targets } = selection(selector);
  return db
    .prepare(
      `SELECT l.record, r.key, l.position, l.source, l.target, l.type, l.target_record, t.key AS target_key,
         (SELECT p.id FROM passage AS p WHERE p.ns = l.ns AND p.record = l.target_record AND p.ordinal = 0) AS target_passage
       FROM ${tables} CROSS JOIN record AS r ON r.ns = l.ns AND r.id = l.record
       LEFT JOIN record AS t ON t.ns = l.ns AND t.id = l.target_record
       WHERE l.ns = ? AND ${condition} AND (l.record, l.position) > (?, ?) ORDER BY l.record, l.position LIMIT ?`,
    )
    .all(...ids, ns, ...targets, after?.record ?? 0, after?.position ?? 0, limit)
    .map((row) => ({
      record: row['record'] as number,
      key: row['key'] as string,
      position: row['position'] as number,
      source: row['source'] as string,
      target: row['target'] as string,
      type: row['type'] as LinkType,
      targetRecord: row['target_record'] as number | null,
      targetKey: row['target_key'] as string | null,
      targetPassage: row['target_passage'] as number | null,
    }));
}

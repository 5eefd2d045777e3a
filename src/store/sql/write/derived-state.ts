import type { Passage } from '../../../core/types.ts';
import { recordNode } from '../../graph-model.ts';
import { passageColumns, passageOf } from '../rows.ts';
import type { Row, Sql } from '../sql.ts';

export interface PassageRow {
  readonly id: number;
  readonly passage: Passage;
}

/** What is derived of records before they change. */
export interface DerivedState {
  /** The passages of each record that has any, by ordinal. */
  readonly passages: ReadonlyMap<number, readonly PassageRow[]>;
  /** Rows of the table `name`. */
  readonly names: readonly Row[];
  /** Which tables have anything of a record. */
  readonly tables: ReadonlySet<DerivedTables>;
}

/** Edges to notes; nodes and edges of the graph; names and mentions of concepts. */
type DerivedTables = 'belongs_to' | 'graph' | 'concepts';

const NOTHING: DerivedState = { passages: new Map(), names: [], tables: new Set() };

/** What a record that goes may have elsewhere, and how it is found: the table, its column, and the index if that is not the primary key. */
const TABLES: Readonly<
  Record<DerivedTables, readonly (readonly [table: string, column: string, index?: string])[]>
> = {
  belongs_to: [
    ['belongs_to', 'document'],
    ['belongs_to', 'note', 'belongs_to_note'],
  ],
  graph: [
    ['graph_node', 'record', 'graph_node_record'],
    ['graph_edge', 'record', 'graph_edge_record'],
    ['graph_edge', 'dst', 'graph_edge_dst'],
    ['graph_stale', 'record'],
  ],
  concepts: [
    ['concept_record', 'record'],
    ['concept_name', 'record'],
    ['concept_mention', 'record'],
  ],
};

/**
 * Reads the passages and names of the records in one statement.
 * @param leaving those that may be deleted or removed, whose other tables are looked at
 */
export async function derivedState(
  sql: Sql,
  ns: number,
  records: readonly number[],
  leaving: readonly number[] = records,
): Promise<DerivedState> {
  if (records.length === 0) return NOTHING;
  const { dialect } = sql;
  const { list, join, index, isIn } = dialect;
  const isThere = ([table, column, by]: (typeof TABLES)[DerivedTables][number]): string =>
    `EXISTS (SELECT 1 FROM ${table} ${by === undefined ? '' : index(by)}
       WHERE ns = :ns AND ${isIn(column, column === 'dst' ? 'nodes' : 'leaving')})`;
  const present = Object.entries(leaving.length === 0 ? {} : TABLES).map(
    ([name, places]) => `UNION ALL SELECT '${name}', 0, 0, 0, '', '', 0, 0, '', NULL
      WHERE ${places.map(isThere).join(' OR ')}`,
  );
  const rows = await sql.all(
    `SELECT 'passage' AS what, p.id, p.record, ${passageColumns(dialect)} FROM ${list('records', 'integer')} AS w
     ${join} passage AS p ON p.ns = :ns AND p.record = w.value
     UNION ALL SELECT 'name', 0, n.record, 0, n.kind, n.name, 0, 0, '', NULL FROM ${list('records', 'integer')} AS w
     ${join} name AS n ${index('name_record')} ON n.ns = :ns AND n.record = w.value
     ${present.join(' ')}`,
    { ns, records, ...(leaving.length > 0 && { leaving, nodes: leaving.map(recordNode) }) },
  );
  const byTable = Map.groupBy(rows, (row) => String(row['what']));
  const passages = (byTable.get('passage') ?? []).map((row) => ({
    record: Number(row['record']),
    id: Number(row['id']),
    passage: passageOf(row, 'is empty'),
  }));
  passages.sort((a, b) => a.passage.ordinal - b.passage.ordinal);
  return {
    passages: Map.groupBy(passages, ({ record }) => record),
    names: (byTable.get('name') ?? []).map((row) => ({
      ...{ ns, kind: row['headings']!, name: row['text']!, record: row['record']! },
    })),
    tables: new Set((Object.keys(TABLES) as DerivedTables[]).filter((name) => byTable.has(name))),
  };
}

import { LRUCache } from 'lru-cache';
import type { Deadline } from '../../core/time/deadline.ts';
import type { PathGlob } from '../rules/path-glob.ts';

/** The value of a column: whole and real numbers, text, bytes. */
export type SqlValue = string | number | null | Uint8Array<ArrayBuffer>;

export type Row = Readonly<Record<string, SqlValue>>;

/** The values of `:name` in a statement. A list is one parameter, which `Dialect.list`, `rows` and `isIn` read. */
export type Parameters = Readonly<
  Record<string, SqlValue | readonly (string | number)[] | readonly Readonly<Record<string, SqlValue>>[]>
>;

/** What the databases write differently. The results are parts of a statement. */
export interface Dialect {
  /** Whether each statement takes a round trip to a server, so that those which do not depend on one another are sent at once. */
  readonly isRemote: boolean;
  /** Joins two tables in the order in which they are written, where the database lets a statement decide that. */
  readonly join: string;
  /** Follows a table: reads it by this index, where the database lets a statement decide that. */
  readonly index: (name: string) => string;
  /** Follows a table: reads it by its primary key, where the database lets a statement decide that. */
  readonly byKey: string;
  /** The values of a list parameter as a table with the columns `value` and `key`, their position from 0. */
  readonly list: (parameter: string, type: ColumnType) => string;
  /** The objects of a list parameter as a table with these columns. */
  readonly rows: (parameter: string, columns: Readonly<Record<string, ColumnType>>) => string;
  /** Whether the column has one of the values of a list parameter. */
  readonly isIn: (column: string, parameter: string) => string;
  /** The values of a column as a JSON list, as an aggregate, in this order. */
  readonly jsonList: (expression: string, order?: string) => string;
  /** The values of several columns as one JSON list. */
  readonly json: (columns: readonly string[]) => string;
  /** Bytes as text in hexadecimal digits. */
  readonly hex: (column: string) => string;
  /** The condition that a sentence `s` is one of an `embedding`. */
  readonly sentenceOf: string;
  /** The form in which tags are compared: see `foldTag`. */
  readonly foldTag: (expression: string) => string;
  /** Whether the path in a column matches a parameter, which has the value of `globParameter`. */
  readonly matchesGlob: (column: string, parameter: string) => string;
  readonly globParameter: (glob: PathGlob) => string;
  /** The time of the database, in microseconds: it is the same for all processes, whatever their clocks are. */
  readonly now: string;
  /** The entries of a JSON list in a column as a table with the column `value`; none if it cannot be read. */
  readonly entries: (column: string) => string;
  /** Whether the JSON object in a column has this key with the value `true`. */
  readonly isTrue: (column: string, key: string) => string;
  /** Whether the text in a column is JSON. */
  readonly isJson: (column: string) => string;
  /** Whether `storedTexts` reads the column. */
  readonly isTextList: (column: string) => string;
  /** Whether `storedObject` reads the column. */
  readonly isObject: (column: string) => string;
  /** Ends a query of rows that no other transaction may change before this one ends. It waits for others, and reads what they wrote. */
  readonly forUpdate: string;
}

export type ColumnType = 'integer' | 'real' | 'text';

/**
 * A connection to a database, and all that the statements of both databases need of it. Every statement has the namespace in its
 * conditions. Bulk writes take one round trip, whatever the number of their rows.
 */
export interface Sql {
  readonly dialect: Dialect;
  all(statement: string, parameters?: Parameters): Promise<Row[]>;
  /** The first row. */
  get(statement: string, parameters?: Parameters): Promise<Row | undefined>;
  /** Returns the number of changed rows. */
  run(statement: string, parameters?: Parameters): Promise<number>;
  /**
   * Changes rows. Within a transaction, the statement may still run when the promise resolves, as with `write`, `update` and `remove`.
   * Later statements see its changes, and if it fails, the transaction fails.
   */
  change(statement: string, parameters?: Parameters): Promise<void>;
  /**
   * Adds rows, all of which have the same columns. A row whose key is there fails, replaces those columns of the other, or is
   * skipped.
   */
  write(table: Table, rows: readonly Row[], onConflict?: 'fail' | 'replace' | 'skip'): Promise<void>;
  /** Sets columns of the rows that have these keys. Keys without a row are skipped. */
  update(table: Table, rows: readonly Row[]): Promise<void>;
  /** Removes the rows that have these values in these columns. */
  remove(table: Table, rows: readonly Row[]): Promise<void>;
  /**
   * Runs the work in a transaction, in which it may write; within one, as a part of it.
   * @param locked what the work locks: it waits for other work of this process in the same namespace that locks the same
   */
  transaction<Result>(work: () => Promise<Result>, locked?: 'namespace' | 'lease'): Promise<Result>;
  /** Runs the work on one state of the database, whatever others write meanwhile. */
  snapshot<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Runs the work, which reads and writes the rows of this namespace only: some databases see to it. */
  inNamespace<Result>(namespace: string, work: () => Promise<Result>): Promise<Result>;
  /**
   * Runs work of a snapshot whose statements end before the deadline. Returns `null` if the database had to stop one; the others of
   * the snapshot go on.
   */
  within<Result>(deadline: Deadline, work: () => Promise<Result>): Promise<Result | null>;
}

/**
 * Runs parts of work that do not depend on one another: at once if a statement takes a round trip, else one after the other. None of
 * them still runs when the result is there.
 */
export async function atOnce<Results extends unknown[]>(
  { dialect }: Sql,
  parts: { readonly [Part in keyof Results]: () => Promise<Results[Part]> },
): Promise<Results> {
  const results: unknown[] = [];
  if (!dialect.isRemote) {
    for (const part of parts) results.push(await part());
    return results as Results;
  }
  for (const settled of await Promise.allSettled(parts.map((part) => part()))) {
    if (settled.status === 'rejected') throw settled.reason;
    results.push(settled.value);
  }
  return results as Results;
}

/** The tables that both databases have, with the columns of their keys. */
export const KEYS = {
  namespace: ['id'],
  namespace_state: ['ns'],
  generation: ['id'],
  record: ['ns', 'id'],
  passage: ['id'],
  embedding: ['ns', 'generation', 'hash'],
  change: ['ns', 'record'],
  link: ['ns', 'record', 'position'],
  belongs_to: ['ns', 'document', 'position'],
  name: ['ns', 'kind', 'name', 'record'],
  graph_node: ['ns', 'key'],
  graph_edge: ['ns', 'src', 'type', 'dst'],
  graph_stale: ['ns', 'record'],
  graph_progress: ['ns'],
  concept_record: ['ns', 'record'],
  concept_name: ['ns', 'record', 'key'],
  concept_mention: ['ns', 'record', 'key'],
  concept_changed: ['ns', 'project', 'key'],
  concept_progress: ['ns'],
  audit: ['ns', 'chain', 'seq'],
  audit_attachment: ['ns', 'chain', 'first_seq'],
  item: ['ns', 'kind', 'key'],
  lease: ['namespace', 'name'],
  quota: ['ns'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Table = keyof typeof KEYS;

/** The columns of rows that are written, which all have the same. */
export function columnsOf(rows: readonly Row[]): string[] {
  return rows[0] === undefined ? [] : Object.keys(rows[0]);
}

/** What happens to a row whose key is there. */
export function conflictClause(
  table: Table,
  columns: readonly string[],
  onConflict: 'fail' | 'replace' | 'skip',
): string {
  if (onConflict === 'fail') return '';
  const keys: readonly string[] = KEYS[table];
  const changed = columns.filter((column) => !keys.includes(column));
  const action =
    onConflict === 'skip' || changed.length === 0
      ? 'NOTHING'
      : `UPDATE SET ${changed.map((column) => `${column} = excluded.${column}`).join(', ')}`;
  return ` ON CONFLICT (${keys.join(', ')}) DO ${action}`;
}

/** How many namespaces a connection knows the ids of, and for how long: one that is removed and made again has another. */
const MAX_NAMESPACES = 1000;
const NAMESPACE_TTL_MS = 10_000;
/** None is remembered that may be rolled back. */
const NAMESPACES = new WeakMap<Sql, LRUCache<string, number>>();

/** The id of a namespace; `null` if nothing was written to it. Not after it was created within a transaction. */
export async function findNamespace(sql: Sql, name: string): Promise<number | null> {
  const known =
    NAMESPACES.get(sql) ?? new LRUCache<string, number>({ max: MAX_NAMESPACES, ttl: NAMESPACE_TTL_MS });
  NAMESPACES.set(sql, known);
  const id = known.get(name);
  if (id !== undefined) return id;
  const row = await sql.get('SELECT id FROM namespace WHERE name = :name', { name });
  if (row === undefined) return null;
  known.set(name, Number(row['id']));
  return Number(row['id']);
}

/** For a namespace that is gone: another one of this name has another id. */
export function forgetNamespace(sql: Sql, name: string): void {
  NAMESPACES.get(sql)?.delete(name);
}

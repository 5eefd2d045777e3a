import { AsyncLocalStorage } from 'node:async_hooks';
import { type ClientBase, escapeLiteral, type Pool, type QueryConfig, type QueryResult } from 'pg';
import { LociError } from '../../core/errors.ts';
import type { Deadline } from '../../core/time/deadline.ts';
import { globExpression } from '../rules/path-glob.ts';
import {
  columnsOf,
  conflictClause,
  type ColumnType,
  type Dialect,
  KEYS,
  type Parameters,
  type Row,
  type Sql,
  type Table,
} from '../sql/sql.ts';
import { encoded, jsonOf, type Statement, statementOf } from './parameters.ts';
import {
  ANSWER_TIMEOUT_MS,
  BEGUN,
  isCommitted,
  runLimited,
  type Session,
  TRANSACTION_ID,
  type TransactionId,
} from './connections.ts';
import {
  guarded,
  isCancelled,
  isConflict,
  isConnectionLost,
  isDenied,
  isMadeMeanwhile,
} from './store-error.ts';

const TYPES: Readonly<Record<ColumnType, string>> = { integer: 'bigint', real: 'float8', text: 'text' };

/** The tables have CHECK constraints that keep what is not JSON out of their columns. */
const POSTGRES_DIALECT: Dialect = {
  isRemote: true,
  join: 'JOIN',
  index: () => '',
  byKey: '',
  list: (parameter, type) =>
    `(SELECT each.value, each.ordinality - 1 AS key
      FROM unnest(:${parameter}::${TYPES[type]}[]) WITH ORDINALITY AS each(value, ordinality))`,
  rows: (parameter, columns) => {
    const types = Object.entries(columns).map(([name, type]) => `${name} ${TYPES[type]}`);
    return `(SELECT * FROM jsonb_to_recordset(:${parameter}::jsonb) AS each(${types.join(', ')}))`;
  },
  isIn: (column, parameter) => `${column} = ANY(:${parameter})`,
  jsonList: (expression, order) =>
    `coalesce(json_agg(${expression}${order === undefined ? '' : ` ORDER BY ${order}`}), '[]'::json)`,
  json: (columns) => `json_build_array(${columns.join(', ')})`,
  hex: (column) => `encode(${column}, 'hex')`,
  sentenceOf: 's.ns = embedding.ns AND s.vector = embedding.id',
  foldTag: (expression) => `loci_fold_tag(${expression})`,
  matchesGlob: (column, parameter) => `loci_fold_tag(${column}) ~ :${parameter}`,
  globParameter: globExpression,
  now: '(1000000 * extract(epoch FROM clock_timestamp()))::bigint',
  // By code point, whatever the collation of the database is.
  entries: (column) =>
    `LATERAL (SELECT each.value COLLATE "C" AS value FROM json_array_elements_text(${column}::json) AS each(value))`,
  isTrue: (column, key) => `coalesce((${column}::json -> '${key}')::text = 'true', FALSE)`,
  isJson: () => 'TRUE',
  isTextList: () => 'TRUE',
  isObject: () => 'TRUE',
};

/**
 * The settings of a transaction. They end with it, because a connection may be that of PgBouncer, which gives it to others afterwards. A
 * search with the index of vectors looks at 200 candidates, then at more as long as too few pass the filter. Compiling a statement takes
 * longer than running it.
 */
const SETTINGS = {
  ...{
    statement_timeout: '60s',
    lock_timeout: '10s',
    idle_in_transaction_session_timeout: '60s',
    jit: 'off',
  },
  ...{ 'hnsw.ef_search': '200', 'hnsw.iterative_scan': 'relaxed_order', 'hnsw.max_scan_tuples': '4000' },
};
/** One statement, because each takes the server as long as a small query. */
export const SET: string = `SELECT ${Object.entries(SETTINGS)
  .map(([name, value]) => `set_config('${name}', '${value}', TRUE)`)
  .join(', ')}`;
const SNAPSHOT = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${SET}`;
const TRANSACTION = `BEGIN; ${SET}`;
/** How long the answer to a statement of a transaction may take: longer than the server lets it run. In milliseconds. */
const STATEMENT_TIMEOUT_MS = 65_000;
/** The longest time of a timer. 0 would be the default of the pool. */
const NO_TIMEOUT = 2 ** 31 - 1;

/**
 * The statements of both databases, run by PostgreSQL. Statements outside of a transaction take any connection of the pool; those of a
 * transaction, which `AsyncLocalStorage` follows through the calls, take the same one. A connection sends statements without waiting
 * for the answers to those before (`pipeline` of `pg`): what is sent at once takes one round trip.
 */
export class PostgresSql implements Sql {
  readonly dialect: Dialect = POSTGRES_DIALECT;
  readonly #pool: Pool;
  readonly #session = new AsyncLocalStorage<Session>();
  readonly #namespace = new AsyncLocalStorage<string>();
  /** The namespace that the transaction of a connection was told. */
  readonly #told = new WeakMap<ClientBase, string>();
  #hasPolicies = false;
  /** The type of each column, by `TABLE COLUMN`. */
  #types: ReadonlyMap<string, string> = new Map();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Reads the types of the columns that are written. */
  async readTypes(): Promise<void> {
    const rows = await this.all(
      `SELECT c.relname AS "table", a.attname AS column, a.atttypid::regtype::text AS type
       FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
       WHERE c.relkind = 'r' AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'loci_store'::regclass) AND a.attnum > 0`,
    );
    this.#types = new Map(
      rows.map(({ table, column, type }) => [`${String(table)} ${String(column)}`, String(type)]),
    );
  }

  /**
   * Finds out whether the policies of the tables apply to this user, as they do to all but their owner. Such a user sees the rows of
   * the namespace only that a transaction was told.
   */
  async findPolicies(): Promise<boolean> {
    this.#hasPolicies = (await this.get("SELECT row_security_active('record') AS active"))?.['active'] === 1;
    return this.#hasPolicies;
  }

  inNamespace<Result>(namespace: string, work: () => Promise<Result>): Promise<Result> {
    return this.#namespace.run(namespace, work);
  }

  async all(statement: string, parameters: Parameters = {}): Promise<Row[]> {
    return (await this.#answer(statementOf(statement, parameters))).rows as Row[];
  }

  async get(statement: string, parameters: Parameters = {}): Promise<Row | undefined> {
    return (await this.all(statement, parameters))[0];
  }

  async run(statement: string, parameters: Parameters = {}): Promise<number> {
    return (await this.#answer(statementOf(statement, parameters))).rowCount ?? 0;
  }

  async change(statement: string, parameters: Parameters = {}): Promise<void> {
    await this.#change(statementOf(statement, parameters));
  }

  async write(
    table: Table,
    rows: readonly Row[],
    onConflict: 'fail' | 'replace' | 'skip' = 'fail',
  ): Promise<void> {
    const columns = columnsOf(rows).join(', ');
    await this.#forRows(
      rows,
      `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${this.#given(table, rows)}
       ${conflictClause(table, columnsOf(rows), onConflict)}`,
    );
  }

  async update(table: Table, rows: readonly Row[]): Promise<void> {
    const keys: readonly string[] = KEYS[table];
    const changed = columnsOf(rows).filter((column) => !keys.includes(column));
    const set = changed.map((column) => `${column} = given.${column}`).join(', ');
    await this.#forRows(
      rows,
      `UPDATE ${table} SET ${set} FROM ${this.#given(table, rows)}
       WHERE ${equal(table, keys)}`,
    );
  }

  async remove(table: Table, rows: readonly Row[]): Promise<void> {
    await this.#forRows(
      rows,
      `DELETE FROM ${table} USING ${this.#given(table, rows)}
       WHERE ${equal(table, columnsOf(rows))}`,
    );
  }

  async insert(table: 'passage', rows: readonly Row[]): Promise<number[]> {
    if (rows.length === 0) return [];
    const columns = columnsOf(rows).join(', ');
    const inserted = await this.#answer({
      text: `INSERT INTO ${table} (id, ${columns}) SELECT nextval('${table}_id'), ${columns} FROM ${this.#given(table, rows)} RETURNING id`,
      values: [jsonOf(rows)],
    });
    return (inserted.rows as { id: number }[]).map(({ id }) => id);
  }

  async lock(table: 'namespace' | 'lease', row: Row): Promise<boolean> {
    const conditions = Object.keys(row).map((column) => `${column} = :${column}`);
    return (await this.run(`SELECT 1 FROM ${table} WHERE ${conditions.join(' AND ')} FOR UPDATE`, row)) > 0;
  }

  /** Runs statements that make tables and indexes, which concern no namespace. Outside of a transaction they may take any time. */
  async script(text: string): Promise<void> {
    const client = this.#session.getStore()?.client;
    const statement = { text, query_timeout: client === undefined ? NO_TIMEOUT : STATEMENT_TIMEOUT_MS };
    await guarded(() => (client ?? this.#pool).query(statement as QueryConfig));
  }

  /** Runs a statement that makes or drops an index, unless the user may not, or another process does so at the same time. */
  async make(text: string): Promise<'done' | 'denied' | 'in conflict'> {
    try {
      await this.script(text);
      return 'done';
    } catch (error) {
      if (isDenied(error)) return 'denied';
      if (isConflict(error) || isMadeMeanwhile(error)) return 'in conflict';
      throw error;
    }
  }

  /** A conflict with another transaction and a lost connection are tried once more. */
  async transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#session.getStore() !== undefined) return work();
    return guarded(async () => {
      const first = await this.#attempt(work);
      if ('result' in first) return first.result;
      const second = await this.#attempt(work);
      if ('result' in second) return second.result;
      throw second.error;
    });
  }

  async snapshot<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#session.getStore() !== undefined) return work();
    const begin = (client: ClientBase): Session =>
      sessionOf(client, true, client.query(`${SNAPSHOT}; ${this.#tell(client)} ${BEGUN}`));
    return guarded(() => this.#connected(begin, work, () => 'goes on'));
  }

  async within<Result>(deadline: Deadline, work: () => Promise<Result>): Promise<Result | null> {
    const session = this.#session.getStore();
    if (session === undefined || deadline.left === Infinity) return work();
    try {
      return await this.#session.run({ ...session, deadline }, work);
    } catch (error) {
      if (isCancelled(error)) return null;
      throw error;
    }
  }

  /** Returns the error of a transaction that changed nothing and may be tried again. */
  async #attempt<Result>(
    work: () => Promise<Result>,
  ): Promise<{ readonly result: Result } | { readonly error: unknown }> {
    const outcome: { transaction?: TransactionId; done?: { readonly result: Result } } = {};
    try {
      const begin = (client: ClientBase): Session =>
        sessionOf(
          client,
          false,
          client.query(`${TRANSACTION}; ${this.#tell(client)} SELECT ${TRANSACTION_ID}`),
        );
      await this.#connected(begin, work, (result, begun) => {
        outcome.transaction = (begun as { rows: TransactionId[] }[]).at(-1)!.rows[0]!;
        outcome.done = { result };
        return 'waits';
      });
      return outcome.done!;
    } catch (error) {
      if (isConflict(error)) return { error };
      if (!isConnectionLost(error)) throw error;
      // What was not finished cannot be committed.
      const { transaction, done } = outcome;
      if (transaction === undefined || done === undefined) return { error };
      return (await isCommitted(this.#pool, transaction)) ? done : { error };
    }
  }

  /**
   * Runs a transaction, and ends it. Nobody else gets the connection before it has ended, because PgBouncer may then give this process
   * another one.
   * @param begin sends what the transaction begins with
   */
  async #connected<Result>(
    begin: (client: ClientBase) => Session,
    work: () => Promise<Result>,
    atCommit: (result: Result, begun: unknown) => 'waits' | 'goes on',
  ): Promise<Result> {
    const client = await this.#pool.connect();
    this.#told.delete(client);
    const session = begin(client);
    const end = async (text: 'COMMIT' | 'ROLLBACK'): Promise<void> => {
      // It is answered after what was sent before it.
      const wait = { query_timeout: session.sent.last === null ? ANSWER_TIMEOUT_MS : STATEMENT_TIMEOUT_MS };
      const ended = client.query({ text, ...wait } as QueryConfig);
      const { command } = await ended.catch((error: unknown) => {
        client.release(error as Error);
        throw error;
      });
      client.release();
      // A transaction with a failed statement is rolled back by its `COMMIT`, which is no error for the server.
      if (command === text) return;
      await session.sent.last;
      throw session.sent.failure ?? new LociError('store_failed', 'PostgreSQL rolled the transaction back');
    };
    // The work is sent together with what the transaction begins with. If that fails, its error says more than that of the work.
    const [begun, done] = await Promise.allSettled([session.begun, this.#session.run(session, work)]);
    if (begun.status === 'rejected' || done.status === 'rejected') {
      await end('ROLLBACK').catch(() => undefined);
      throw (begun.status === 'rejected' ? begun : (done as PromiseRejectedResult)).reason;
    }
    const whether = atCommit(done.value, begun.value);
    const ended = end('COMMIT');
    if (whether === 'waits') await ended;
    // Nothing depends on the end of what only read: a connection that fails is replaced.
    else ended.catch(() => undefined);
    return done.value;
  }

  #query({ text, values }: Statement): Promise<QueryResult> {
    const session = this.#session.getStore();
    const statement = { text, ...(values.length > 0 && { values: [...values] }) };
    return guarded(async () => {
      if (session === undefined)
        return this.#hasPolicies ? this.#alone(statement) : this.#pool.query(statement);
      const { client, deadline } = session;
      const tell = this.#tell(client);
      const [, answer] = await Promise.all([
        // Rolling back to the savepoint would undo a setting that was made after it.
        tell === '' ? null : client.query(session.isSnapshot ? `${tell} ${BEGUN}` : tell),
        deadline === undefined
          ? client.query({ ...statement, query_timeout: STATEMENT_TIMEOUT_MS } as QueryConfig)
          : runLimited(session, deadline, statement),
      ]);
      return answer;
    });
  }

  async #answer(statement: Statement): Promise<QueryResult> {
    try {
      return await this.#query(statement);
    } catch (error) {
      const sent = this.#session.getStore()?.sent;
      await sent?.last;
      // After a statement that failed, the server refuses all others of the transaction.
      throw sent?.failure ?? error;
    }
  }

  /** Within a transaction, it does not wait for the answer: later statements of the connection see the change, and fail if it failed. */
  async #change(statement: Statement): Promise<void> {
    const session = this.#session.getStore();
    if (session === undefined) {
      await this.#query(statement);
      return;
    }
    // If the transaction has not begun, the server would commit the change by itself.
    await session.begun;
    const { sent } = session;
    sent.last = this.#query(statement).then(
      () => undefined,
      (error: unknown) => {
        sent.failure ??= error as Error;
      },
    );
  }

  /** Runs one statement in a transaction of its own, which can be told its namespace. */
  async #alone(statement: QueryConfig): Promise<QueryResult> {
    const client = await this.#pool.connect();
    this.#told.delete(client);
    // After an error, the server rolls back instead of committing.
    const [begun, answer, ended] = await Promise.allSettled([
      client.query(`BEGIN; ${this.#tell(client)}`),
      client.query(statement),
      client.query('COMMIT'),
    ]);
    client.release(ended.status === 'rejected');
    for (const each of [begun, answer, ended]) if (each.status === 'rejected') throw each.reason;
    return (answer as PromiseFulfilledResult<QueryResult>).value;
  }

  /** The statement that tells a transaction its namespace; empty if the transaction was told. It ends with the transaction, as the settings do. */
  #tell(client: ClientBase): string {
    const namespace = this.#namespace.getStore();
    if (!this.#hasPolicies || namespace === undefined || this.#told.get(client) === namespace) return '';
    this.#told.set(client, namespace);
    return `SET LOCAL loci.namespace = ${escapeLiteral(`:${encoded(namespace)}`)};`;
  }

  /** The rows as a table `given`. */
  #given(table: Table, rows: readonly Row[]): string {
    const columns = columnsOf(rows).map((column) => `${column} ${this.#types.get(`${table} ${column}`)!}`);
    return `jsonb_to_recordset($1::jsonb) AS given(${columns.join(', ')})`;
  }

  async #forRows(rows: readonly Row[], text: string): Promise<void> {
    if (rows.length > 0) await this.#change({ text, values: [jsonOf(rows)] });
  }
}

function equal(table: Table, columns: readonly string[]): string {
  return columns.map((column) => `${table}.${column} = given.${column}`).join(' AND ');
}

function sessionOf(client: ClientBase, isSnapshot: boolean, begun: Promise<unknown>): Session {
  return { client, begunAt: performance.now(), isSnapshot, begun, sent: { last: null, failure: undefined } };
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { type ClientBase, escapeLiteral, type QueryConfig, type QueryResult } from 'pg';
import { LociError } from '../../core/errors.ts';
import type { Deadline } from '../../core/time/deadline.ts';
import { publishSlowStatement, type StoreActivity } from '../sql/calls/activity.ts';
import { globExpression } from '../rules/path-glob.ts';
import type { CallName } from '../sql/calls/calls.ts';
import {
  columnsOf,
  conflictClause,
  type ColumnType,
  type Dialect,
  findNamespace,
  KEYS,
  type Parameters,
  type Row,
  type Sql,
  type Table,
} from '../sql/sql.ts';
import { encoded, jsonOf, type Statement, statementOf } from './parameters.ts';
import { isCommitted, TRANSACTION_ID, type TransactionId } from './connections.ts';
import {
  ANSWER_TIMEOUT_MS,
  type Connection,
  type ConnectionPool,
  LOCK_TIMEOUT_MS,
  type Use,
} from './pool.ts';
import { Snapshot, STATEMENT_LIMIT, STATEMENT_TIMEOUT_MS } from './snapshot.ts';
import {
  guarded,
  isAborted,
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
  forUpdate: 'FOR UPDATE',
};

/**
 * The settings of a transaction. They end with it, because a connection may be that of PgBouncer, which gives it to others afterwards. A
 * search with the index of vectors looks at 200 candidates, then at more as long as too few pass the filter. Compiling a statement takes
 * longer than running it. What is read is mostly in memory, where a page takes as long as the one after it.
 */
const SETTINGS = {
  ...{
    statement_timeout: STATEMENT_LIMIT,
    lock_timeout: `${String(LOCK_TIMEOUT_MS)}ms`,
    idle_in_transaction_session_timeout: '60s',
    jit: 'off',
    random_page_cost: '1.1',
  },
  ...{ 'hnsw.ef_search': '200', 'hnsw.iterative_scan': 'relaxed_order', 'hnsw.max_scan_tuples': '4000' },
};
/**
 * One statement, because each takes the server as long as a small query.
 * @param changed values in the notation of SQL
 * @param columns that it reads as well
 */
export function settingsStatement(
  changed: Partial<Record<keyof typeof SETTINGS, string>> = {},
  ...columns: readonly string[]
): string {
  const settings = Object.entries({ ...quotedSettings(), ...changed });
  const set = settings.map(([name, value]) => `set_config('${name}', ${value}, TRUE)`);
  return `SELECT ${[...set, ...columns].join(', ')};`;
}

function quotedSettings(): Record<string, string> {
  return Object.fromEntries(Object.entries(SETTINGS).map(([name, value]) => [name, `'${value}'`]));
}

/** A connection that is used until its transaction ends. */
interface Session {
  readonly client: ClientBase;
}

interface ReadingSession extends Session {
  readonly snapshot: Snapshot;
  /** When its statements have to end. */
  readonly deadline?: Deadline;
  readonly sent?: undefined;
}

interface WritingSession extends Session {
  /** The answer to what it begins with. */
  readonly begun: Promise<unknown>;
  /** Of statements that were sent without waiting for their answers: the end of the last one, and the error of the first that failed. */
  readonly sent: { last: Promise<void> | null; failure: Error | undefined };
  readonly snapshot?: undefined;
  readonly deadline?: undefined;
}

/** More statements would wait for one another, which the server could run at the same time. */
const MAX_TOGETHER = 4;

interface Waiting {
  readonly statement: QueryConfig;
  readonly call: CallScope;
  readonly resolve: (answer: Promise<QueryResult>) => void;
}

/** The longest time of a timer. 0 would be the default of the pool. */
const NO_TIMEOUT = 2 ** 31 - 1;

/** A call of the store, or a part of one. */
interface CallScope {
  /** Its statements read and write the rows of this namespace only. */
  readonly namespace: string;
  /** Whose connections it takes. */
  readonly use: Use;
  /** Its name; none for a part of opening the store. */
  readonly name?: CallName;
}

/** Of work on all namespaces, such as a copy. */
const NO_CALL: CallScope = { namespace: '', use: 'write' };

/**
 * The statements of both databases, run by PostgreSQL. Statements outside of a transaction take any connection of the pool; those of a
 * transaction, which `AsyncLocalStorage` follows through the calls, take the same one. A connection sends statements without waiting
 * for the answers to those before (`pipeline` of `pg`): what is sent at once takes one round trip.
 */
export class PostgresSql implements Sql {
  readonly dialect: Dialect = POSTGRES_DIALECT;
  readonly #pool: ConnectionPool;
  readonly #session = new AsyncLocalStorage<ReadingSession | WritingSession>();
  readonly #call = new AsyncLocalStorage<CallScope>();
  /** The namespace that the transaction of a connection was told. */
  readonly #told = new WeakMap<ClientBase, string>();
  /** When a connection gave its last answer. */
  readonly #answeredAt = new WeakMap<ClientBase, number>();
  /** Statements outside of transactions that are sent in this turn of the event loop, by use and namespace. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #slowStatementMs: number;
  #slowStatements = 0;
  #hasPolicies = false;
  /** The type of each column, by `TABLE COLUMN`. */
  #types: ReadonlyMap<string, string> = new Map();

  /** @param slowStatementMs a statement that takes longer is reported; 0 for none */
  constructor(pool: ConnectionPool, slowStatementMs = 0) {
    this.#pool = pool;
    this.#slowStatementMs = slowStatementMs;
  }

  get activity(): Omit<StoreActivity, 'isReplicaReachable'> {
    return { ...this.#pool.activity, slowStatements: this.#slowStatements };
  }

  /** Reads the types of the columns that are written. */
  async readTypes(): Promise<void> {
    const rows = await this.all(
      `SELECT c.relname AS "table", a.attname AS column, a.atttypid::regtype::text AS type
       FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
       WHERE c.relkind IN ('r', 'p') AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'loci_store'::regclass) AND a.attnum > 0`,
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
    return this.inCall({ ...(this.#call.getStore() ?? NO_CALL), namespace }, work);
  }

  inCall<Result>(call: CallScope, work: () => Promise<Result>): Promise<Result> {
    return this.#call.run(call, work);
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

  /** Runs statements that make tables and indexes, which concern no namespace. Outside of a transaction they may take any time. */
  async script(text: string): Promise<void> {
    const client = this.#session.getStore()?.client;
    const statement = { text, query_timeout: client === undefined ? NO_TIMEOUT : STATEMENT_TIMEOUT_MS };
    await guarded(() => client?.query(statement as QueryConfig) ?? this.#pool.query('write', '', statement));
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
  async transaction<Result>(
    work: () => Promise<Result>,
    locked: 'namespace' | 'lease' = 'namespace',
  ): Promise<Result> {
    if (this.#session.getStore() !== undefined) return work();
    const twice = async (lockTimeoutMs: number): Promise<Result> => {
      const first = await this.#attempt(work, lockTimeoutMs);
      if ('result' in first) return first.result;
      const second = await this.#attempt(work, lockTimeoutMs);
      if ('result' in second) return second.result;
      throw second.error;
    };
    const namespace = this.#call.getStore()?.namespace;
    return guarded(() =>
      namespace === undefined ? twice(LOCK_TIMEOUT_MS) : this.#pool.inTurn(`${locked} ${namespace}`, twice),
    );
  }

  async snapshot<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#session.getStore() !== undefined) return work();
    return guarded(async () => {
      const { client, release } = await this.#connect();
      const snapshot = new Snapshot(client, {
        begin: (statement_timeout) => {
          this.#told.delete(client);
          const settings = settingsStatement({ statement_timeout });
          return `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${settings} ${this.#tell(client)}`;
        },
        next: () => this.#tell(client),
      });
      try {
        return await this.#session.run({ client, snapshot }, work);
      } finally {
        snapshot.end().then(() => release(), release);
      }
    });
  }

  async within<Result>(deadline: Deadline, work: () => Promise<Result>): Promise<Result | null> {
    const session = this.#session.getStore();
    if (session?.snapshot === undefined || deadline.left === Infinity) return work();
    try {
      return await this.#session.run({ ...session, deadline }, work);
    } catch (error) {
      if (isCancelled(error) || isAborted(error)) return null;
      throw error;
    }
  }

  /** Returns the error of a transaction that changed nothing and may be tried again. */
  async #attempt<Result>(
    work: () => Promise<Result>,
    lockTimeoutMs: number,
  ): Promise<{ readonly result: Result } | { readonly error: unknown }> {
    const outcome: { transaction?: TransactionId; done?: { readonly result: Result } } = {};
    try {
      await this.#connected(work, lockTimeoutMs, (result, begun) => {
        outcome.transaction = (begun as { rows: TransactionId[] }[]).at(-1)!.rows[0]!;
        outcome.done = { result };
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
   */
  async #connected<Result>(
    work: () => Promise<Result>,
    lockTimeoutMs: number,
    atCommit: (result: Result, begun: unknown) => void,
  ): Promise<void> {
    const { client, release } = await this.#connect();
    const settings = settingsStatement({ lock_timeout: `'${String(lockTimeoutMs)}ms'` }, TRANSACTION_ID);
    const session = {
      client,
      begun: client.query(`BEGIN; ${this.#tell(client)} ${settings}`),
      sent: { last: null, failure: undefined },
    } as WritingSession;
    const end = async (text: 'COMMIT' | 'ROLLBACK'): Promise<void> => {
      // It is answered after what was sent before it.
      const wait = { query_timeout: session.sent.last === null ? ANSWER_TIMEOUT_MS : STATEMENT_TIMEOUT_MS };
      const ended = client.query({ text, ...wait } as QueryConfig);
      const { command } = await this.#timed(client, ended).catch((error: unknown) => {
        release(error as Error);
        throw error;
      });
      release();
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
    atCommit(done.value, begun.value);
    await end('COMMIT');
  }

  /** A connection that was told no namespace. */
  async #connect(): Promise<Connection> {
    const { use, namespace } = this.#call.getStore() ?? NO_CALL;
    const connection = await this.#pool.connect(use, namespace);
    this.#told.delete(connection.client);
    return connection;
  }

  #query({ text, values }: Statement): Promise<QueryResult> {
    const session = this.#session.getStore();
    const statement = { text, ...(values.length > 0 && { values: [...values] }) };
    return guarded(async () => {
      if (session === undefined) return this.#together(statement);
      const { client, snapshot, deadline } = session;
      if (snapshot !== undefined)
        return this.#timed(
          client,
          deadline === undefined ? snapshot.query(statement) : snapshot.queryWithin(deadline, statement),
        );
      const tell = this.#tell(client);
      const [, answer] = await Promise.all([
        tell === '' ? null : client.query(tell),
        this.#timed(
          client,
          client.query({ ...statement, query_timeout: STATEMENT_TIMEOUT_MS } as QueryConfig),
        ),
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
    if (session?.sent === undefined) {
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

  /**
   * Runs one statement. Those of a namespace that are asked for at once share a connection, because it takes them without waiting, and
   * a new one would take several round trips.
   */
  #together(statement: QueryConfig): Promise<QueryResult> {
    const call = this.#call.getStore() ?? NO_CALL;
    const key = `${call.use} ${call.namespace}`;
    return new Promise((resolve) => {
      const others = this.#waiting.get(key);
      if (others !== undefined && others.length < MAX_TOGETHER) {
        others.push({ statement, call, resolve });
        return;
      }
      const waiting = [{ statement, call, resolve }];
      this.#waiting.set(key, waiting);
      setImmediate(() => {
        if (this.#waiting.get(key) === waiting) this.#waiting.delete(key);
        void this.#sendTogether(waiting);
      });
    });
  }

  async #sendTogether(waiting: readonly Waiting[]): Promise<void> {
    const connected = this.#connect();
    const answers = waiting.map(({ statement, call, resolve }) => {
      const answer = connected.then(({ client }) => this.inCall(call, () => this.#alone(client, statement)));
      resolve(answer);
      return answer;
    });
    const settled = await Promise.allSettled(answers);
    const connection = await connected.catch(() => null);
    connection?.release(settled.some(({ status }) => status === 'rejected'));
  }

  /** Runs one statement, in a transaction of its own if that has to be told its namespace. */
  async #alone(client: ClientBase, statement: QueryConfig): Promise<QueryResult> {
    if (!this.#hasPolicies) return this.#timed(client, client.query(statement));
    this.#told.delete(client);
    // After an error, the server rolls back instead of committing.
    const [begun, answer, ended] = await Promise.allSettled([
      client.query(`BEGIN; ${this.#tell(client)}`),
      this.#timed(client, client.query(statement)),
      client.query('COMMIT'),
    ]);
    for (const each of [begun, answer, ended]) if (each.status === 'rejected') throw each.reason;
    return (answer as PromiseFulfilledResult<QueryResult>).value;
  }

  /** Waits for the answer to a statement, and reports one that took long. It does not begin before those that were sent before it have ended. */
  async #timed<Answer>(client: ClientBase, sent: Promise<Answer>): Promise<Answer> {
    const sentAt = performance.now();
    try {
      return await sent;
    } finally {
      const began = Math.max(sentAt, this.#answeredAt.get(client) ?? 0);
      const answeredAt = performance.now();
      this.#answeredAt.set(client, answeredAt);
      const milliseconds = Math.round(answeredAt - began);
      if (this.#slowStatementMs > 0 && milliseconds > this.#slowStatementMs)
        void this.#reportSlow(milliseconds);
    }
  }

  async #reportSlow(milliseconds: number): Promise<void> {
    this.#slowStatements += 1;
    const { name: call = null, namespace, use } = this.#call.getStore() ?? NO_CALL;
    // Not by the transaction, and not for the statement that reads the id.
    const readId = (): Promise<number | null> =>
      this.#session.exit(() => this.inCall({ namespace, use }, () => findNamespace(this, namespace)));
    const namespaceId = call === null ? null : await readId().catch(() => null);
    publishSlowStatement({ call, namespaceId, milliseconds });
  }

  /** The statement that tells a transaction its namespace; empty if the transaction was told. It ends with the transaction, as the settings do. */
  #tell(client: ClientBase): string {
    const namespace = this.#call.getStore()?.namespace;
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

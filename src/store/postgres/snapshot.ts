import type { ClientBase, QueryConfig, QueryResult } from 'pg';
import type { Deadline } from '../../core/time/deadline.ts';
import { ANSWER_TIMEOUT_MS } from './pool.ts';
import { isAborted, isCancelled } from './store-error.ts';

/** The time that the server lets a statement run without a limit of its own. */
export const STATEMENT_LIMIT = '60s';
/** How long the answer to such a statement may take: longer than the server lets it run. In milliseconds. */
export const STATEMENT_TIMEOUT_MS = 65_000;
/** The least time that a statement gets, in milliseconds. */
const MIN_LIMIT_MS = 25;

const ENDED = 'a statement of a snapshot that has ended';

interface Waiting {
  readonly statement: QueryConfig;
  readonly deadline: Deadline;
  readonly resolve: (answer: Promise<QueryResult>) => void;
}

/** What is sent before a statement. */
interface Preparation {
  /** The statements with which a transaction begins. @param limit the time of its statements, in the notation of SQL */
  begin(limit: string): string;
  /** What the next statement of a transaction needs; mostly nothing. */
  next(): string;
}

/**
 * A transaction that only reads one state of the database. It begins with its first statement, and what it begins with is sent together
 * with that one. Statements with a deadline that are asked for at once have one limit of time together, because each message of a
 * transaction takes the server as long as a small query. If the server ends one of them, the transaction is over: what has no answer yet
 * is asked again in another one, as long as there is time, and sees the state of then.
 */
export class Snapshot {
  readonly #client: ClientBase;
  readonly #prepare: Preparation;
  /** When the transaction began, in milliseconds; `null` before it does. */
  #begunAt: number | null = null;
  /** How many transactions were ended by the server. */
  #ended = 0;
  #isLimited = false;
  #hasEnded = false;
  #begun: Promise<unknown> = Promise.resolve();
  #waiting: Waiting[] = [];

  constructor(client: ClientBase, prepare: Preparation) {
    this.#client = client;
    this.#prepare = prepare;
  }

  async query(statement: QueryConfig): Promise<QueryResult> {
    const query = async (): Promise<QueryResult> => {
      this.#assertOpen();
      this.#precede(null, 1);
      return this.#send(statement, STATEMENT_TIMEOUT_MS);
    };
    return query().catch((error: unknown) => {
      if (!isAborted(error)) throw error;
      return query();
    });
  }

  /** @throws the error of a statement that the server has ended: `isCancelled` */
  queryWithin(deadline: Deadline, statement: QueryConfig): Promise<QueryResult> {
    return new Promise((resolve) => {
      this.#waiting.push({ statement, deadline, resolve });
      if (this.#waiting.length === 1) setImmediate(() => this.#sendWaiting());
    });
  }

  /** Nothing depends on the end of what only read. Resolves when the connection is free. */
  async end(): Promise<void> {
    // What is asked later would begin a transaction that nobody ends, on a connection of others.
    this.#hasEnded = true;
    if (this.#begunAt !== null)
      await this.#client.query({ text: 'COMMIT', query_timeout: ANSWER_TIMEOUT_MS } as QueryConfig);
  }

  #assertOpen(): void {
    if (this.#hasEnded) throw new Error(ENDED);
  }

  #sendWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (this.#hasEnded) {
      for (const { resolve } of waiting) resolve(Promise.reject(new Error(ENDED)));
      return;
    }
    const deadline = waiting.reduce(
      (first, { deadline: each }) => (each.left < first.left ? each : first),
      waiting[0]!.deadline,
    );
    this.#precede(deadline, waiting.length);
    for (const { statement, deadline: own, resolve } of waiting)
      resolve(
        this.#send(statement, own.left + ANSWER_TIMEOUT_MS).catch((error: unknown) => {
          // Another statement was ended, and with it the transaction.
          if (!isAborted(error)) throw error;
          return this.queryWithin(own, statement);
        }),
      );
  }

  /** Sends what has to precede the next statements: the beginning of a transaction, their limit, or the end of the limit of those before. */
  #precede(deadline: Deadline | null, statements: number): void {
    const isNew = this.#begunAt === null;
    this.#begunAt ??= performance.now();
    const limit =
      deadline === null
        ? `'${STATEMENT_LIMIT}'`
        : limitOf(deadline, performance.now() - this.#begunAt, statements);
    const setting =
      deadline !== null || this.#isLimited ? `SELECT set_config('statement_timeout', ${limit}, TRUE);` : '';
    const text = isNew ? this.#prepare.begin(limit) : `${this.#prepare.next()}${setting}`;
    this.#isLimited = deadline !== null;
    if (text === '') return;
    const sent = this.#client.query({ text, query_timeout: STATEMENT_TIMEOUT_MS } as QueryConfig);
    sent.catch(() => undefined);
    if (isNew) this.#begun = sent;
  }

  async #send(statement: QueryConfig, query_timeout: number): Promise<QueryResult> {
    const transaction = this.#ended;
    const begun = this.#begun;
    try {
      return await this.#client.query({ ...statement, query_timeout } as QueryConfig);
    } catch (error) {
      // The error of what a transaction begins with says more than that of its statements.
      await begun;
      if ((isCancelled(error) || isAborted(error)) && transaction === this.#ended && this.#begunAt !== null) {
        this.#ended++;
        this.#begunAt = null;
        this.#isLimited = false;
        this.#client.query('ROLLBACK').catch(() => undefined);
      }
      throw error;
    }
  }
}

/**
 * The limit in the notation of SQL, for statements that run one after the other. One alone gets half of the time that is left, because
 * its answer takes time as well.
 */
function limitOf(deadline: Deadline, sinceBegin: number, statements: number): string {
  const budget = Math.round(sinceBegin + deadline.left);
  const elapsed = '1000 * extract(epoch FROM clock_timestamp() - transaction_timestamp())';
  return `greatest(${String(MIN_LIMIT_MS)}, (${String(budget)} - ${elapsed}) / ${String(Math.max(2, statements))})::bigint::text`;
}

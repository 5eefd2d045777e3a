import { type ClientBase, Pool, type PoolClient, type QueryConfig, type QueryResult, types } from 'pg';
import { LociError } from '../../core/errors.ts';
import { Semaphore } from '../../core/threads/semaphore.ts';
import { Deadline } from '../../core/time/deadline.ts';
import type { StoreActivity } from '../sql/calls/activity.ts';
import { decoded, decodedJson } from './parameters.ts';
import { connectionsBusy, isLockTimeout } from './store-error.ts';

/** What a connection is taken for. */
export type Use = 'read' | 'write';

/** Connections that one process has at most: reads and writes never wait for connections of the other. */
const MAX_CONNECTIONS: Readonly<Record<Use, number>> = { read: 10, write: 8 };
/** Connections of them that wait for a lock which another process has had for a while. */
const MAX_WAITING_FOR_LOCKS = MAX_CONNECTIONS.write / 4;
/** How long a call waits for a free connection, in milliseconds, and how long the server may take to accept a new one. */
export const CONNECT_TIMEOUT_MS = 5000;
/** How long a write waits for locks of other writes, in milliseconds. */
export const LOCK_TIMEOUT_MS = 10_000;
/** How long a write keeps any connection while it waits for a lock, in milliseconds. Most locks are free by then. */
const SHORT_LOCK_TIMEOUT_MS = 100;
/** How often a write looks whether a lock is free that it may not wait for, in milliseconds. */
const LOCK_POLL_MS = 500;
/** The shortest lock timeout, in milliseconds. */
const NO_WAIT_MS = 1;
/**
 * How long the server may take to answer, in milliseconds. One that does not answer counts as lost: it may have been stopped, or the
 * network drops what is sent.
 */
export const ANSWER_TIMEOUT_MS = 10_000;
/** How long a connection stays open without work, in milliseconds. */
const IDLE_TIMEOUT_MS = 60_000;

/** The values of columns are what SQLite gives: numbers, texts as they were written, 1 and 0 for true and false. */
const PARSERS: ReadonlyMap<number, (text: string) => string | number> = new Map<
  number,
  (text: string) => string | number
>([
  [types.builtins.BOOL, (text) => (text === 't' ? 1 : 0)],
  [types.builtins.INT8, Number],
  [types.builtins.NUMERIC, Number],
  [types.builtins.TEXT, decoded],
  [types.builtins.JSON, decodedJson],
]);

/** A connection that nobody else has until it is released; with an error, it is closed. */
export interface Connection {
  readonly client: ClientBase;
  readonly release: (error?: Error | boolean) => void;
}

/** The connections of a process to one server. Each is opened when a call needs one, for a read or a write, and then serves both. */
export class ConnectionPool {
  readonly #pool: Pool;
  readonly #free = { read: new Semaphore(MAX_CONNECTIONS.read), write: new Semaphore(MAX_CONNECTIONS.write) };
  /** The writes of each namespace take turns, before they take a connection. */
  readonly #turns = new Map<string, Semaphore>();
  readonly #waitingForLocks = new Semaphore(MAX_WAITING_FOR_LOCKS);
  #lockWaits = 0;
  #lockWaitMs = 0;

  constructor(connectionString: string) {
    this.#pool = new Pool({
      connectionString,
      max: MAX_CONNECTIONS.read + MAX_CONNECTIONS.write,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      keepAlive: true,
      application_name: 'loci',
      pipeline: true,
      types: {
        getTypeParser: (id) => PARSERS.get(id) ?? (types.getTypeParser(id) as (text: string) => unknown),
      },
    });
    // The statement that a connection runs gets its errors too, and the next call replaces the connection.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /**
   * @param owner a namespace: those that wait have a connection in turn
   * @throws LociError `store_busy` if none becomes free in time, and the errors of `pg`
   */
  async connect(use: Use, owner: string): Promise<Connection> {
    const free = this.#free[use];
    if (!(await acquired(free, CONNECT_TIMEOUT_MS, owner))) throw connectionsBusy();
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      free.release();
      throw error;
    }
    const release = (error?: Error | boolean): void => {
      client.release(error);
      free.release();
    };
    return { client, release };
  }

  /** Runs one statement on any connection. */
  async query(use: Use, owner: string, statement: QueryConfig): Promise<QueryResult> {
    const { client, release } = await this.connect(use, owner);
    try {
      const answer = await client.query(statement);
      release();
      return answer;
    } catch (error) {
      release(error as Error);
      throw error;
    }
  }

  /**
   * Runs a write that waits for the others with this key in this process before it takes a connection. If another process has the lock
   * for longer, the write gives its connection back, and waits on one of the few for such writes. Until it has one, it looks from time
   * to time whether the lock is free.
   * @param attempt begins anew each time, and fails with `lock_not_available` after the given time
   * @throws LociError `store_busy` after `LOCK_TIMEOUT_MS`
   */
  async inTurn<Result>(key: string, attempt: (lockTimeoutMs: number) => Promise<Result>): Promise<Result> {
    const deadline = new Deadline(LOCK_TIMEOUT_MS);
    const turn = this.#turns.get(key) ?? new Semaphore(1);
    this.#turns.set(key, turn);
    try {
      if (!(await acquired(turn, deadline.left))) throw lockBusy();
      try {
        return await attempt(SHORT_LOCK_TIMEOUT_MS);
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
        this.#lockWaits += 1;
        const began = performance.now();
        return await this.#waitForLock(key, deadline, attempt).finally(() => {
          this.#lockWaitMs += performance.now() - began;
        });
      } finally {
        turn.release();
      }
    } finally {
      if (turn.isIdle) this.#turns.delete(key);
    }
  }

  async #waitForLock<Result>(
    key: string,
    deadline: Deadline,
    attempt: (lockTimeoutMs: number) => Promise<Result>,
  ): Promise<Result> {
    while (!(await acquired(this.#waitingForLocks, Math.min(LOCK_POLL_MS, deadline.left), key)))
      try {
        return await attempt(NO_WAIT_MS);
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
        if (deadline.isPast) throw lockBusy();
      }
    try {
      return await attempt(Math.max(NO_WAIT_MS, Math.round(deadline.left)));
    } finally {
      this.#waitingForLocks.release();
    }
  }

  get activity(): Omit<StoreActivity, 'slowStatements' | 'isReplicaReachable'> {
    const figures = ({ running, waiting }: Semaphore) => ({ inUse: running, waiting });
    return {
      connections: { read: figures(this.#free.read), write: figures(this.#free.write) },
      idleConnections: this.#pool.idleCount,
      waitingWrites: [...this.#turns.values()].reduce((sum, { waiting }) => sum + waiting, 0),
      lockWaits: this.#lockWaits,
      lockWaitMs: this.#lockWaitMs,
    };
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

/** Whether there is a turn in time. */
async function acquired(semaphore: Semaphore, maxWaitMs: number, owner?: string): Promise<boolean> {
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(), maxWaitMs);
  return semaphore
    .acquire(waiting.signal, owner)
    .then(
      () => true,
      () => false,
    )
    .finally(() => clearTimeout(timer));
}

function lockBusy(): LociError {
  const message = 'other writes of this namespace, or a transaction of another program, take too long';
  return new LociError('store_busy', message, { hint: 'Try again in a moment.' });
}

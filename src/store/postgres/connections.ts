import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { LociError, messageOf } from '../../core/errors.ts';
import { Deadline } from '../../core/time/deadline.ts';
import { CONNECT_TIMEOUT_MS, type ConnectionPool } from './pool.ts';
import { isConnectionLost, isFutureTransaction } from './store-error.ts';

/**
 * The connection string for `pg`, with TLS as `sslmode` of libpq demands it. `require` encrypts, and verifies no certificate unless
 * `sslrootcert` names an authority; `prefer` and `allow` do without encryption where the server has none, which one connection finds out.
 */
export async function driverString(connectionString: string): Promise<string> {
  const at = connectionString.indexOf('?');
  const parameters = new URLSearchParams(at === -1 ? '' : connectionString.slice(at + 1));
  const mode = parameters.get('sslmode');
  if (mode === null || parameters.has('uselibpqcompat')) return connectionString;
  const withMode = (sslmode: string): string => {
    const changed = new URLSearchParams(parameters);
    changed.set('sslmode', sslmode);
    changed.set('uselibpqcompat', 'true');
    return `${connectionString.slice(0, at)}?${changed.toString()}`;
  };
  if (mode !== 'prefer' && mode !== 'allow') return withMode(mode);
  const encrypted = withMode('prefer');
  const client = new Client({
    connectionString: encrypted,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'loci',
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return encrypted;
  } catch (error) {
    return /does not support SSL/i.test(messageOf(error)) ? withMode('disable') : encrypted;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Changes when the server has crashed or another one has taken its place, which may give the number of a lost transaction to another
 * one. The server begins its statistics anew after a crash.
 */
const SERVER_RUN = `(SELECT concat(pg_postmaster_start_time(), ' ', stats_reset) FROM pg_stat_wal)`;
/** The columns of `TransactionId`, which give the transaction a number. */
export const TRANSACTION_ID = `pg_current_xact_id()::text AS id, ${SERVER_RUN} AS run`;

/** The number of a transaction, in a run of the server. */
export interface TransactionId {
  readonly id: string;
  readonly run: string;
}

/** How long the outcome of a transaction is asked for whose connection was lost, in milliseconds. */
const OUTCOME_TIMEOUT_MS = 10_000;
const OUTCOME_POLL_MS = 100;

/**
 * Whether a transaction was committed whose connection was lost meanwhile.
 * @throws LociError `store_failed` if that is unknown
 */
export async function isCommitted(pool: ConnectionPool, transaction: TransactionId): Promise<boolean> {
  const deadline = new Deadline(OUTCOME_TIMEOUT_MS);
  for (;;) {
    const status = await statusOf(pool, transaction);
    if (status === 'committed') return true;
    if (status === 'aborted') return false;
    if (status !== 'in progress' || deadline.isPast)
      throw new LociError(
        'store_failed',
        'the connection to PostgreSQL was lost, and whether the write took place is unknown',
        { hint: 'Look whether it did before you write it again.' },
      );
    await setTimeout(OUTCOME_POLL_MS);
  }
}

/**
 * A server that cannot be reached may come back: then the transaction counts as in progress. `null` if the server does not know, or if
 * the committed transaction may be another one.
 */
async function statusOf(pool: ConnectionPool, { id, run }: TransactionId): Promise<string | null> {
  try {
    const text = `SELECT pg_xact_status($1::xid8) AS status, ${SERVER_RUN} = $2 AS is_same_run`;
    const { rows } = await pool.query('write', '', { text, values: [id, run] });
    const { status, is_same_run } = rows[0] as { status: string | null; is_same_run: 0 | 1 };
    return status === 'committed' && is_same_run === 0 ? null : status;
  } catch (error) {
    if (isFutureTransaction(error)) return 'aborted';
    if (isConnectionLost(error)) return 'in progress';
    throw error;
  }
}

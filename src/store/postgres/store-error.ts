import { DatabaseError } from 'pg';
import { LociError, messageOf, type ErrorCode } from '../../core/errors.ts';

/** By the codes of https://www.postgresql.org/docs/current/errcodes-appendix.html, or their class. */
export type ErrorsByState = Readonly<Record<string, readonly [code: ErrorCode, hint?: string]>>;

const ERRORS: ErrorsByState = {
  '53100': [
    'store_full',
    'Free some disk space of the server. Everything that was confirmed before is safe.',
  ],
  '53': ['store_busy', 'The server has no memory or no connection left. Try again later.'],
  '25006': ['store_unavailable', 'Searches and other reads work. To write, connect to the primary server.'],
  '40': ['store_busy', 'Try again.'],
  '55P03': ['store_busy', 'Another connection holds a lock. Try again.'],
  '57014': ['store_busy', 'The statement took too long, or an administrator cancelled it. Try again.'],
  '57P04': ['store_not_found'],
  '57': ['store_busy', 'The server starts, stops, or ended the connection. Try again in a moment.'],
  '28000': [
    'store_unavailable',
    'Check the user of the connection string, and whether pg_hba.conf of the server lets this user in from here. If it wants TLS, ' +
      'add `?sslmode=verify-full`.',
  ],
  '28': ['store_unavailable', 'Check the user and the password of the connection string.'],
  '3D000': ['store_not_found', 'Create the database: `CREATE DATABASE … ENCODING UTF8`.'],
  '42501': [
    'store_unavailable',
    'The user lacks a right. If another user owns the tables, or shall, name that connection in store.directConnectionString. The owner ' +
      'of the database may run `GRANT USAGE, CREATE ON SCHEMA public TO …;` for that user, or `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO …; GRANT USAGE ON ALL SEQUENCES IN SCHEMA ' +
      'public TO …;` for a user of servers, whom row-level security binds: see docs/postgres.md.',
  ],
  XX001: [
    'store_corrupt',
    'Run `loci doctor`, which says what is damaged, or restore a backup of the database.',
  ],
  XX002: ['store_corrupt', 'Run `loci doctor`, which says how to make the index again.'],
};

/**
 * Runs the work, and turns errors of PostgreSQL and of the connection into errors of Loci.
 * @param special the errors that are others than those of a store
 */
export async function guarded<Result>(
  work: () => Promise<Result>,
  special: ErrorsByState = {},
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw storeError(error, { ...ERRORS, ...special });
  }
}

/** Tells errors by their SQLSTATE. */
function hasState(states: RegExp): (error: unknown) => boolean {
  return (error) => states.test(databaseError(error)?.code ?? '');
}

/** Whether a transaction failed only because of another one: a serialisation failure or a deadlock. */
export const isConflict = hasState(/^40/);
/** Whether a statement failed because another transaction kept a lock for too long. */
export const isLockTimeout = hasState(/^55P03$/);
/** Whether the server ended a statement because it took too long. */
export const isCancelled = hasState(/^57014$/);
/** Whether an earlier statement of the transaction failed. */
export const isAborted = hasState(/^25P02$/);
/** Whether the server refuses to write, because it is a replica or the user may only read. */
export const isReadOnlyError = hasState(/^25006$/);
/** Whether a transaction has a number that the server has not given yet, as after a crash that lost the transaction. */
export const isFutureTransaction = hasState(/^22023$/);
/** Whether a table or an index of this name is there by now. */
export const isMadeMeanwhile = hasState(/^(42P07|23505)$/);
/** Whether the user lacks a right. */
export const isDenied = hasState(/^42501$/);

/** Whether the server cannot have answered: the socket failed, or the server ended the connection. */
export function isConnectionLost(error: unknown): boolean {
  const code = databaseError(error)?.code ?? '';
  return /^57P|^08|^25P0[34]$/.test(code) || isTimeout(error) || isSocketError(causeOf(error));
}

/** Whether the server has not answered in time. */
export function isTimeout(error: unknown): boolean {
  const cause = causeOf(error);
  return cause instanceof Error && cause.message === 'Query read timeout';
}

/** The error of `pg` when no connection became free or new in time. */
function isPoolExhausted(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect';
}

/** The error of a call that got no connection. */
export function connectionsBusy(cause?: unknown): LociError {
  const message = 'all connections of this process to PostgreSQL are busy, or the server does not answer';
  return new LociError('store_busy', message, { cause, hint: 'Try again in a moment.' });
}

/** Statements within a transaction have turned theirs into errors of Loci. */
function causeOf(error: unknown): unknown {
  return error instanceof LociError ? error.cause : error;
}

function databaseError(error: unknown): DatabaseError | null {
  const cause = causeOf(error);
  return cause instanceof DatabaseError ? cause : null;
}

/** Errors of the socket, and those of `pg` about it, have no class of their own. */
function isSocketError(error: unknown): error is Error {
  return (
    error instanceof Error &&
    !(error instanceof DatabaseError) &&
    ('syscall' in error || /connection|socket|timeout expired|SSL|TLS|SASL|certificate/i.test(error.message))
  );
}

function storeError(error: unknown, errors: ErrorsByState): unknown {
  if (error instanceof LociError) return error;
  if (error instanceof DatabaseError) {
    const state = error.code ?? '';
    const [code, hint] = errors[state] ?? errors[state.slice(0, 2)] ?? ['store_failed'];
    return new LociError(code, `PostgreSQL: ${error.message}`, {
      cause: error,
      ...(hint !== undefined && { hint }),
    });
  }
  if (isPoolExhausted(error)) return connectionsBusy(error);
  if (isTimeout(error))
    return new LociError('timed_out', 'PostgreSQL does not answer', {
      cause: error,
      hint: 'Check the server, and the network to it. Nothing can be read or written until it answers.',
    });
  if (!isSocketError(error)) return error;
  if (/password must be a string/.test(error.message))
    return new LociError('store_unavailable', 'PostgreSQL asks this user for a password, and there is none', {
      cause: error,
      hint: 'Add the password to the connection string: postgres://user:password@host:5432/database',
    });
  // `pg` reads the file of `sslrootcert` when it connects.
  const isOfTls = /SSL|TLS|certificate|altnames|^ENOENT/i.test(messageOf(error));
  return new LociError('store_unavailable', `the connection to PostgreSQL failed: ${messageOf(error)}`, {
    cause: error,
    hint: isOfTls
      ? 'Check the host of the connection string, `sslmode`, and `sslrootcert=/path`, which has the certificate of the authority.'
      : 'Check that the server runs, and the host and the port of the connection string.',
  });
}

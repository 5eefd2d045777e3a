import { DatabaseError } from 'pg';
import { LociError, messageOf, type ErrorCode } from '../../core/errors.ts';

/** By the codes of https://www.postgresql.org/docs/current/errcodes-appendix.html, or their class. */
export type ErrorsByState = Readonly<Record<string, readonly [code: ErrorCode, hint?: string]>>;

const ERRORS: ErrorsByState = {
  '53100': ['store_full'],
  '53': ['store_busy', 'The server has no memory or no connection left. Try again later.'],
  '25006': ['unreadable', 'Searches and other reads work. To write, connect to the primary server.'],
  '40': ['store_busy', 'Try again.'],
  '55P03': ['store_busy', 'Another connection holds a lock. Try again.'],
  '57014': ['store_busy', 'The statement took longer than the server allows.'],
  '28': ['unreadable', 'Check the user and the password of the connection string.'],
  '3D000': ['store_not_found', 'Create the database: `CREATE DATABASE … ENCODING UTF8`.'],
  '42501': [
    'unreadable',
    'The user lacks a right. The owner of the database may run `GRANT USAGE, CREATE ON SCHEMA public TO` the user.',
  ],
  XX001: ['store_corrupt'],
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

/** Whether a transaction failed only because of another one: a serialisation failure or a deadlock. */
export function isConflict(error: unknown): boolean {
  const code = databaseError(error)?.code ?? '';
  return code.startsWith('40');
}

/** Whether the server cannot have answered: the socket failed, or the server shuts down. */
export function isConnectionLost(error: unknown): boolean {
  const code = databaseError(error)?.code ?? '';
  return code.startsWith('57P') || code.startsWith('08') || isSocketError(causeOf(error));
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
    ('syscall' in error ||
      /connection|socket|timeout expired|timeout exceeded when trying to connect|SSL|TLS|SASL|certificate/i.test(
        error.message,
      ))
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
  if (!isSocketError(error)) return error;
  return new LociError('store_failed', `the connection to PostgreSQL failed: ${messageOf(error)}`, {
    cause: error,
    hint: 'Check that the server runs, and the host and the port of the connection string.',
  });
}

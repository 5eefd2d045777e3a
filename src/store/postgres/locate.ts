import { createHash } from 'node:crypto';
import { LociError } from '../../core/errors.ts';
import type { StoreLocation } from '../store.ts';

/**
 * The server and the database of a connection string, without user and password.
 * @param setting that has it, for the message
 * @throws LociError `invalid_config`
 */
export function databaseName(connectionString: string, setting = 'store.connectionString'): string {
  if (hasSeveralHosts(connectionString))
    throw new LociError('invalid_config', `${setting} names several hosts`, {
      hint: 'Name one that follows the primary server, such as that of PgBouncer or of a proxy: docs/postgres.md.',
    });
  const url = URL.canParse(connectionString) ? new URL(connectionString) : null;
  // A database with these characters is a password at a wrong place more often, and the name is shown.
  if (url !== null && /^postgres(ql)?:\/\//.test(connectionString) && !/[@:&]|%40|%3A/i.test(url.pathname))
    return `postgres://${url.hostname}:${url.port === '' ? '5432' : url.port}${url.pathname}`;
  throw new LociError('invalid_config', `${setting} is no URL that begins with postgres://`, {
    hint:
      'It looks like this: postgres://user:password@host:5432/database. In a password, @ is %40, : is %3A, / is %2F, # is %23, ? is %3F ' +
      'and % is %25.',
  });
}

/** Whether it names hosts as programs of PostgreSQL accept them: after a user and a password, or as a parameter. */
function hasSeveralHosts(connectionString: string): boolean {
  const [, , authority = ''] = connectionString.split(/[/?#]/, 3);
  const parameters = new URLSearchParams(connectionString.slice(connectionString.indexOf('?') + 1));
  const hosts = authority.slice(authority.lastIndexOf('@') + 1) + (parameters.get('host') ?? '');
  return hosts.includes(',');
}

/** A store of PostgreSQL is a database of a server. */
export function locatePostgresStore(connectionString: string, stateFolder: string): StoreLocation {
  const name = databaseName(connectionString);
  const id = createHash('sha256').update(name).digest('hex').slice(0, 12);
  return { name, file: null, stateFolder, identity: () => Promise.resolve(id) };
}

import { createHash } from 'node:crypto';
import { LociError } from '../../core/errors.ts';
import type { StoreLocation } from '../store.ts';

/**
 * The server and the database of a connection string, without user and password.
 * @param setting what has the connection string, for messages
 * @throws LociError `invalid_config`
 */
export function databaseName(connectionString: string, setting = 'store.connectionString'): string {
  const url = URL.canParse(connectionString) ? new URL(connectionString) : null;
  if (url !== null && /^postgres(ql)?:$/.test(url.protocol))
    return `postgres://${url.hostname}:${url.port === '' ? '5432' : url.port}${url.pathname}`;
  throw new LociError('invalid_config', `${setting} is no URL that begins with postgres://`, {
    hint: 'It looks like this: postgres://user:password@host:5432/database',
  });
}

/** A store of PostgreSQL is a database of a server. */
export function locatePostgresStore(connectionString: string, stateFolder: string): StoreLocation {
  const name = databaseName(connectionString);
  const id = createHash('sha256').update(name).digest('hex').slice(0, 12);
  return { name, file: null, stateFolder, identity: () => Promise.resolve(id) };
}

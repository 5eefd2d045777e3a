import { createHash } from 'node:crypto';
import { LociError } from '../../core/errors.ts';
import type { StoreLocation } from '../store.ts';

/** The forms of a URL that psql takes: https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS */
const URL_FORM =
  /^postgres(?:ql)?:\/\/(?:([^/?#@]*)@)?(\[[^\]/?#@]*\]|[^/?#@:,[\]]*)(?::(\d*))?(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const KEY_VALUE_FORM = /^\s*\w+\s*=/;
const HINT =
  'It looks like this: postgres://user:password@host:5432/database. docs/postgres.md has other forms.';
const ENCODED =
  'In a user and a password, @ is written as %40, : as %3A, / as %2F, # as %23, ? as %3F, and % as %25. ' +
  'In the name of a database and in parameters, @ is %40, too.';

/**
 * The server and the database of a connection string, without user and password: `postgres://db.example.org:5432/loci`, or with the
 * folder of a socket in brackets.
 * @param setting that has it, for the message
 * @throws LociError `invalid_config`
 */
export function databaseName(connectionString: string, setting = 'store.connectionString'): string {
  const refused = (what: string, hint = HINT): LociError =>
    new LociError('invalid_config', `${setting} ${what}`, { hint });
  if (hasSeveralHosts(connectionString))
    throw refused(
      'names several hosts',
      'Name one that follows the primary server, such as that of PgBouncer or of a proxy: docs/postgres.md.',
    );
  if (KEY_VALUE_FORM.test(connectionString)) throw refused('is in the form key=value, but Loci needs a URL');
  if (!/^postgres(?:ql)?:\/\//.test(connectionString))
    throw refused('is no URL that begins with postgres://');
  const [all, user, given = '', givenPort = '', path = '', query = ''] =
    URL_FORM.exec(connectionString) ?? [];
  // What follows an unescaped character of a password would be taken for another part, and the name is shown.
  const isTorn = /[@&:]|%40|%3A/i.test(path) || (user === undefined && query.includes('@'));
  if (all === undefined || isTorn || !isEncoded(connectionString))
    throw refused('has a character that must be percent-encoded', `${ENCODED} ${HINT}`);
  const parameters = new URLSearchParams(query);
  const host = parameters.get('host') ?? decodeURIComponent(given);
  const [port, database] = [parameters.get('port') ?? givenPort, path === '' ? '' : `/${path}`];
  const place = host.startsWith('/') ? `[${host}]` : host.toLowerCase();
  return `postgres://${place}:${port === '' ? '5432' : port}${database}`;
}

/** The attributes by which OpenTelemetry knows a database. @param name of `databaseName` */
export function spanAttributes(name: string): Record<string, string | number> {
  const [, host, port, database] = /^postgres:\/\/\[?(.*?)\]?:(\d+)(?:\/(.*))?$/.exec(name) ?? [];
  return {
    'db.system.name': 'postgresql',
    'server.address': host!,
    'server.port': Number(port),
    ...(database !== undefined && { 'db.namespace': database }),
  };
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return !/\s/.test(text);
  } catch {
    return false;
  }
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

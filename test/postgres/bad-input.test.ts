import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server as NetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LociError } from '../../src/core/errors.ts';
import { openStore } from '../../src/store/registry.ts';
import { matchingRecords, note, write } from '../contract/store-samples.ts';
import { runStatements } from './database.ts';
import { findPrograms, type Server, startServer } from './server.ts';

let server: Server;
const folder = mkdtempSync(join(tmpdir(), 'loci-bad-input-'));
const certificate = join(folder, 'server.crt');
/** A server that greets as a mail server does. */
const mail: NetServer = createServer((socket) => socket.end('220 mail.example.org ESMTP\r\n'));

beforeAll(async () => {
  const programs = findPrograms()!;
  server = await startServer(programs);
  await turnOnTls(programs.root);
  mail.listen(0, '127.0.0.1');
  await once(mail, 'listening');
});
afterAll(async () => {
  mail.close();
  await server.close();
  rmSync(folder, { recursive: true });
});

/** The server gets a certificate that it has signed itself, a user with a password, and one who must use TLS. */
async function turnOnTls(root: string): Promise<void> {
  const [row] = await runStatements(server.url, 'SHOW data_directory');
  const data = join(root, String(row!['data_directory']));
  const key = join(folder, 'server.key');
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=loci test'];
  const files = ['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', certificate];
  execFileSync('openssl', [...request, ...files], { stdio: 'ignore' });
  const { uid, gid } = statSync(data);
  for (const file of ['server.crt', 'server.key']) {
    copyFileSync(join(folder, file), join(data, file));
    chownSync(join(data, file), uid, gid);
  }
  const rules = join(data, 'pg_hba.conf');
  const locked = 'host all locked all scram-sha-256\nhostnossl all encrypted all reject\n';
  writeFileSync(rules, locked + readFileSync(rules, 'utf8'));
  await runStatements(
    server.url,
    `CREATE ROLE locked LOGIN PASSWORD 'right'`,
    'CREATE ROLE encrypted LOGIN',
    'CREATE ROLE guest LOGIN',
    'ALTER SYSTEM SET ssl = on',
    'SELECT pg_reload_conf()',
  );
}

let databases = 0;

/** A new database in which the statements were run. */
async function database(statements: readonly string[] = [], options = `ENCODING 'UTF8'`): Promise<string> {
  const name = `bad_${String(++databases)}`;
  await runStatements(server.url, `CREATE DATABASE ${name} ${options} TEMPLATE template0`);
  const url = new URL(`/${name}`, server.url).href;
  await runStatements(url, ...statements);
  return url;
}

function as(url: string, user: string, search: Readonly<Record<string, string>> = {}): string {
  const changed = new URL(url);
  [changed.username, changed.password] = [user.split(':')[0]!, user.split(':')[1] ?? ''];
  for (const [name, value] of Object.entries(search)) changed.searchParams.set(name, value);
  return changed.href;
}

interface Case {
  readonly name: string;
  readonly url: () => string | Promise<string>;
  /** Code, message and hint. */
  readonly error: readonly [code: string, message: RegExp, hint: RegExp];
}

const CASES: readonly Case[] = [
  {
    name: 'no URL',
    url: () => 'db.example.org:5432',
    error: ['invalid_config', /is no URL/, /postgres:\/\/user/],
  },
  {
    name: 'a URL of another database',
    url: () => 'mysql://127.0.0.1/loci',
    error: ['invalid_config', /begins with postgres/, /postgres:\/\/user/],
  },
  {
    name: 'an unknown host',
    url: () => 'postgres://postgres@no-such-host.invalid/loci',
    error: ['store_unavailable', /no-such-host\.invalid/, /host and the port/],
  },
  {
    name: 'a closed port',
    url: () => 'postgres://postgres@127.0.0.1:1/loci',
    error: ['store_unavailable', /ECONNREFUSED/, /server runs/],
  },
  {
    name: 'a wrong password',
    url: () => as(server.url, 'locked:wrong'),
    error: ['store_unavailable', /password authentication failed/, /user and the password/],
  },
  {
    name: 'no password',
    url: () => as(server.url, 'locked'),
    error: ['store_unavailable', /asks this user for a password/, /Add the password/],
  },
  {
    name: 'an unknown user',
    url: () => as(server.url, 'nobody'),
    error: ['store_unavailable', /role "nobody" does not exist/, /user of the connection string/],
  },
  {
    name: 'a database that does not exist',
    url: () => new URL('/missing', server.url).href,
    error: ['store_not_found', /"missing" does not exist/, /CREATE DATABASE/],
  },
  {
    name: 'a database of another program',
    url: () => database(['CREATE TABLE orders (id INT)']),
    error: ['store_failed', /another program: orders/, /CREATE DATABASE/],
  },
  {
    name: 'a user who may not make tables',
    url: async () => as(await database(['CREATE EXTENSION vector']), 'guest'),
    error: [
      'store_unavailable',
      /permission denied for schema public/,
      /GRANT USAGE, CREATE ON SCHEMA public TO/,
    ],
  },
  {
    name: 'a user who may not read the tables',
    url: async () => {
      const url = await database();
      await (await openStore({ path: '', connectionString: url }, { create: true })).close();
      return as(url, 'guest');
    },
    error: [
      'store_unavailable',
      /permission denied for table loci_store/,
      /ON ALL TABLES IN SCHEMA public TO/,
    ],
  },
  {
    name: 'another encoding',
    url: () => database([], `ENCODING 'LATIN1' LOCALE 'C'`),
    error: ['store_failed', /encoding LATIN1/, /ENCODING UTF8/],
  },
  {
    name: 'no extension on the server',
    url: async () => {
      const view = `SELECT name, default_version FROM pg_catalog.pg_available_extensions WHERE FALSE`;
      const url = await database([`CREATE VIEW pg_available_extensions AS ${view}`]);
      return as(url, 'postgres', { options: '-c search_path=public,pg_catalog' });
    },
    error: ['store_failed', /no extension vector/, /CREATE EXTENSION vector;/],
  },
  {
    name: 'an extension that this user may not create',
    url: async () => as(await database(['GRANT CREATE ON SCHEMA public TO guest']), 'guest'),
    error: ['store_failed', /extension vector is missing/, /CREATE EXTENSION vector;/],
  },
  {
    name: 'an old extension',
    url: () =>
      database([
        'CREATE EXTENSION vector',
        `UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'`,
      ]),
    error: ['store_failed', /has version 0\.7\.4/, /ALTER EXTENSION vector UPDATE;/],
  },
  {
    name: 'a server that is none of PostgreSQL',
    url: () => `postgres://127.0.0.1:${String((mail.address() as AddressInfo).port)}/loci`,
    error: ['store_unavailable', /connection to PostgreSQL failed/, /server runs/],
  },
  {
    name: 'TLS that the server requires',
    url: () => as(server.url, 'encrypted'),
    error: ['store_unavailable', /no encryption/, /sslmode=verify-full/],
  },
  {
    name: 'a certificate that nobody known has signed',
    url: () => as(server.url, 'encrypted', { sslmode: 'verify-full' }),
    error: ['store_unavailable', /self-signed certificate/, /sslrootcert/],
  },
  {
    name: 'a certificate of another host',
    url: () => {
      const url = new URL(as(server.url, 'encrypted', { sslmode: 'verify-full', sslrootcert: certificate }));
      url.hostname = 'localhost';
      return url.href;
    },
    error: ['store_unavailable', /Hostname\/IP does not match/, /sslrootcert/],
  },
  {
    name: 'a file of certificates that is missing',
    url: () => as(server.url, 'encrypted', { sslmode: 'verify-full', sslrootcert: '/missing.crt' }),
    error: ['store_unavailable', /missing\.crt/, /sslrootcert/],
  },
  {
    name: 'a newer store',
    url: () => database(['CREATE TABLE loci_store (version BIGINT)', 'INSERT INTO loci_store VALUES (999)']),
    error: ['store_newer', /schema 999/, /./],
  },
  {
    name: 'a store of before the first release',
    url: () => database(['CREATE TABLE loci_schema (version BIGINT)', 'INSERT INTO loci_schema VALUES (42)']),
    error: ['store_older', /before its first release/, /`loci export .*`loci import /],
  },
  {
    name: 'a store of before the first release, of its last form',
    url: () => database(['CREATE TABLE loci_store (version BIGINT)', 'INSERT INTO loci_store VALUES (1)']),
    error: ['store_older', /before its first release/, /`loci export .*`loci import /],
  },
  {
    name: 'a server that can only be read, without a store',
    url: async () => as(await database(), 'postgres', { options: '-c default_transaction_read_only=on' }),
    error: ['store_unavailable', /read-only transaction/, /primary server/],
  },
];

describe('a store in PostgreSQL cannot be opened, and nothing is created, with', () => {
  it.each(CASES)('$name', async ({ url: make, error: [code, message, hint] }) => {
    const url = await make();
    const before = await relations(url);
    const opened = openStore({ path: 'loci.db', connectionString: url }, { create: true });
    const error = await opened.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(LociError);
    expect(error).toMatchObject({ code });
    expect((error as LociError).message).toMatch(message);
    expect((error as LociError).hint).toMatch(hint);
    expect(await relations(url)).toEqual(before);
  });
});

/** What the superuser sees of the schema of a database. */
async function relations(url: string): Promise<unknown> {
  const name = URL.canParse(url) ? new URL(url).pathname : '';
  const isOurs = name.startsWith('/bad_');
  return isOurs
    ? runStatements(new URL(name, server.url).href, `SELECT relname FROM pg_class ORDER BY 1`)
    : [];
}

it('a certificate that verifies is accepted', async () => {
  const url = await database(['CREATE EXTENSION vector', 'GRANT CREATE ON SCHEMA public TO encrypted']);
  const connectionString = as(url, 'encrypted', { sslmode: 'verify-full', sslrootcert: certificate });
  const store = await openStore({ path: 'loci.db', connectionString }, { create: true });
  expect(await write(store, 'over TLS', note('a kettle'))).toEqual([1]);
  await store.close();
});

/** How the connections of a store are encrypted. */
async function writtenOver(connectionString: string): Promise<unknown> {
  const warnings: string[] = [];
  const onWarning = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', onWarning);
  const store = await openStore({ path: 'loci.db', connectionString }, { create: true });
  await write(store, 'n', note('a kettle'));
  const name = new URL(connectionString).pathname.slice(1);
  const rows = await runStatements(
    server.url,
    `SELECT DISTINCT s.ssl FROM pg_stat_ssl AS s JOIN pg_stat_activity AS a USING (pid) WHERE a.datname = '${name}'`,
  );
  await store.close();
  process.off('warning', onWarning);
  return [rows, warnings];
}

it.each(['require', 'prefer'])('sslmode=%s encrypts without looking at the certificate', async (sslmode) => {
  const url = await database(['CREATE EXTENSION vector', 'GRANT CREATE ON SCHEMA public TO encrypted']);
  expect(await writtenOver(as(url, 'encrypted', { sslmode }))).toEqual([[{ ssl: true }], []]);
});

it('TLS that the server has not is refused, unless it is only preferred', async () => {
  await runStatements(server.url, 'ALTER SYSTEM SET ssl = off', 'SELECT pg_reload_conf()');
  const url = await database(['CREATE EXTENSION vector', 'GRANT CREATE ON SCHEMA public TO guest']);
  await expect(writtenOver(as(url, 'guest', { sslmode: 'require' }))).rejects.toThrow('does not support SSL');
  expect(await writtenOver(as(url, 'guest', { sslmode: 'prefer' }))).toEqual([[{ ssl: false }], []]);
  const connectionString = as(server.url, 'guest', { sslmode: 'verify-full' });
  await expect(openStore({ path: 'loci.db', connectionString }, { create: true })).rejects.toMatchObject({
    code: 'store_unavailable',
    message: expect.stringContaining('does not support SSL') as string,
    hint: expect.stringContaining('sslmode') as string,
  });
});

it('a server that can only be read is searched, and writes say why they fail', async () => {
  const url = await database();
  const writable = await openStore({ path: 'loci.db', connectionString: url }, { create: true });
  const ids = await write(writable, 'read', note('a kettle'));
  await writable.close();
  const connectionString = as(url, 'postgres', { options: '-c default_transaction_read_only=on' });
  const store = await openStore({ path: 'loci.db', connectionString }, { create: true });
  expect(store.capabilities.readOnly).toBe(true);
  expect(await matchingRecords(store, 'read', 'kettl')).toEqual(ids);
  await expect(write(store, 'read', note('a pot'))).rejects.toMatchObject({
    code: 'store_unavailable',
    hint: expect.stringContaining('connect to the primary server') as string,
  });
  await store.close();
});

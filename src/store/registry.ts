/** The only module that names the drivers. Each is loaded when a store is opened. */

import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../config/schema.ts';
import { LociError } from '../core/errors.ts';
import { secretAt } from '../core/secret-place.ts';
import { locatePostgresStore } from './postgres/locate.ts';
import type { ConnectedDriver } from './sql/driver.ts';
import type { ForeignDatabase, OpenStoreOptions, Store, StoreLocation } from './store.ts';

/** What the settings say about the store. */
export type StoreSettings = Pick<Config['store'], 'path'> & Partial<Config['store']>;

interface StoreDriver {
  readonly locate: (settings: StoreSettings) => StoreLocation;
  readonly open: (settings: StoreSettings, options: OpenStoreOptions) => Promise<Store>;
  readonly connect: (settings: StoreSettings, options: OpenStoreOptions) => Promise<ConnectedDriver>;
}

/** By the setting that names a store of the driver. If several are set, the first one here counts. */
const DRIVERS: Readonly<Record<'connectionString' | 'path', StoreDriver>> = {
  connectionString: {
    locate: (settings) =>
      locatePostgresStore(stringAt(settings, 'connectionString')!, dirname(settings.path)),
    open: async (settings, options) =>
      (await import('./postgres/open.ts')).openPostgresStore(connections(settings), options),
    connect: async (settings, options) =>
      (await import('./postgres/open.ts')).connectPostgres(connections(settings), options, 'all rows'),
  },
  path: {
    locate: ({ path }) => locateSqliteStore(path),
    open: async ({ path }, options) =>
      (await import('./sqlite/open.ts')).openSqliteStore({ path, ...options }),
    connect: async ({ path }, options) =>
      (await import('./sqlite/open.ts')).connectSqlite({ path, ...options }),
  },
};

const VARIABLES = {
  connectionString: 'LOCI_STORE_CONNECTION_STRING',
  directConnectionString: 'LOCI_STORE_DIRECT_CONNECTION_STRING',
  replicaConnectionString: 'LOCI_STORE_REPLICA_CONNECTION_STRING',
};

function connections(settings: StoreSettings) {
  const direct = stringAt(settings, 'directConnectionString');
  const replica = stringAt(settings, 'replicaConnectionString');
  return {
    connectionString: stringAt(settings, 'connectionString')!,
    ...(direct !== undefined && { directConnectionString: direct }),
    ...(replica !== undefined && { replicaConnectionString: replica }),
    slowStatementMs: settings.slowStatement ?? 0,
  };
}

function stringAt(settings: StoreSettings, name: keyof typeof VARIABLES): string | undefined {
  const { [name]: reference } = settings;
  return reference === undefined ? undefined : secretAt(reference, `store.${name}`, VARIABLES[name]).value;
}

function driverOf(settings: Partial<StoreSettings>): StoreDriver {
  const names = Object.keys(DRIVERS) as (keyof typeof DRIVERS)[];
  return DRIVERS[names.find((name) => settings[name] !== undefined)!];
}

/** Where the settings keep a store, which need not exist. */
export function locateStore(settings: StoreSettings): StoreLocation {
  return driverOf(settings).locate(settings);
}

/** @throws LociError `store_not_found`, `store_newer`, `store_corrupt`, `store_full`, `unreadable` */
export async function openStore(settings: StoreSettings, options: OpenStoreOptions): Promise<Store> {
  return driverOf(settings).open(settings, options);
}

/** Opens connections to a store, for work that reads or writes all of it. @throws LociError as `openStore` */
export async function connectStore(
  settings: StoreSettings,
  options: OpenStoreOptions,
): Promise<ConnectedDriver> {
  return driverOf(settings).connect(settings, options);
}

/** Whether a text is a connection string, or the place of one. Anything else is a path. */
export function namesDatabase(text: string): boolean {
  return /^(postgres(ql)?:\/\/|env:|file:)/.test(text);
}

/**
 * Refuses a path that looks like a mistyped connection string: it would become a file name with a password.
 * @throws LociError `invalid_input`, which does not show the text
 */
export function assertPath(text: string, field: string): void {
  if (!/:\/\/|^\s*postgres(ql)?[:/]|password=/i.test(text)) return;
  throw new LociError('invalid_input', `${field}: is neither a path nor a connection string`, {
    hint: 'A connection string begins with postgres://; `env:NAME` and `file:/path` name the place of one.',
  });
}

/**
 * Reads a database of another program.
 * @param place its connection string, or the place of one
 * @param setting what has the place, for messages
 * @throws LociError `invalid_config`, `unreadable`, `store_failed`, `store_busy` and the errors of the work
 */
export async function readDatabase<Result>(
  place: string,
  setting: string,
  work: (database: ForeignDatabase) => Promise<Result>,
): Promise<Result> {
  const { value } = secretAt(place, setting, setting);
  return (await import('./postgres/read-database.ts')).readPostgres(value, setting, work);
}

/** A store of SQLite is a file. */
function locateSqliteStore(path: string): StoreLocation {
  return {
    name: path,
    file: path,
    stateFolder: dirname(path),
    // Device and inode.
    identity: async () => {
      const found = await stat(path).catch(() => null);
      return found === null ? null : `${String(found.dev)}:${String(found.ino)}`;
    },
  };
}

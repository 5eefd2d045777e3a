/** The only module that names the drivers. Each is loaded when a store is opened. */

import type { Config } from '../config/schema.ts';
import { locateSqliteStore } from './sqlite/locate.ts';
import type { OpenStoreOptions, Store, StoreLocation } from './store.ts';

/** What the settings say about the store. */
export type StoreSettings = Config['store'];

interface StoreDriver {
  readonly locate: (settings: StoreSettings) => StoreLocation;
  readonly open: (settings: StoreSettings, options: OpenStoreOptions) => Promise<Store>;
}

/** By the setting that names a store of the driver. If several are set, the first one here counts. */
const DRIVERS: Readonly<Record<keyof StoreSettings, StoreDriver>> = {
  path: {
    locate: ({ path }) => locateSqliteStore(path),
    open: async ({ path }, options) =>
      (await import('./sqlite/open.ts')).openSqliteStore({ path, ...options }),
  },
};

function driverOf(settings: Partial<StoreSettings>): StoreDriver {
  const names = Object.keys(DRIVERS) as (keyof StoreSettings)[];
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

import { LociError } from '../core/errors.ts';
import type { Store } from './store.ts';

export interface StoreOptions {
  readonly driver: string;
  readonly path: string;
  /** Milliseconds to wait for another process's write. */
  readonly busyTimeout: number;
  /** Whether a store that is not there is made; if not, `store_not_found`. */
  readonly create: boolean;
}

type Open = (options: StoreOptions) => Promise<Store>;

const DRIVERS: Readonly<Record<string, Open>> = {
  sqlite: async (options) => (await import('./sqlite/open.ts')).openSqliteStore(options),
};

/** The only place that names stores. @throws LociError `invalid_config` for an unknown driver, and what the driver throws */
export async function openStore(options: StoreOptions): Promise<Store> {
  const open = Object.hasOwn(DRIVERS, options.driver) ? DRIVERS[options.driver] : undefined;
  if (open === undefined) {
    throw new LociError('invalid_config', `no store is called ${options.driver}; there are ${Object.keys(DRIVERS).join(', ')}`);
  }
  return open(options);
}

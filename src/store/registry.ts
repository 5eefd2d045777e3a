/** The only place that names stores: a line for each, loaded when it is opened. */

import { LociError } from '../core/errors.ts';
import { closestWord } from '../core/text/closest-word.ts';
import type { Store } from './store.ts';

export interface StoreOptions {
  /** One of `STORE_DRIVERS`. */
  readonly driver: string;
  /** The store's file; a store in memory has none. */
  readonly path: string;
  /** Milliseconds to wait for another process's write. */
  readonly busyTimeout: number;
  /** Whether a store that is not there is made; if not, `store_not_found`. */
  readonly create: boolean;
}

type Open = (options: StoreOptions) => Promise<Store>;

const DRIVERS: Readonly<Record<string, Open>> = {
  sqlite: async (options) => (await import('./sqlite/open.ts')).openSqliteStore(options),
  memory: async () => (await import('./memory/open.ts')).openMemoryStore(),
};

export const STORE_DRIVERS: readonly string[] = Object.keys(DRIVERS);

/**
 * @throws LociError `invalid_config` for an unknown driver; `store_not_found`, `store_newer`, `store_corrupt`,
 *   `store_full`, `unreadable`
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const open = Object.hasOwn(DRIVERS, options.driver) ? DRIVERS[options.driver] : undefined;
  if (open === undefined) throw new LociError('invalid_config', unknownDriver(options.driver));
  return open(options);
}

function unknownDriver(driver: string): string {
  const meant = closestWord(driver, STORE_DRIVERS);
  const advice = meant === undefined ? `known are ${STORE_DRIVERS.join(', ')}` : `did you mean '${meant}'?`;
  return `unknown store driver '${driver}': ${advice}`;
}

/** The only module that names the drivers. Each is loaded when it is opened. */

import { LociError } from '../core/errors.ts';
import { closestWord } from '../core/text/closest-word.ts';
import type { Store } from './store.ts';

interface StoreOptions {
  /** One of `STORE_DRIVERS`. */
  readonly driver: string;
  /** The store's file. */
  readonly path: string;
  /** How long to wait for another process's write, in milliseconds. */
  readonly busyTimeoutMs: number;
  /** Whether to create a store that does not exist; else `store_not_found`. */
  readonly create: boolean;
  /** Whether calls run in threads of their own. Default true. Without them the store opens faster, and a call blocks the caller. */
  readonly threads?: boolean;
}

type Open = (options: StoreOptions) => Promise<Store>;

const DRIVERS: Readonly<Record<string, Open>> = {
  sqlite: async (options) =>
    (await import('./sqlite/open.ts')).openSqliteStore({ threads: true, ...options }),
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
  const advice = meant === undefined ? `expected ${STORE_DRIVERS.join(' or ')}` : `did you mean '${meant}'?`;
  return `unknown store driver '${driver}': ${advice}`;
}

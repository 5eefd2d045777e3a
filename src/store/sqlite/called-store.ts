import type { Store } from '../store.ts';
import type { StoreCall } from './calls.ts';
import { PassageCache } from './passage-cache.ts';
import { type PackedPassages, unpacked } from './wire.ts';

/** Makes a call where the connection is, and brings its answer as it leaves there. */
export type MakeCall = (call: StoreCall, parameters: readonly unknown[]) => Promise<unknown>;

/** The interface of the store over its calls. */
export function calledStore(
  calls: readonly StoreCall[],
  make: MakeCall,
): Omit<Store, 'capabilities' | 'close'> {
  const store: Record<string, unknown> = {};
  for (const call of calls)
    store[call] = async (...parameters: unknown[]) => unpacked(call, await make(call, parameters));
  const cache = new PassageCache((...asked) => make('readPassages', asked) as Promise<PackedPassages>);
  store['passages'] = cache.passages.bind(cache);
  return store as unknown as Omit<Store, 'capabilities' | 'close'>;
}

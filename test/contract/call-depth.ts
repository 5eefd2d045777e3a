import { setTimeout } from 'node:timers/promises';
import type { Store } from '../../src/store/store.ts';

/** The delay of each call in milliseconds. It is longer than the work of a search between two calls. */
const CALL_DELAY_MS = 5;

/** A store that records which of its calls waited for one another. */
export interface CountedStore {
  readonly store: Store;
  /** The names of the calls since the last reset; calls that ran at the same time are one group. */
  readonly sequence: () => readonly (readonly string[])[];
  readonly reset: () => void;
}

type Call = (...parameters: unknown[]) => Promise<unknown>;

export function countSequentialCalls(store: Store): CountedStore {
  let groups: string[][] = [];
  let finishedDepth = 0;
  const countedCall = (name: string, call: Call): Call => {
    return async (...parameters) => {
      const depth = finishedDepth + 1;
      (groups[depth - 1] ??= []).push(name);
      try {
        await setTimeout(CALL_DELAY_MS);
        return await call(...parameters);
      } finally {
        finishedDepth = Math.max(finishedDepth, depth);
      }
    };
  };
  const role = <Role extends object>(roleName: string, calls: Role): Role =>
    Object.fromEntries(
      Object.entries(calls).map(([name, call]) => [name, countedCall(`${roleName}.${name}`, call as Call)]),
    ) as Role;
  return {
    store: {
      ...store,
      records: role('records', store.records),
      search: role('search', store.search),
      vectors: role('vectors', store.vectors),
      admin: role('admin', store.admin),
    },
    sequence: () => groups,
    reset: () => {
      [groups, finishedDepth] = [[], 0];
    },
  };
}

import type { Store, StoreSearch } from '../../store.ts';
import type { StoreCall, StoreCalls, StoreRole } from './calls.ts';
import { PassageCache } from '../read/passage-cache.ts';
import { type PackedPassages, type PackedRetrieval, unpackRetrieval } from '../read/wire.ts';

/** Which connection runs a call. Readers never wait for a batch that is being written. */
export type Route = 'reader' | 'writer';

type RouteOf<Call> = Call extends (...parameters: infer Parameters) => unknown
  ? (...parameters: Parameters) => Route
  : never;

const ROUTES: {
  readonly [Role in StoreRole]: {
    readonly [Call in keyof StoreCalls[Role]]: Route | RouteOf<StoreCalls[Role][Call]>;
  };
} = {
  records: {
    commit: 'writer',
    get: 'reader',
    list: 'reader',
    count: 'reader',
    sourceEntries: 'reader',
    findExisting: 'reader',
    bounds: 'reader',
    facet: 'reader',
    facets: 'reader',
    links: 'reader',
    belongsTo: 'reader',
    changes: 'reader',
    timeline: 'reader',
    table: 'reader',
    histogram: 'reader',
    passagesOf: 'reader',
    items: 'reader',
  },
  search: {
    terms: 'reader',
    retrieve: 'reader',
    similar: 'reader',
    named: 'reader',
    readPassages: 'reader',
  },
  vectors: {
    generations: 'reader',
    setGeneration: 'writer',
    pending: 'writer',
    put: 'writer',
    ofPassages: 'reader',
    sentences: 'reader',
    sentenceCosines: 'reader',
  },
  graph: {
    state: 'reader',
    nodes: 'reader',
    edges: 'reader',
    outline: 'reader',
    neighbours: 'reader',
    counts: 'reader',
    contributions: 'reader',
    conceptNames: 'reader',
    recordConcepts: 'reader',
    namings: 'reader',
    linePlaces: 'reader',
  },
  admin: {
    namespaces: 'reader',
    stats: 'reader',
    // It creates temporary tables.
    verify: 'writer',
    compact: 'writer',
    resetDerived: 'writer',
    audit: 'reader',
    // It is read in read-only stores too.
    lease: (_namespace, operation) => ('at' in operation ? 'reader' : 'writer'),
  },
};

/** Runs a call on a connection. The result is packed for the transfer between threads; see `search/wire.ts`. */
export type RunCall = (call: StoreCall, route: Route, parameters: readonly unknown[]) => Promise<unknown>;

type Run = (...parameters: unknown[]) => unknown;

/** A store whose calls all go through `run`. */
export function createStoreProxy(run: RunCall): Omit<Store, 'capabilities' | 'close'> {
  const store: Record<string, Record<string, unknown>> = {};
  for (const [role, routes] of Object.entries(ROUTES)) {
    const calls = Object.entries(routes as Readonly<Record<string, Route | RouteOf<Run>>>).map(
      ([name, of]) => {
        const call = `${role}.${name}` as StoreCall;
        return [
          name,
          (...parameters: unknown[]) =>
            run(call, typeof of === 'string' ? of : of(...parameters), parameters),
        ];
      },
    );
    store[role] = Object.fromEntries(calls) as Record<string, unknown>;
  }
  const cache = new PassageCache(
    (...request) => run('search.readPassages', 'reader', request) as Promise<PackedPassages>,
  );
  const retrieve: StoreSearch['retrieve'] = async (namespace, request) =>
    unpackRetrieval(
      namespace,
      (await run('search.retrieve', 'reader', [namespace, request])) as PackedRetrieval,
    );
  store['search'] = { ...store['search'], retrieve, passages: cache.passages.bind(cache) };
  return store as unknown as Omit<Store, 'capabilities' | 'close'>;
}

import type { Store, StoreSearch } from '../store.ts';
import type { StoreCall, StoreCalls, StoreRole } from './calls.ts';
import { PassageCache } from '../sql/read/passage-cache.ts';
import { type PackedPassages, type PackedRetrieval, unpackRetrieval } from '../sql/read/wire.ts';

/** Which connection runs a call. Readers never wait for a batch that is being written. */
export type Route = 'reader' | 'writer';

const ROUTES: { readonly [Role in StoreRole]: Readonly<Record<keyof StoreCalls[Role], Route>> } = {
  records: {
    commit: 'writer',
    get: 'reader',
    list: 'reader',
    count: 'reader',
    sourceEntries: 'reader',
    findExisting: 'reader',
    findIdempotentResult: 'reader',
    bounds: 'reader',
    facet: 'reader',
    factCategories: 'reader',
    links: 'reader',
    belongsTo: 'reader',
    changes: 'reader',
    timeline: 'reader',
    passagesOf: 'reader',
    purge: 'writer',
    sourceStates: 'reader',
    startup: 'reader',
  },
  search: {
    terms: 'reader',
    retrieve: 'reader',
    compareRecords: 'reader',
    similar: 'reader',
    named: 'reader',
    readPassages: 'reader',
  },
  vectors: {
    generations: 'reader',
    setGeneration: 'writer',
    pending: 'writer',
    put: 'writer',
    sentences: 'reader',
  },
  graph: {
    state: 'reader',
    waiting: 'reader',
    nodes: 'reader',
    edges: 'reader',
    neighbours: 'reader',
    counts: 'reader',
    contributions: 'reader',
    conceptNames: 'reader',
    recordConcepts: 'reader',
    namings: 'reader',
    linePlaces: 'reader',
    conceptChanges: 'reader',
  },
  admin: {
    namespaces: 'reader',
    stats: 'reader',
    // It creates temporary tables.
    verify: 'writer',
    compact: 'writer',
    resetDerived: 'writer',
    auditEntries: 'reader',
    auditChain: 'reader',
    auditChains: 'reader',
    attachAudit: 'writer',
    verifyAudit: 'reader',
    history: 'reader',
    takeLease: 'writer',
    dropLease: 'writer',
    leaseHolder: 'reader',
    addToken: 'writer',
    tokens: 'reader',
    revokeToken: 'writer',
  },
  receipts: {
    add: 'writer',
    removeBefore: 'writer',
    get: 'reader',
    list: 'reader',
    labels: 'reader',
    goldenQueries: 'reader',
  },
};

/** Runs a call on a connection. The result is packed for the transfer between threads; see `search/wire.ts`. */
type RunCall = (call: StoreCall, route: Route, parameters: readonly unknown[]) => Promise<unknown>;

/** A store whose calls all go through `run`. */
export function createStoreProxy(run: RunCall): Omit<Store, 'capabilities' | 'close'> {
  const store: Record<string, Record<string, unknown>> = {};
  for (const [role, routes] of Object.entries(ROUTES)) {
    const calls = Object.entries(routes as Readonly<Record<string, Route>>).map(([name, route]) => {
      const call = `${role}.${name}` as StoreCall;
      return [name, (...parameters: unknown[]) => run(call, route, parameters)];
    });
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

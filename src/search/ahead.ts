import type { Retrieved, SearchFilter, StoredPassage } from '../store/search-model.ts';
import type { Store } from '../store/store.ts';

type FacetCall = Store['records']['facet'];
type GetCall = Store['records']['get'];
type RetrieveCall = Store['search']['retrieve'];
type VectorsCall = Store['vectors']['ofPassages'];
type PassagesCall = Store['search']['passages'];

/**
 * A store that gives the first answer again to what a search asks for after it has ranked: so the search can read ahead what it will
 * probably need, and asks a database elsewhere for all of it at once. It is for one search of one namespace.
 */
export function rememberingStore(store: Store): Store {
  const { records, search, vectors, graph, admin, capabilities } = store;
  const facets = byKey(
    async (keys: readonly string[], ...[namespace, field, filter]: Parameters<FacetCall>) => {
      const found = await records.facet(namespace, field, { ...filter, keys });
      return new Map(found.map((each) => [each.value, each]));
    },
  );
  const recordsOf = byKey(async (ids: readonly number[], ...[namespace, , state]: Parameters<GetCall>) => {
    const found = await records.get(namespace, ids, state);
    return new Map(found.map((record) => [record.id, record]));
  });
  const get: GetCall = async (namespace, ids, state) =>
    state === 'any'
      ? records.get(namespace, ids, state)
      : [...(await recordsOf(ids, namespace, ids, state)).values()];
  const ofPassages = byKey((ids: readonly number[], ...[namespace, generation]: Parameters<VectorsCall>) =>
    vectors.ofPassages(namespace, generation, ids),
  );
  const compared = byKey(
    async (ids: readonly number[], ...[namespace, request]: Parameters<RetrieveCall>) =>
      (await search.retrieve(namespace, { ...request, records: { ...request.records!, ids } })).compared,
  );
  const loaded = new WeakMap<SearchFilter, (ids: readonly number[]) => Promise<Map<number, StoredPassage>>>();
  const passages: PassagesCall = async (namespace, ids, filter, reach) => {
    if (reach !== undefined) return search.passages(namespace, ids, filter, reach);
    const load =
      loaded.get(filter) ??
      byKey(async (missing: readonly number[]) => {
        const answer = await search.passages(namespace, missing, filter);
        return new Map(answer.passages.map((passage) => [passage.id, passage]));
      });
    loaded.set(filter, load);
    return { passages: [...(await load(ids)).values()], neighbourhoods: [], damaged: [] };
  };
  const facet: FacetCall = async (namespace, field, filter, newestKeys) =>
    field !== 'key' || filter.keys === undefined || newestKeys !== undefined
      ? records.facet(namespace, field, filter, newestKeys)
      : [...(await facets(filter.keys, namespace, field, filter)).values()];
  const retrieve: RetrieveCall = async (namespace, request) =>
    request.queries.length > 0 || request.records === undefined
      ? search.retrieve(namespace, request)
      : { ...NOTHING, compared: await compared(request.records.ids, namespace, request) };
  return {
    ...{ capabilities, graph, admin, close: () => store.close() },
    records: { ...records, links: byParameters(records.links), facet, get },
    search: {
      ...search,
      ...{ passages, retrieve, named: byParameters(search.named), terms: byParameters(search.terms) },
    },
    vectors: {
      ...vectors,
      ofPassages: (namespace, generation, ids) => ofPassages(ids, namespace, generation, ids),
    },
  };
}

const NOTHING: Retrieved = { lists: [], cosines: [], hasAllCosines: true, compared: new Map(), passages: [] };

/** A call whose result is known by its parameters. */
function byParameters<Parameters extends unknown[], Result>(
  call: (...parameters: Parameters) => Promise<Result>,
): (...parameters: Parameters) => Promise<Result> {
  const known = new Map<string, Promise<Result>>();
  return (...parameters) => {
    const key = JSON.stringify(parameters);
    const result = known.get(key) ?? call(...parameters);
    known.set(key, result);
    return result;
  };
}

/** A call that only asks for the keys that it was not asked for before. Its other parameters are the same each time. */
function byKey<Key, Value, Parameters extends unknown[]>(
  call: (keys: readonly Key[], ...parameters: Parameters) => Promise<ReadonlyMap<Key, Value>>,
): (keys: readonly Key[], ...parameters: Parameters) => Promise<Map<Key, Value>> {
  const known = new Map<Key, Promise<ReadonlyMap<Key, Value>>>();
  return async (keys, ...parameters) => {
    const missing = keys.filter((key) => !known.has(key));
    if (missing.length > 0) {
      const found = call(missing, ...parameters);
      for (const key of missing) known.set(key, found);
    }
    const results = await Promise.all(keys.map((key) => known.get(key)!));
    return new Map(
      keys.flatMap((key, i) => {
        const value = results[i]!.get(key);
        return value === undefined ? [] : [[key, value] as const];
      }),
    );
  };
}

import type {
  Neighbourhood,
  NeighbourReach,
  PassageQuery,
  PassageScore,
  SearchFilter,
  StoredPassage,
  TextQuery,
} from '../../src/store/search-model.ts';
import type { Store } from '../../src/store/store.ts';

/** The part of a store that these queries call. */
interface SearchableStore {
  readonly search: Pick<Store['search'], 'retrieve' | 'passages'>;
}

/** The scores of a single query. */
async function retrieveOne(
  { search }: SearchableStore,
  namespace: string,
  query: PassageQuery,
): Promise<PassageScore[]> {
  const { lists } = await search.retrieve(namespace, { queries: [query] });
  return [...lists[0]!.scores];
}

export function searchText(
  store: SearchableStore,
  namespace: string,
  text: TextQuery,
  filter: SearchFilter,
  limit: number,
): Promise<PassageScore[]> {
  return retrieveOne(store, namespace, { by: 'text', text, filter, limit });
}

export function searchVectors(
  store: SearchableStore,
  namespace: string,
  generation: number,
  vector: Float32Array,
  filter: SearchFilter,
  limit: number,
): Promise<PassageScore[]> {
  return retrieveOne(store, namespace, { by: 'vector', vector: { generation, vector }, filter, limit });
}

/** The first passages of the records whose creation time is nearest to now. */
export function nearestInTime(
  store: SearchableStore,
  namespace: string,
  filter: SearchFilter,
  limit: number,
  undated = false,
): Promise<PassageScore[]> {
  return retrieveOne(store, namespace, { by: 'time', undated, filter, limit });
}

/** The cosines of the passages that the text query finds, ordered by passage. */
export async function cosinesOf(
  { search }: SearchableStore,
  namespace: string,
  generation: number,
  vector: Float32Array,
  text: TextQuery,
): Promise<PassageScore[]> {
  const { cosines } = await search.retrieve(namespace, {
    queries: [{ by: 'text', text, filter: { now: 0 }, limit: 1000 }],
    cosines: { generation, vector },
  });
  return cosines.toSorted((a, b) => a.passage - b.passage);
}

export async function passagesOf(
  { search }: SearchableStore,
  namespace: string,
  ids: readonly number[],
  filter: SearchFilter,
): Promise<readonly StoredPassage[]> {
  return (await search.passages(namespace, ids, filter)).passages;
}

export async function neighboursOf(
  { search }: SearchableStore,
  namespace: string,
  ids: readonly number[],
  reach: NeighbourReach,
): Promise<readonly Neighbourhood[]> {
  return (await search.passages(namespace, ids, { now: 0 }, reach)).neighbourhoods;
}

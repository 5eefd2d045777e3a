import type { PassageQuery, PassageScore, RankedList } from '../src/store/search-model.ts';
import type { Store } from '../src/store/store.ts';

/** In which order passages are embedded: at random, by the age of their records, or record by record at random. */
export const EMBEDDING_ORDERS = ['random', 'oldest', 'records'] as const;
export type EmbeddingOrder = (typeof EMBEDDING_ORDERS)[number];

/** Shares of the passages that are embedded. */
export const EMBEDDED_SHARES = [0, 0.01, 0.15, 0.5, 0.99, 1] as const;

const MAX_LIMIT = 10_000;

/**
 * The store as it answers while only this share of its passages has a vector.
 * @param share 0 to 1
 */
export function partlyEmbedded(store: Store, share: number, order: EmbeddingOrder): Store {
  const retrieve: Store['search']['retrieve'] = async (namespace, request) => {
    const { highestId } = await store.records.bounds(namespace);
    const isEmbedded = ({ passage, record }: PassageScore): boolean =>
      order === 'oldest'
        ? record <= share * highestId
        : pseudoRandom(order === 'random' ? passage : record) < share;
    const queries = request.queries.map((query) => (query.by === 'vector' ? widen(query, share) : query));
    const { lists, cosines, ...rest } = await store.search.retrieve(namespace, { ...request, queries });
    return {
      ...rest,
      lists: lists.map((list, i) => {
        const query = request.queries[i]!;
        return query.by === 'vector' ? embeddedOnly(list, query.limit, isEmbedded) : list;
      }),
      cosines: cosines.filter(isEmbedded),
    };
  };
  return { ...store, search: { ...store.search, retrieve } };
}

/** Raises the limit, so that enough of the results are embedded. */
function widen({ spread: _, ...query }: PassageQuery, share: number): PassageQuery {
  const limit = Math.ceil((query.limit * 1.3) / Math.max(share, 0.001)) + 20;
  return { ...query, limit: Math.min(MAX_LIMIT, limit) };
}

function embeddedOnly(
  { scores, ...list }: RankedList,
  limit: number,
  isEmbedded: (score: PassageScore) => boolean,
): RankedList {
  return { ...list, scores: scores.filter(isEmbedded).slice(0, limit) };
}

/** A number from 0 to 1 that depends on the id alone (the finaliser of MurmurHash3). */
function pseudoRandom(id: number): number {
  let h = id >>> 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
}

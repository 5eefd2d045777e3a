import type { PassageScore } from '../src/store/search-model.ts';
import type { Store } from '../src/store/store.ts';

/** The store as it answers without these records. A signal may return fewer passages than it was asked for. */
export function withoutRecords(store: Store, hidden: ReadonlySet<number>): Store {
  const isShown = ({ record }: PassageScore): boolean => !hidden.has(record);
  const retrieve: Store['search']['retrieve'] = async (namespace, request) => {
    const { lists, cosines, passages, ...rest } = await store.search.retrieve(namespace, request);
    return {
      ...rest,
      lists: lists.map((list) => ({ ...list, scores: list.scores.filter(isShown) })),
      cosines: cosines.filter(isShown),
      passages: passages.filter(({ record }) => !hidden.has(record.id)),
    };
  };
  const passages: Store['search']['passages'] = async (...args) => {
    const loaded = await store.search.passages(...args);
    return { ...loaded, passages: loaded.passages.filter(({ record }) => !hidden.has(record.id)) };
  };
  const named: Store['search']['named'] = async (...args) =>
    (await store.search.named(...args)).filter(({ record }) => !hidden.has(record));
  return { ...store, search: { ...store.search, retrieve, passages, named } };
}

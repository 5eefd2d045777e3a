import type { Store } from '../../src/store/store.ts';
import { ALL_LIVE, matchingRecords, NOW, statsOf } from './store-samples.ts';
import { ALL, idsOf } from './written-samples.ts';

/** The results of every read that could return the text of a record, or its words. */
export async function traces(store: Store, namespace: string, id: number, word: string): Promise<unknown> {
  const stats = await statsOf(store, namespace);
  const [term] = (await store.search.terms(namespace, [word])).terms;
  return {
    found: await matchingRecords(store, namespace, word),
    word: { passages: term?.passages, near: term?.near },
    near: (await store.search.terms(namespace, [`${word}x`])).terms[0]?.near,
    passages: (await store.records.passagesOf(namespace, [id])).get(id),
    live: idsOf(await store.records.get(namespace, [id], { liveAt: NOW })),
    scanned: idsOf(await store.records.list(namespace, { scan: 'undeleted' }, ALL)).includes(id),
    listed: idsOf(await store.records.list(namespace, { filter: ALL_LIVE }, ALL)).includes(id),
    counts: [stats?.records, stats?.passages, stats?.terms],
  };
}

/** The traces of a word that only the deleted record contained. One other record remains, with one passage of one word. */
export const NO_TRACE: unknown = {
  found: [],
  word: { passages: 0, near: [] },
  near: [],
  passages: [],
  live: [],
  scanned: false,
  listed: false,
  counts: [1, 1, 1],
};

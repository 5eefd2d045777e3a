import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import type { Store } from '../../src/store/store.ts';
import { ALL_LIVE, matchingRecords, NOW } from './store-samples.ts';
import { ALL, idsOf } from './written-samples.ts';

/** Every place in which a text could be found. */
export async function traces(store: Store, namespace: string, id: number, word: string): Promise<unknown> {
  const stats = (await store.admin.stats(ADMIN_NAMESPACE)).namespaces.find(
    (one) => one.namespace === namespace,
  );
  const [known] = await store.search.terms(namespace, [word]);
  return {
    found: await matchingRecords(store, namespace, word),
    word: { passages: known?.passages, near: known?.near },
    near: (await store.search.terms(namespace, [`${word}x`]))[0]?.near,
    passages: (await store.records.passagesOf(namespace, [id])).get(id),
    live: idsOf(await store.records.get(namespace, [id], { liveAt: NOW })),
    scanned: idsOf(await store.records.list(namespace, { scan: 'undeleted' }, ALL)).includes(id),
    listed: idsOf(await store.records.list(namespace, { filter: ALL_LIVE }, ALL)).includes(id),
    counts: [stats?.records, stats?.passages, stats?.terms],
  };
}

/** The traces of a word that only this record contained, if one other record with one passage and one word remains. */
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

import { mentionNames } from '../../src/store/rules/mention-names.ts';
import { idempotentResult } from '../../src/store/items/kinds.ts';
import type { RecordFilter, TimelineRequest } from '../../src/store/model.ts';
import type { SearchFilter } from '../../src/store/search-model.ts';
import type { Oracle } from '../oracle/oracle.ts';
import { neighboursOf, passagesOf } from '../contract/queries.ts';
import { countNotesWithKeys, notesWithKey, NOW } from '../contract/store-samples.ts';
import { ALL } from '../contract/written-samples.ts';
import { NAMESPACES } from './arbitraries.ts';

export interface ObservedQueries {
  readonly words: readonly string[];
  readonly lists: readonly RecordFilter[];
}

/** The results that must be exactly equal in both stores. */
export async function observe(store: Oracle, { words, lists }: ObservedQueries): Promise<unknown> {
  return Promise.all(
    NAMESPACES.map(async (namespace) => {
      const records = await store.records.list(namespace, { scan: 'undeleted' }, ALL);
      const ids = records.map(({ id }) => id);
      const passages = Array.from({ length: 120 }, (_, i) => i + 1);
      const { highestId, nextExpiry, oldestDeletion } = await store.records.bounds(namespace);
      return {
        records,
        live: await store.records.get(namespace, [...ids, 7, ...ids.toReversed()], { liveAt: NOW }),
        byKey: await Promise.all(['k1', ''].map((key) => notesWithKey(store, namespace, key))),
        counted: await countNotesWithKeys(store, namespace, ['k1', '', 'unknown']),
        entries: await store.records.sourceEntries(namespace, 'a', ALL),
        rest: await store.records.sourceEntries(namespace, 'b', { after: 'k1', limit: 2 }),
        stale: await store.records.list(
          namespace,
          { scan: 'stale', chunking: 'one' },
          { after: 2, limit: 3 },
        ),
        links: await store.records.links(namespace, { from: ids }, ALL),
        backlinks: await store.records.links(namespace, { to: ids }, { after: null, limit: 3 }),
        unresolved: await store.records.links(namespace, { unresolved: true }, ALL),
        changes: await changesOf(store, namespace),
        timelines: await Promise.all([...ids, 7].map((record) => timelineOf(store, namespace, { record }))),
        timelineNow: await timelineOf(store, namespace, { time: NOW }, lists[0]),
        passagesOf: await store.records.passagesOf(namespace, [...ids, 999]),
        passages: await passagesOf(store, namespace, passages, { now: NOW }),
        neighbours: await neighboursOf(store, namespace, passages, { before: 2, after: 3 }),
        named: await store.search.named(namespace, [...words, ...records.flatMap(mentionNames)]),
        terms: (await store.search.terms(namespace, words)).terms,
        inAnyState: await store.records.get(namespace, passages.slice(0, 60), 'any'),
        lists: await Promise.all(lists.map((filter) => store.records.list(namespace, { filter }, ALL))),
        restOfList: await store.records.list(namespace, { filter: lists[0]! }, { after: 6, limit: 2 }),
        counts: await Promise.all(lists.map((filter) => store.records.count(namespace, filter))),
        bounds: { highestId, nextExpiry, oldestDeletion },
        idempotentResults: await Promise.all(
          ['o1', 'o2'].map((key) => idempotentResult(store.records, namespace, key, NOW)),
        ),
      };
    }),
  );
}

function timelineOf(
  { records }: Oracle,
  namespace: string,
  around: TimelineRequest['around'],
  filter: SearchFilter = { now: NOW },
): Promise<unknown> {
  return records.timeline(namespace, { filter, around, before: 3, after: 3 });
}

/** The changes without their sequence numbers, which differ between stores. */
async function changesOf({ records }: Oracle, namespace: string): Promise<unknown[]> {
  const { changes } = await records.changes(namespace, ALL);
  return changes.map(({ record, kind }) => [record, kind]);
}

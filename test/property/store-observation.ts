import { expect } from 'vitest';
import type { AuditEntry, AuditFilter } from '../../src/store/audit.ts';
import type { ListFilter } from '../../src/store/listing.ts';
import type { SearchFilter, Store } from '../../src/store/store.ts';
import { NOW } from '../contract/store-samples.ts';
import { ALL } from '../contract/written-samples.ts';
import { NAMESPACES } from './arbitraries.ts';

export interface Questions {
  readonly words: readonly string[];
  readonly lists: readonly ListFilter<SearchFilter>[];
  readonly audit: AuditFilter;
}

/** Everything that both stores must say alike, to the letter. */
export async function observe(store: Store, { words, lists, audit }: Questions): Promise<unknown> {
  const all = { after: null, limit: 1000 };
  const namespaces = await Promise.all(
    NAMESPACES.map(async (namespace) => {
      const records = await store.scanRecords(namespace, all);
      const ids = records.map(({ id }) => id);
      const passages = Array.from({ length: 120 }, (_, i) => i + 1);
      return {
        records,
        live: await store.records(namespace, [...ids, 7, ...ids.toReversed()], NOW),
        byKey: await Promise.all(['k1', ''].map((key) => store.recordsByKey(namespace, key, NOW))),
        counted: await store.countByKey(namespace, ['k1', '', 'nobody'], NOW),
        entries: await store.sourceEntries(namespace, 'a', all),
        rest: await store.sourceEntries(namespace, 'b', { after: 'k1', limit: 2 }),
        stale: await store.staleRecords(namespace, 'one', { after: 2, limit: 3 }),
        passagesOf: await store.passagesOf(namespace, [...ids, 999]),
        passages: await store.passages(namespace, passages, { now: NOW }),
        neighbours: await store.neighbours(namespace, passages, { before: 2, after: 3 }),
        terms: await store.lookUpTerms(namespace, words),
        written: await observeWritten(store, namespace, lists, audit),
      };
    }),
  );
  const pending = await Promise.all([1, 2].map((generation) => store.pendingEmbeddings(generation, all)));
  const counts = await Promise.all([1, 2].map((generation) => store.countPending(generation)));
  const stats = (await store.stats()).namespaces;
  const generations = await store.generations();
  return { namespaces, pending, counts, stats, generations, names: await store.namespaces() };
}

async function observeWritten(
  store: Store,
  namespace: string,
  lists: Questions['lists'],
  audit: AuditFilter,
): Promise<unknown> {
  expect(await store.verifyAudit(namespace)).toEqual([]);
  const held = await store.heldRecords(
    namespace,
    Array.from({ length: 60 }, (_, i) => i + 1),
  );
  const subjects = held.slice(0, 5).map(({ uuid }) => uuid);
  return {
    held,
    lists: await Promise.all(lists.map((filter) => store.listRecords(namespace, filter, ALL))),
    rest: await store.listRecords(namespace, lists[0]!, { after: 6, limit: 2 }),
    counts: await Promise.all(lists.map((filter) => store.countRecords(namespace, filter))),
    categories: await store.factCategories(namespace, NOW, 2),
    times: [
      await store.highestId(namespace),
      await store.nextExpiry(namespace),
      await store.oldestDeletion(namespace),
    ],
    done: await Promise.all(['o1', 'o2'].map((key) => store.doneOnce(namespace, key, NOW))),
    audit: await comparable(store, namespace, await store.auditEntries(namespace, audit, ALL)),
    ofOne: await Promise.all(
      subjects.map(async (subject) =>
        comparable(store, namespace, await store.auditEntries(namespace, { subject }, ALL)),
      ),
    ),
    chains: (await store.auditChains(namespace)).map(({ own, length }) => [own, length]).toSorted(),
    sources: [...(await store.sourceStates(namespace))],
    startup: await store.startupEntries(namespace),
    seen: await Promise.all(
      ['', 'ada'].flatMap((agent) =>
        ['s', 't'].map((session) => store.startupSeen(namespace, agent, session)),
      ),
    ),
    history: [
      await store.history(namespace, 'pack_history', NOW, ALL),
      await store.history(namespace, 'pipeline_history', NOW, { after: 3, limit: 2 }),
    ],
  };
}

/** Entries without what is each store's own: which chain they are of, and so their hashes and their order beside others. */
async function comparable(
  store: Store,
  namespace: string,
  entries: readonly AuditEntry[],
): Promise<unknown[]> {
  for (const [i, entry] of entries.entries()) {
    const next = entries[i + 1];
    const inOrder =
      next === undefined ||
      entry.at > next.at ||
      (entry.at === next.at &&
        (entry.chain > next.chain || (entry.chain === next.chain && entry.seq > next.seq)));
    expect(inOrder).toBe(true);
  }
  const owners = new Map<string, string>();
  for (const name of NAMESPACES) {
    for (const { own, chain } of await store.auditChains(name)) if (own) owners.set(chain, name);
  }
  return entries
    .map(({ chain, hash, previous, ...entry }) => ({
      ...entry,
      chain: owners.get(chain) ?? namespace,
      hashes: [hash.length, previous.length],
    }))
    .toSorted((a, b) => b.at - a.at || (a.chain < b.chain ? 1 : a.chain > b.chain ? -1 : b.seq - a.seq));
}

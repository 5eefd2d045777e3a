import { mentionNames } from '../../src/store/rules/mention-names.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import type { AuditEntry, AuditFilter } from '../../src/store/admin-model.ts';
import type { RecordFilter } from '../../src/store/model.ts';
import type { SearchFilter } from '../../src/store/search-model.ts';
import type { TimelineRequest } from '../../src/store/timeline-model.ts';
import type { Oracle } from '../oracle/oracle.ts';
import { neighboursOf, passagesOf } from '../contract/queries.ts';
import { countNotesWithKeys, notesWithKey, NOW } from '../contract/store-samples.ts';
import { receipt } from '../contract/store-receipts.ts';
import { ALL } from '../contract/written-samples.ts';
import { observeConcepts } from './concept-operations.ts';
import { NAMESPACES } from './arbitraries.ts';

export interface ObservedQueries {
  readonly words: readonly string[];
  readonly lists: readonly RecordFilter[];
  readonly audit: AuditFilter;
}

/** The results that must be exactly equal in both stores. */
export async function observe(store: Oracle, { words, lists, audit }: ObservedQueries): Promise<unknown> {
  const all = { after: null, limit: 1000 };
  const namespaces = await Promise.all(
    NAMESPACES.map(async (namespace) => {
      const records = await store.records.list(namespace, { scan: 'undeleted' }, all);
      const ids = records.map(({ id }) => id);
      const passages = Array.from({ length: 120 }, (_, i) => i + 1);
      return {
        records,
        live: await store.records.get(namespace, [...ids, 7, ...ids.toReversed()], { liveAt: NOW }),
        byKey: await Promise.all(['k1', ''].map((key) => notesWithKey(store, namespace, key))),
        counted: await countNotesWithKeys(store, namespace, ['k1', '', 'unknown']),
        entries: await store.records.sourceEntries(namespace, 'a', all),
        rest: await store.records.sourceEntries(namespace, 'b', { after: 'k1', limit: 2 }),
        stale: await store.records.list(
          namespace,
          { scan: 'stale', chunking: 'one' },
          { after: 2, limit: 3 },
        ),
        links: await store.records.links(namespace, { from: ids }, all),
        backlinks: await store.records.links(namespace, { to: ids }, { after: null, limit: 3 }),
        unresolved: await store.records.links(namespace, { unresolved: true }, all),
        changes: await changesOf(store, namespace),
        timelines: await Promise.all([...ids, 7].map((record) => timelineOf(store, namespace, { record }))),
        timelineNow: await timelineOf(store, namespace, { time: NOW }, lists[0]),
        passagesOf: await store.records.passagesOf(namespace, [...ids, 999]),
        passages: await passagesOf(store, namespace, passages, { now: NOW }),
        neighbours: await neighboursOf(store, namespace, passages, { before: 2, after: 3 }),
        named: await store.search.named(namespace, [...words, ...records.flatMap(mentionNames)]),
        terms: await store.search.terms(namespace, words),
        pending: await Promise.all(
          [1, 2].map((generation) => store.vectors.pending(namespace, generation, 1000)),
        ),
        pendingCounts: await Promise.all(
          [1, 2].map((generation) => store.vectors.countPending(namespace, generation)),
        ),
        pendingBytes: await Promise.all(
          [1, 2].map((generation) => store.vectors.pendingBytes(namespace, generation)),
        ),
        concepts: await observeConcepts(store, namespace),
        written: await observeWritten(store, namespace, lists, audit),
      };
    }),
  );
  const stats = (await store.admin.stats(ADMIN_NAMESPACE)).namespaces;
  const generations = await store.vectors.generations(ADMIN_NAMESPACE);
  return {
    namespaces,
    stats,
    generations,
    names: await store.admin.namespaces(ADMIN_NAMESPACE),
  };
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

async function observeWritten(
  store: Oracle,
  namespace: string,
  lists: ObservedQueries['lists'],
  audit: AuditFilter,
): Promise<unknown> {
  const records = await store.records.get(
    namespace,
    Array.from({ length: 60 }, (_, i) => i + 1),
    'any',
  );
  const subjects = records.slice(0, 5).map(({ uuid }) => uuid);
  return {
    records,
    lists: await Promise.all(lists.map((filter) => store.records.list(namespace, { filter }, ALL))),
    rest: await store.records.list(namespace, { filter: lists[0]! }, { after: 6, limit: 2 }),
    counts: await store.records.count(namespace, lists),
    categories: await store.records.factCategories(namespace, NOW, 2),
    receipts: await store.receipts.list(namespace, { since: NOW - 1 }, ALL),
    someReceipts: await store.receipts.list(
      namespace,
      { since: 0, kind: 'pack', hash: 'h1' },
      { after: { at: NOW + 2, id: receipt(3).id }, limit: 2 },
    ),
    labels: await store.receipts.labels(namespace, null, ALL),
    goldenQueries: await store.receipts.goldenQueries(namespace, { after: 1, limit: 3 }),
    labelsOfReceipt: await store.receipts.labels(namespace, 'r1', { after: 1, limit: 2 }),
    // Stores may number several changes of a record in one commit differently.
    bounds: { ...(await store.records.bounds(namespace)), lastChange: null },
    idempotentResults: await Promise.all(
      ['o1', 'o2'].map((key) => store.records.findIdempotentResult(namespace, key, NOW)),
    ),
    audit: comparable(await store.admin.auditEntries(namespace, audit, ALL)),
    auditOfSubjects: await Promise.all(
      subjects.map(async (subject) =>
        comparable(await store.admin.auditEntries(namespace, { subject }, ALL)),
      ),
    ),
    chains: await chainsOf(store, namespace),
    sources: [...(await store.records.sourceStates(namespace))],
    startup: (await store.records.startup(namespace)).entries,
    startupDigests: await Promise.all(
      ['', 'ada'].flatMap((agent) =>
        ['s', 't'].map((session) =>
          store.records.startup(namespace, { agent, session }).then(({ digest }) => digest),
        ),
      ),
    ),
    history: [
      await store.admin.history(namespace, { category: 'pack_history', now: NOW }, ALL),
      await store.admin.history(
        namespace,
        { category: 'pipeline_history', now: NOW },
        { after: 3, limit: 2 },
      ),
    ],
  };
}

/** All chains with their entries. The names of chains, and therefore their order, differ between stores. */
async function chainsOf(store: Oracle, namespace: string): Promise<unknown[]> {
  const chains = (await store.admin.auditChains(namespace)).map(async ({ own, length, chain }) => {
    const entries = await store.admin.auditChain(namespace, chain, ALL);
    return { own, length, entries: comparable(entries) };
  });
  return (await Promise.all(chains)).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** Entries without the parts that differ between stores: the chain, and therefore the hashes. */
function comparable(entries: readonly AuditEntry[]): unknown[] {
  return entries.map(({ chain, hash, previous, ...entry }) => ({
    ...entry,
    lengths: [chain, hash, previous].map((text) => text.length),
  }));
}

import { verifyStore } from './store-samples.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { describeAudit } from './store-audit.ts';
import { describeChanges, describeListing, describeTimeline } from './store-listing.ts';
import { describeFacets, describeFilters, describeTables } from './store-filters.ts';
import { describeFences, describeLeases, describeSourceStates } from './store-leases.ts';
import { describeHistory, describeReceipts, describeStartup, describeTokens } from './store-items.ts';
import { describeIsolation, describeWrittenIsolation } from './store-isolation.ts';
import { describeBelongsTo, describeLinks, describeMentionNames, describeNoteNames } from './store-links.ts';
import { describeConcepts } from './store-concepts.ts';
import { describeGraph } from './store-graph.ts';
import { describeDeletionAndRestoration, describePurge } from './store-deletion.ts';
import { describeNeighbours, describeSentences } from './store-sentences.ts';
import { describePortability } from './store-portability.ts';
import { describeConflicts, describeRecords, describeRecordValues } from './store-records.ts';
import { describeQuotas } from './store-quotas.ts';
import { describeRemoval } from './store-removal.ts';
import { describeTextSearch, describeWords } from './store-text.ts';
import { describeFigures } from './store-figures.ts';
import { describeMaintenance } from './store-maintenance.ts';
import { describePendingEmbeddings, describeVectors } from './store-vectors.ts';

/** The store under test. All tests share it, but each uses separate namespaces and generations. */
export interface StoreFixture {
  readonly store: Store;
  /** A new, empty namespace. */
  readonly namespace: () => string;
  /** A new generation without vectors. */
  readonly generation: (dimensions: number) => Promise<number>;
}

type Suite = (fixture: StoreFixture) => void;

const ALL_SUITES: readonly Suite[] = [
  // These count the rows of every namespace, so that they come first, while there are few.
  describeIsolation,
  describeWrittenIsolation,
  describePurge,
  describeDeletionAndRestoration,
  describeMaintenance,
  describeFigures,
  describeWords,
  describeRecords,
  describeRecordValues,
  describeBelongsTo,
  describeGraph,
  describeConcepts,
  describeLinks,
  describeNoteNames,
  describeMentionNames,
  describeChanges,
  describeTimeline,
  describeTables,
  describeReceipts,
  describeConflicts,
  describeSourceStates,
  describeFilters,
  describeFacets,
  describeTextSearch,
  describeVectors,
  describeSentences,
  describePendingEmbeddings,
  describeNeighbours,
  describeTokens,
  describeListing,
  describeAudit,
  describeStartup,
  describeHistory,
  describeLeases,
  describeFences,
  describePortability,
  describeRemoval,
  describeQuotas,
];

/** Calls of every role, for a store that answers as one that passes all suites and only runs the calls elsewhere. */
export const FEW_SUITES: readonly Suite[] = [describeRecords, describeIsolation, describeWrittenIsolation];

/**
 * Tests what every store must do. Each driver's test calls it with a function that opens an empty store.
 * @param open may be called several times; each call opens another store
 */
export function describeStore(name: string, open: () => Promise<Store>, suites = ALL_SUITES): void {
  describe(name, () => {
    let opened: Store | undefined;
    let created = 0;
    // Tests are collected before it is open.
    const store = new Proxy({} as Store, { get: (_, name) => Reflect.get(opened!, name) as unknown });
    const fixture: StoreFixture = {
      store,
      namespace: () => `namespace ${String(++created)}`,
      generation: async (dimensions) => {
        const spec = { provider: 'test', model: `model ${String(++created)}`, dimensions };
        return (await store.vectors.setGeneration(ADMIN_NAMESPACE, { add: spec })).id;
      },
    };
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(async () => opened?.close());

    for (const suite of suites) suite(fixture);

    it('passes all checks after these tests', async () => {
      expect(await verifyStore(store)).toEqual([]);
    });

    it('rejects calls after it is closed, and may be closed twice', async () => {
      const closed = await open();
      await Promise.all([closed.close(), closed.close()]);
      await closed.close();
      await expect(closed.admin.namespaces(ADMIN_NAMESPACE)).rejects.toMatchObject({ code: 'store_failed' });
    });
  });
}

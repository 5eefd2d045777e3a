import { verifyStore } from './store-samples.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { describeAudit } from './store-audit.ts';
import { describeChanges } from './store-changes.ts';
import { describeFacets } from './store-facets.ts';
import { describeFences } from './store-fences.ts';
import { describeFilters } from './store-filters.ts';
import { describeHistory } from './store-history.ts';
import { describeIsolation } from './store-isolation.ts';
import { describeLeases } from './store-leases.ts';
import { describeListing } from './store-listing.ts';
import { describeLinks } from './store-links.ts';
import { describeDeletionAndRestoration } from './store-deletion.ts';
import { describeNeighbours } from './store-neighbours.ts';
import { describePurge } from './store-purge.ts';
import { describePortability } from './store-portability.ts';
import { describeRecords } from './store-records.ts';
import { describeRecordValues } from './store-record-values.ts';
import { describeConflicts } from './store-conflicts.ts';
import { describeSourceStates } from './store-source-states.ts';
import { describeStartup } from './store-startup.ts';
import { describeTextSearch } from './store-text.ts';
import { describeTokens } from './store-tokens.ts';
import { describeUpkeep } from './store-upkeep.ts';
import { describeVectors } from './store-vectors.ts';
import { describePendingEmbeddings } from './store-pending.ts';
import { describeWords } from './store-words.ts';
import { describeWrittenIsolation } from './store-written-isolation.ts';

/** The store under test. All tests share it, but each uses separate namespaces and generations. */
export interface StoreFixture {
  readonly store: () => Store;
  /** A new, empty namespace. */
  readonly namespace: () => string;
  /** A new generation without vectors. */
  readonly generation: (dimensions: number) => Promise<number>;
}

/** What every store must do. Each driver's test calls it once, with a way to open an empty store. */
export function describeStore(name: string, open: () => Promise<Store>): void {
  describe(name, () => {
    let opened: Store | undefined;
    let made = 0;
    const store = (): Store => {
      if (opened === undefined) throw new Error('the store is opened before each test');
      return opened;
    };
    const subject: StoreFixture = {
      store,
      namespace: () => `namespace ${String(++made)}`,
      generation: async (dimensions) => {
        const spec = { provider: 'test', model: `model ${String(++made)}`, dimensions };
        return (await store().vectors.addGeneration(ADMIN_NAMESPACE, spec)).id;
      },
    };
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(async () => opened?.close());

    describeRecords(subject);
    describeRecordValues(subject);
    describeLinks(subject);
    describeChanges(subject);
    describeConflicts(subject);
    describeSourceStates(subject);
    describeFilters(subject);
    describeFacets(subject);
    describeTextSearch(subject);
    describeWords(subject);
    describeVectors(subject);
    describePendingEmbeddings(subject);
    describeNeighbours(subject);
    describeUpkeep(subject);
    describeTokens(subject);
    describeDeletionAndRestoration(subject);
    describePurge(subject);
    describeListing(subject);
    describeAudit(subject);
    describeStartup(subject);
    describeHistory(subject);
    describeLeases(subject);
    describeFences(subject);
    describePortability(subject);
    describeIsolation(subject);
    describeWrittenIsolation(subject);

    it('is sound after all of this', async () => {
      expect(await verifyStore(store())).toEqual([]);
    });

    it('rejects calls after it is closed, and may be closed twice', async () => {
      const other = await open();
      await Promise.all([other.close(), other.close()]);
      await other.close();
      await expect(other.admin.namespaces(ADMIN_NAMESPACE)).rejects.toMatchObject({ code: 'store_failed' });
    });
  });
}

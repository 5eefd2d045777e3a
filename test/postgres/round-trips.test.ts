import { expect, it } from 'vitest';
import { totals } from '../../src/engine/health/status.ts';
import { embedNew } from '../../src/engine/reading/embed-new.ts';
import { note } from '../contract/store-samples.ts';
import { testDatabase } from './database.ts';
import { exampleOperations, type Traffic, withCountedEngine } from './round-trips.ts';

/** At most, for a whole operation on the example vault, with vectors. */
const LIMITS: Readonly<Record<string, Traffic>> = {
  search: { roundTrips: 4, statements: 23 },
  'search, misspelt': { roundTrips: 5, statements: 32 },
  write: { roundTrips: 4, statements: 16 },
  delete: { roundTrips: 3, statements: 15 },
  'pack with the graph': { roundTrips: 24, statements: 66 },
  'startup-inject': { roundTrips: 1, statements: 1 },
  // Records that are not related to the others yet take three more statements, for the leases of those who do it.
  status: { roundTrips: 4, statements: 16 },
};

it('operations wait for the server as rarely as this', async () => {
  await using database = await testDatabase();
  await withCountedEngine(database.url, async (counted) => {
    const operations = await exampleOperations(counted);
    expect(Object.keys(operations)).toEqual(Object.keys(LIMITS));
    for (const [name, operation] of Object.entries(operations)) {
      const limit = LIMITS[name]!;
      // There is one to delete for each attempt.
      if (name === 'delete') for (let i = 0; i < 6; i++) await operations['write']!();
      const { roundTrips, statements } = await counted.measure(operation, limit);
      expect.soft(roundTrips, `round trips of ${name}`).toBeLessThanOrEqual(limit.roundTrips);
      expect.soft(statements, `statements of ${name}`).toBeLessThanOrEqual(limit.statements);
    }
  });
});

/** A loop over them would exceed every limit. */
const NAMESPACES = 60;

it('what concerns all namespaces takes no round trip for each of them', async () => {
  await using database = await testDatabase();
  await withCountedEngine(database.url, async ({ loci, run, measure }) => {
    for (let i = 0; i < NAMESPACES; i++)
      await loci.store.records.commit(`tenant ${String(i)}`, {
        writes: [note('the kettle'), note('the oven')],
      });
    await embedNew(loci);
    const expectFew = async (name: string, work: () => Promise<unknown>, limit: Traffic): Promise<void> => {
      const { roundTrips, statements } = await measure(work, limit);
      expect.soft(roundTrips, `round trips of ${name}`).toBeLessThanOrEqual(limit.roundTrips);
      expect.soft(statements, `statements of ${name}`).toBeLessThanOrEqual(limit.statements);
    };
    await expectFew('status', () => run('status', {}), LIMITS['status']!);
    await expectFew('namespaces', () => run('namespaces', {}), { roundTrips: 2, statements: 5 });
    await expectFew('metrics', () => totals(loci), { roundTrips: 2, statements: 2 });
    await expectFew('index, when nothing waits', () => embedNew(loci), { roundTrips: 6, statements: 8 });
    let written = 0;
    await expectFew(
      'write and index, in one of many namespaces',
      async () => {
        const writes = [note(`the toaster ${String(written++)}`)];
        await loci.store.records.commit('tenant 7', { writes });
        expect(await embedNew(loci)).toMatchObject({ embedded: 1 });
      },
      { roundTrips: 24, statements: 60 },
    );
    const all = 2 * NAMESPACES + written;
    expect(await totals(loci)).toMatchObject({ records: all, vectors: all, pending: 0 });
  });
});

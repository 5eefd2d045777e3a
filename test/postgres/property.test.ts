import { describe, it, onTestFinished } from 'vitest';
import { openStore } from '../../src/store/registry.ts';
import type { Store } from '../../src/store/store.ts';
import { expectIsolation } from '../property/isolation-property.ts';
import { expectResultsOfOracle } from '../property/store-property.ts';
import { repetitions } from '../repetitions.ts';
import { testDatabase } from './database.ts';

describe('PostgreSQL', () => {
  it('returns the same results as the oracle after any history', async () => {
    const open = async (): Promise<Store> => {
      const database = await testDatabase();
      const store = await openStore({ path: '', connectionString: database.url }, { create: true });
      const close = async (): Promise<void> => {
        await store.close();
        await database[Symbol.asyncDispose]();
      };
      return { ...store, close };
    };
    // A new database for each run: shrinking would take minutes.
    await expectResultsOfOracle(open, { numRuns: repetitions(5, 60), endOnFailure: true });
  }, 300_000);

  it('isolates callers that share a store, on every surface (F6)', () =>
    expectIsolation(async () => {
      const database = await testDatabase();
      onTestFinished(() => database[Symbol.asyncDispose]());
      return { store: { connectionString: database.url } };
    }, 1));
});

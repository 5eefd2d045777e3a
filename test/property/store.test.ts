import { describe, it } from 'vitest';
import { openSqliteInMemory } from '../contract/sqlite-in-memory.ts';
import { repetitions } from '../repetitions.ts';
import { expectResultsOfOracle } from './store-property.ts';

describe('SQLite', () => {
  it('returns the same results as the oracle after any history', () =>
    expectResultsOfOracle(() => Promise.resolve(openSqliteInMemory()), { numRuns: repetitions(25, 60) }));
});

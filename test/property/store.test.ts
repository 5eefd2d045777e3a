import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openMemoryStore } from '../../src/store/memory/open.ts';
import { storeCalls } from '../../src/store/sqlite/calls.ts';
import { Database } from '../../src/store/sqlite/database.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { unpacked } from '../../src/store/sqlite/wire.ts';
import type { PassageScore, Store } from '../../src/store/store.ts';
import { DIMENSIONS, NAMESPACES } from './arbitraries.ts';
import { observe } from './store-observation.ts';
import { operations } from './store-operations.ts';
import { Player } from './store-player.ts';
import { searchFilter, textQuery, vectorOf, wordsToLookUp } from './store-questions.ts';
import { auditFilter, listFilter } from './written-operations.ts';

/** SQLite's calls as they are, without their thread and without a disk: thousands of them fit in a second. */
function openInThisThread(): Store {
  const db = new Database(':memory:', { busyTimeout: 0 });
  migrate(db);
  const calls: Record<string, unknown> = {};
  for (const [name, call] of Object.entries(storeCalls(db))) {
    const run: (...parameters: never[]) => unknown = call;
    calls[name] = async (...parameters: never[]) => unpacked(name, run(...parameters));
  }
  const close = async (): Promise<void> => {
    db.close();
  };
  return { capabilities: {}, ...calls, close } as unknown as Store;
}

/** The same passages with the same scores, each list in its own right order. */
function expectSameRanking(
  actual: readonly PassageScore[],
  expected: readonly PassageScore[],
  within: number,
): void {
  const byId = (scores: readonly PassageScore[]): PassageScore[] =>
    scores.toSorted((a, b) => a.passage - b.passage);
  const [left, right] = [byId(actual), byId(expected)];
  expect(left.map(({ passage, record }) => [passage, record])).toEqual(
    right.map(({ passage, record }) => [passage, record]),
  );
  for (const [i, { score }] of left.entries())
    expect(Math.abs(score - right[i]!.score)).toBeLessThanOrEqual(within);
  for (const [i, { score, passage }] of actual.entries()) {
    const next = actual[i + 1];
    if (next !== undefined)
      expect(score > next.score || (score === next.score && passage < next.passage)).toBe(true);
  }
}

async function openBoth(): Promise<[Store, Store]> {
  const stores: [Store, Store] = [openInThisThread(), openMemoryStore()];
  for (const store of stores) {
    for (const dimensions of DIMENSIONS) {
      await store.addGeneration({ provider: 'test', model: 'm', dimensions });
    }
  }
  return stores;
}

describe('SQLite, beside the plain store in memory', () => {
  it('answers the same after any history', async () => {
    await fc.assert(
      fc.asyncProperty(
        operations,
        fc.array(fc.tuple(textQuery, searchFilter), { minLength: 3, maxLength: 6 }),
        fc.record({
          words: wordsToLookUp,
          lists: fc.array(listFilter, { minLength: 3, maxLength: 6 }),
          audit: auditFilter,
        }),
        async (history, queries, questions) => {
          const [sqlite, memory] = await openBoth();
          const [one, other] = [new Player(sqlite), new Player(memory)];
          for (const operation of history) {
            expect(await one.play(operation), operation.kind).toEqual(await other.play(operation));
          }
          expect(await observe(sqlite, questions)).toEqual(await observe(memory, questions));
          for (const namespace of NAMESPACES) {
            for (const [query, filter] of queries) {
              const ask = (store: Store): Promise<PassageScore[]> =>
                store.searchText(namespace, query, filter, 1000);
              expectSameRanking(await ask(sqlite), await ask(memory), 1e-6);
            }
            for (const generation of [1, 2]) {
              const vector = vectorOf('0123456789abcdef', DIMENSIONS[generation - 1]!);
              const filter = queries[0]![1];
              const near = (store: Store): Promise<PassageScore[]> =>
                store.searchVectors(namespace, generation, vector, filter, 1000);
              expectSameRanking(await near(sqlite), await near(memory), 0.01);
            }
          }
          expect(await sqlite.verify()).toEqual([]);
          await sqlite.close();
        },
      ),
      { numRuns: 60 },
    );
  });
});

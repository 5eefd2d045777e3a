import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyze } from '../../src/core/text/analyze.ts';
import { openMemoryStore } from '../../src/store/memory/open.ts';
import { calledStore } from '../../src/store/sqlite/called-store.ts';
import { storeCalls, type StoreCall } from '../../src/store/sqlite/calls.ts';
import { Database } from '../../src/store/sqlite/database.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import type { PassageScore, Store } from '../../src/store/store.ts';
import { NOW } from '../contract/store-samples.ts';
import { DIMENSIONS, NAMESPACES } from './arbitraries.ts';
import { observe } from './store-observation.ts';
import { operations } from './store-operations.ts';
import { Player } from './store-player.ts';
import { searchFilter, textQuery, vectorOf, wordsToLookUp } from './store-questions.ts';
import { auditFilter, listFilter } from './written-operations.ts';
import { repetitions } from '../repetitions.ts';

/** SQLite's calls as they are, without their thread and without a disk: thousands of them fit in a second. */
function openInThisThread(): Store {
  const db = new Database(':memory:', { busyTimeout: 0 });
  migrate(db);
  const calls = storeCalls(db);
  const make = async (call: StoreCall, parameters: readonly unknown[]): Promise<unknown> =>
    (calls[call] as (...given: readonly unknown[]) => unknown)(...parameters);
  const close = async (): Promise<void> => {
    db.close();
  };
  return {
    ...calledStore(Object.keys(calls) as StoreCall[], make),
    capabilities: { name: 'sqlite', durable: false, shared: false },
    close,
  };
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

/** What a search reads on its way. */
async function look(store: Store, namespace: string, words: readonly string[]): Promise<unknown> {
  const any = words.flatMap((word) => analyze(word).map(({ term }) => ({ terms: [term], prefix: false })));
  const weights = { title: 6, headings: 1.5, body: 1, tags: 1 };
  const scores = await store.searchText(namespace, { any, all: [], weights }, { now: NOW }, 1000);
  const found = scores.map(({ passage }) => passage).toSorted((a, b) => a - b);
  return {
    terms: await store.lookUpTerms(namespace, words),
    scores: scores.map(({ score }) => score.toFixed(6)),
    passages: await store.passages(namespace, found, { now: NOW }),
  };
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
            // In between too: what was read before a change must not be answered after it.
            for (const namespace of NAMESPACES)
              expect(await look(sqlite, namespace, questions.words), operation.kind).toEqual(
                await look(memory, namespace, questions.words),
              );
          }
          expect(await observe(sqlite, questions)).toEqual(await observe(memory, questions));
          for (const namespace of NAMESPACES) {
            for (const [query, filter] of queries) {
              const ask = (store: Store): Promise<PassageScore[]> =>
                store.searchText(namespace, query, filter, 1000);
              expectSameRanking(await ask(sqlite), await ask(memory), 1e-6);
            }
            for (const [, filter] of queries)
              expect(await sqlite.newest(namespace, filter, 5)).toEqual(
                await memory.newest(namespace, filter, 5),
              );
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
      { numRuns: repetitions(25, 60) },
    );
  });
});

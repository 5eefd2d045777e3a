import { type Oracle, openOracle } from '../oracle/oracle.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import fc from 'fast-check';
import { expect } from 'vitest';
import { analyze } from '../../src/core/text/analyze.ts';
import type { PassageScore, SearchFilter, TextQuery } from '../../src/store/search-model.ts';
import type { Store } from '../../src/store/store.ts';
import { nearestInTime, passagesOf, searchText, searchVectors } from '../contract/queries.ts';
import { NOW, verifyStore } from '../contract/store-samples.ts';
import { DIMENSIONS, NAMESPACES } from './arbitraries.ts';
import { observe } from './store-observation.ts';
import { operations } from './store-operations.ts';
import { OperationRunner } from './operation-runner.ts';
import { listFilter, searchFilter, textQuery, vectorOf, wordsToLookUp } from './store-queries.ts';
import { verifyAudit } from '../contract/written-samples.ts';

/** Expects the same passages with the same scores, and a valid order of the actual list. */
function expectSameRanking(
  actual: readonly PassageScore[],
  expected: readonly PassageScore[],
  tolerance: number,
): void {
  const byId = (scores: readonly PassageScore[]): PassageScore[] =>
    scores.toSorted((a, b) => a.passage - b.passage);
  const [left, right] = [byId(actual), byId(expected)];
  expect(left.map(({ passage, record }) => [passage, record])).toEqual(
    right.map(({ passage, record }) => [passage, record]),
  );
  for (const [i, { score }] of left.entries())
    expect(Math.abs(score - right[i]!.score)).toBeLessThanOrEqual(tolerance);
  for (const [i, { score, passage }] of actual.entries()) {
    const next = actual[i + 1];
    if (next !== undefined)
      expect(score > next.score || (score === next.score && passage < next.passage)).toBe(true);
  }
}

/** All data that searches read. */
async function readSearchData(
  store: Oracle,
  namespace: string,
  words: readonly string[],
  scoreOf: (score: number) => unknown,
): Promise<unknown> {
  const any = words.flatMap((word) => analyze(word).map(({ term }) => ({ terms: [term], prefix: false })));
  const weights = { title: 6, headings: 1.5, body: 1, tags: 1 };
  const scores = await searchText(store, namespace, { any, all: [], weights }, { now: NOW }, 1000);
  const found = scores.map(({ passage }) => passage).toSorted((a, b) => a - b);
  return {
    terms: (await store.search.terms(namespace, words)).terms,
    scores: scores.map(({ score }) => scoreOf(score)),
    passages: await passagesOf(store, namespace, found, { now: NOW }),
  };
}

/** The parts of retrieval results that do not depend on the order of nearly equal scores. */
async function retrieve(
  store: Oracle,
  namespace: string,
  text: TextQuery,
  filter: SearchFilter,
  scoreOf: (score: number) => unknown,
): Promise<unknown> {
  const all = { filter, limit: 1000 };
  const vector = { generation: 1, vector: vectorOf('0123456789abcdef', DIMENSIONS[0]) };
  const spread = await store.search.retrieve(namespace, {
    queries: [{ by: 'text', text, ...all, spread: { minRecords: 2, maxPerRecord: 1 } }],
    load: true,
  });
  const scored = await store.search.retrieve(namespace, {
    queries: [
      { by: 'text', text, ...all },
      {
        by: 'vector',
        vector,
        filter: { ...filter, origins: ['memory'] },
        limit: 1000,
      },
    ],
    cosines: vector,
  });
  const rounded = (scores: readonly PassageScore[]): unknown =>
    scores
      .toSorted((a, b) => a.passage - b.passage)
      .map(({ passage, record, score }) => [passage, record, scoreOf(score)]);
  return {
    records: spread.lists.map(({ scores }) => scores.map(({ record }) => record).sort((a, b) => a - b)),
    loaded: spread.passages.map(({ record }) => record).toSorted((a, b) => a.id - b.id),
    mixed: rounded(scored.lists[1]!.scores),
    cosines: rounded(scored.cosines),
  };
}

async function addGenerations(store: Store): Promise<void> {
  for (const dimensions of DIMENSIONS)
    await store.vectors.setGeneration(ADMIN_NAMESPACE, { add: { provider: 'test', model: 'm', dimensions } });
}

/** Expects the results of the oracle from a store, which is opened for each run, after any history. */
export async function expectResultsOfOracle(
  open: () => Promise<Store>,
  parameters: Pick<fc.Parameters<unknown>, 'numRuns' | 'endOnFailure'>,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      operations,
      fc.array(fc.tuple(textQuery, searchFilter), { minLength: 3, maxLength: 6 }),
      fc.record({
        words: wordsToLookUp,
        lists: fc.array(listFilter, { minLength: 3, maxLength: 6 }),
      }),
      async (history, queries, observed) => {
        const [store, oracle] = [await open(), openOracle(DIMENSIONS)];
        await using _closing = { [Symbol.asyncDispose]: () => store.close() };
        await addGenerations(store);
        const [runner, oracleRunner] = [new OperationRunner(store), new OperationRunner(oracle)];
        for (const operation of history) {
          expect(await runner.run(operation), operation.kind).toEqual(await oracleRunner.run(operation));
          // The results are compared after every operation, because a cached result must not be returned after a change.
          for (const namespace of NAMESPACES)
            expect(
              await readSearchData(store, namespace, observed.words, (score) => score),
              operation.kind,
            ).toEqual(
              await readSearchData(oracle, namespace, observed.words, (score) => expect.closeTo(score, 5)),
            );
        }
        expect(await observe(store, observed)).toEqual(await observe(oracle, observed));
        for (const namespace of NAMESPACES) {
          for (const [query, filter] of queries) {
            const search = (each: Oracle): Promise<PassageScore[]> =>
              searchText(each, namespace, query, filter, 1000);
            expectSameRanking(await search(store), await search(oracle), 1e-6);
          }
          for (const [text, filter] of queries)
            expect(await retrieve(store, namespace, text, filter, (score) => score)).toEqual(
              await retrieve(oracle, namespace, text, filter, (score) => expect.closeTo(score, 1)),
            );
          for (const [, filter] of queries)
            expect(await nearestInTime(store, namespace, filter, 5)).toEqual(
              await nearestInTime(oracle, namespace, filter, 5),
            );
          for (const generation of [1, 2]) {
            const vector = vectorOf('0123456789abcdef', DIMENSIONS[generation - 1]!);
            const filter = queries[0]![1];
            const near = (each: Oracle): Promise<PassageScore[]> =>
              searchVectors(each, namespace, generation, vector, filter, 1000);
            expectSameRanking(await near(store), await near(oracle), 0.01);
          }
        }
        expect(await verifyStore(store)).toEqual([]);
        for (const namespace of NAMESPACES) expect(await verifyAudit(store, namespace)).toEqual([]);
      },
    ),
    parameters,
  );
}

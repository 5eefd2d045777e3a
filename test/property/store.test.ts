import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LociError } from '../../src/core/errors.ts';
import { openMemoryStore } from '../../src/store/memory/open.ts';
import { storeCalls } from '../../src/store/sqlite/calls.ts';
import { Database } from '../../src/store/sqlite/database.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { unpacked } from '../../src/store/sqlite/wire.ts';
import type { PassageScore, Store } from '../../src/store/store.ts';
import { cutNow, cutOf, NOW } from '../contract/store-samples.ts';
import * as random from './store-operations.ts';
import type { Operation, Which } from './store-operations.ts';

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

type Outcome = { readonly value: unknown } | { readonly refused: string };

async function outcomeOf(work: Promise<unknown>): Promise<Outcome> {
  try {
    return { value: await work };
  } catch (error) {
    return { refused: error instanceof LociError ? error.code : String(error) };
  }
}

/** Does to one store what the history says. Ids are those of the store under test: both give the same. */
class Player {
  readonly #store: Store;
  readonly #written = new Map<string, number[]>();

  constructor(store: Store) {
    this.#store = store;
  }

  async play(operation: Operation): Promise<Outcome> {
    return outcomeOf(this.#run(operation));
  }

  async #run(operation: Operation): Promise<unknown> {
    const store = this.#store;
    switch (operation.kind) {
      case 'commit':
        return this.#commit(operation);
      case 'putVectors': {
        const pending = await store.pendingEmbeddings(operation.generation, { after: null, limit: 1000 });
        const dimensions = random.DIMENSIONS[operation.generation - 1] ?? 0;
        const chosen = pending.filter((_, i) => i % operation.share === 0);
        return store.putVectors(
          operation.generation,
          chosen.map(({ namespace, hash }) => ({
            namespace,
            hash,
            vector: random.vectorOf(hash, dimensions),
          })),
        );
      }
      case 'putPassages': {
        const ids = operation.records.map((which) => this.#idOf(operation.namespace, which));
        const passages = new Map(ids.map((id) => [id, operation.passages]));
        const cut = await cutNow(store, operation.namespace, passages);
        const stale = new Map(ids.map((id) => [id, cutOf(undefined, operation.passages)]));
        return store.putPassages(operation.namespace, operation.chunking, operation.current ? cut : stale);
      }
      case 'dropDerived':
        return store.dropDerived(operation.namespace, { vectors: operation.vectors });
      case 'markStale':
        return store.markStale(operation.namespace, { vectors: operation.vectors });
      case 'activate':
        return store.activateGeneration(operation.generation);
      case 'sweep':
        return store.sweep();
    }
  }

  async #commit({
    namespace,
    writes,
    evictions,
    chunking,
  }: Operation & { kind: 'commit' }): Promise<number[]> {
    const ids = await this.#store.commit(namespace, {
      writes: writes.map(({ which, draft, passages }) => ({
        id: which === null ? null : this.#idOf(namespace, which),
        draft,
        passages,
      })),
      evictions: evictions.map((which) => this.#idOf(namespace, which)),
      chunking,
    });
    this.#written.set(namespace, [...(this.#written.get(namespace) ?? []), ...ids]);
    return ids;
  }

  #idOf(namespace: string, which: Which): number {
    const written = this.#written.get(namespace) ?? [];
    return which === 'unknown' ? 1_000_000 : (written[which % Math.max(written.length, 1)] ?? 1_000_000);
  }
}

/** Everything that both stores must say alike, to the letter. */
async function observe(store: Store, words: readonly string[]): Promise<unknown> {
  const all = { after: null, limit: 1000 };
  const namespaces = await Promise.all(
    random.NAMESPACES.map(async (namespace) => {
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
      };
    }),
  );
  const pending = await Promise.all([1, 2].map((generation) => store.pendingEmbeddings(generation, all)));
  const counts = await Promise.all([1, 2].map((generation) => store.countPending(generation)));
  const stats = (await store.stats()).namespaces;
  const generations = await store.generations();
  return { namespaces, pending, counts, stats, generations, names: await store.namespaces() };
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
    for (const dimensions of random.DIMENSIONS) {
      await store.addGeneration({ provider: 'test', model: 'm', dimensions });
    }
  }
  return stores;
}

describe('SQLite, beside the plain store in memory', () => {
  it('answers the same after any history', async () => {
    await fc.assert(
      fc.asyncProperty(
        random.operations,
        fc.array(fc.tuple(random.textQuery, random.searchFilter), { minLength: 3, maxLength: 6 }),
        random.wordsToLookUp,
        async (operations, queries, words) => {
          const [sqlite, memory] = await openBoth();
          const [one, other] = [new Player(sqlite), new Player(memory)];
          for (const operation of operations) {
            expect(await one.play(operation), operation.kind).toEqual(await other.play(operation));
          }
          expect(await observe(sqlite, words)).toEqual(await observe(memory, words));
          for (const namespace of random.NAMESPACES) {
            for (const [query, filter] of queries) {
              const ask = (store: Store): Promise<PassageScore[]> =>
                store.searchText(namespace, query, filter, 1000);
              expectSameRanking(await ask(sqlite), await ask(memory), 1e-6);
            }
            for (const generation of [1, 2]) {
              const vector = random.vectorOf('0123456789abcdef', random.DIMENSIONS[generation - 1]!);
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
      { numRuns: 40 },
    );
  });
});

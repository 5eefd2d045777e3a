import { searchVectors } from '../test/contract/queries.ts';
import { ADMIN_NAMESPACE } from '../src/store/rules/admin-namespace.ts';
import { openEmbedder } from '../src/embed/registry.ts';
import type { Embedder } from '../src/embed/embedder.ts';
import { DEFAULT_RANKING } from '../src/search/rank/ranking.ts';
import { runSearch } from '../src/search/search.ts';
import { openStore } from '../src/store/registry.ts';
import type { Store } from '../src/store/store.ts';
import { NOW, type BenchQuery } from './corpus.ts';
import { exactNearest } from './exact.ts';
import type { BenchStore } from './fill.ts';
import { packOnce } from './packs.ts';
import { PlainSearch } from './plain.ts';
import type { Measure } from './report.ts';
import { quantile, timeEach } from './timing.ts';
import { DIMENSIONS } from './vector-model.ts';

const NEAREST = 10;
const LIMIT = 10;
const MIN_RECALL = 0.98;
/** Queries that are run before the measurement, because V8 compiles hot code and an agent's memory runs permanently. */
const WARM_UP_QUERIES = 100;

/** Compares a whole search and its vector stage with a plain FTS5 AND query and an exact scan, one query after the other. */
export async function measureSearch(bench: BenchStore, passages: number): Promise<Measure[]> {
  const store = await openStore({ path: bench.path }, { create: false });
  const local = await openEmbedder({ provider: 'local' });
  const plain = new PlainSearch(bench.plainPath);
  try {
    const generation = (await store.vectors.generations(ADMIN_NAMESPACE)).find(({ active }) => active)!.id;
    const searchWith = (embedder: Embedder) => (query: BenchQuery) =>
      searchOnce(store, { embedder, generation }, query);
    const measureTimes = async (work: (query: BenchQuery) => unknown): Promise<number[]> => {
      await timeEach(bench.queries.slice(0, WARM_UP_QUERIES), work);
      // These are not the queries of the warm-up, so none is run twice.
      return timeEach(bench.queries.slice(WARM_UP_QUERIES), work);
    };
    const precomputed = await measureTimes(searchWith(precomputedVectors(bench.queries)));
    const embedded = local === null ? [] : await measureTimes(searchWith(local));
    const plainTimes = await measureTimes((query) => plain.search(query));
    const vectorsOf = { embedder: precomputedVectors(bench.queries), generation };
    const packs = await measureTimes((query) => packOnce(store, vectorsOf, query));
    const { vectorTimes, exact, recall } = await compareVectors(bench, store, generation);
    return [
      ...comparisonRows('search', precomputed, 'plain FTS5 AND', plainTimes, latencyTarget(passages)),
      ...comparisonRows('search', precomputed, 'exact scan', exact),
      ...comparisonRows('search with query embedding', embedded, 'plain FTS5 AND', plainTimes),
      ...comparisonRows('pack', packs, 'search', precomputed, { of: 'ours', most: 60, checked: false }),
      ...comparisonRows('vector stage', vectorTimes, 'exact scan', exact),
      {
        what: `recall@${String(NEAREST)} of the vector stage`,
        unit: 'share',
        ours: recall,
        baseline: { name: 'exact scan', value: 1 },
        target: { of: 'ratio', least: MIN_RECALL, checked: true },
      },
    ];
  } finally {
    await store.close();
    await local?.close();
    plain.close();
  }
}

/** A search as the engine makes it. */
export function searchOnce(
  store: Store,
  vectors: { embedder: Embedder; generation: number },
  query: BenchQuery,
): unknown {
  const filter = { now: NOW };
  const { namespace, text } = query;
  return runSearch({
    store,
    namespace,
    query: text,
    filter,
    limit: LIMIT,
    ranking: DEFAULT_RANKING,
    vectors,
  });
}

/** An embedder that returns the vector given with the query. */
export function precomputedVectors(queries: readonly BenchQuery[]): Embedder {
  const vectors = new Map(queries.map(({ text, vector }) => [text, vector]));
  return {
    provider: 'bench',
    model: 'synthetic',
    dimensions: DIMENSIONS,
    maxTokens: 512,
    embed: (texts) => Promise.resolve(texts.map((text) => vectors.get(text)!)),
    countTokens: (text) => text.length,
    close: () => Promise.resolve(),
  };
}

async function compareVectors(
  bench: BenchStore,
  store: Store,
  generation: number,
): Promise<{ vectorTimes: number[]; exact: number[]; recall: number }> {
  const found = new Map<BenchQuery, Set<number>>();
  const vectorTimes = await timeEach(bench.queries, async (query) => {
    const { namespace, vector } = query;
    const scores = await searchVectors(store, namespace, generation, vector, { now: NOW }, NEAREST);
    found.set(query, new Set(scores.map(({ record }) => record)));
  });
  const exact: number[] = [];
  let [hits, expected] = [0, 0];
  // Only one namespace's vectors are in memory at a time: a million of them take 1.5 GB.
  for (const [namespace, queries] of Map.groupBy(bench.queries, (query) => query.namespace)) {
    const vectors = bench.exactVectors(namespace);
    exactNearest(vectors, queries[0]!.vector, NEAREST);
    const times = await timeEach(queries, (query) => {
      const nearest = exactNearest(vectors, query.vector, NEAREST);
      expected += nearest.length;
      hits += nearest.filter((row) => found.get(query)!.has(row + 1)).length;
    });
    exact.push(...times);
  }
  return { vectorTimes, exact, recall: hits / expected };
}

function comparisonRows(
  what: string,
  ours: readonly number[],
  name: string,
  baseline: readonly number[],
  p95?: Measure['target'],
): Measure[] {
  const row = (share: number): Measure => ({
    what: `${what}, p${String(share * 100)}`,
    unit: 'ms',
    ours: quantile(ours, share),
    baseline: { name, value: quantile(baseline, share) },
  });
  return [row(0.5), p95 === undefined ? row(0.95) : { ...row(0.95), target: p95 }];
}

/** Target for the 95th percentile in milliseconds, for a store of this size or the next larger one. */
function latencyTarget(passages: number): NonNullable<Measure['target']> {
  const most = passages <= 10_000 ? 10 : passages <= 100_000 ? 20 : 80;
  return { of: 'ours', most, checked: false };
}

import { sectionQuery, withPassages } from '../src/engine/packs/memory-pack.ts';
import type { Embedder } from '../src/embed/embedder.ts';
import type { Candidate } from '../src/pack/candidate.ts';
import { buildPack, candidatesFor } from '../src/pack/pack.ts';
import { loadTokenCounter, TOKENIZER } from '../src/pack/tokens.ts';
import { DEFAULT_RANKING } from '../src/search/rank/ranking.ts';
import { runSearch } from '../src/search/search.ts';
import type { Store } from '../src/store/store.ts';
import { NOW, type BenchQuery } from './corpus.ts';

const BUDGET = 2000;

/**
 * Makes a pack of 2,000 tokens: the search, all sections of what it finds, and the text. Without credentials and the receipt, which take
 * no time that grows with the store.
 */
export async function packOnce(
  store: Store,
  vectors: { readonly embedder: Embedder; readonly generation: number },
  { namespace, text: query }: BenchQuery,
): Promise<void> {
  const outcome = await runSearch({
    ...{ store, namespace, query, vectors, ranking: DEFAULT_RANKING },
    ...{ filter: { now: NOW }, limit: candidatesFor(BUDGET) },
  });
  const ids = outcome.hits.map(({ passage }) => passage.record.id);
  const records = await store.records.get(namespace, ids, { liveAt: NOW });
  const byId = new Map(records.map((record) => [record.id, record]));
  const found = outcome.hits.map(({ passage, confidence, score }): Candidate => ({
    ...{ record: byId.get(passage.record.id)!, passage, passages: [], secrets: [], score: confidence },
    ...{ relevance: score / outcome.hits[0]!.score, lane: 'search', path: null, via: null },
    ...{ citation: `record/${String(passage.record.id)}`, excluded: null },
  }));
  await buildPack({
    query: sectionQuery(outcome),
    candidates: await withPassages(store, namespace, outcome, found),
    ...{ budget: BUDGET, embeds: [], isUnsure: false, fence: 'loci-pack' },
    ...{ count: await loadTokenCounter(), tokenizer: TOKENIZER },
    findCredentials: () => Promise.resolve({ secrets: [], inTitle: false }),
  });
}

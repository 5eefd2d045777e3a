import { openSqliteInMemory } from '../../test/contract/sqlite-in-memory.ts';
import { describe, expect, it } from 'vitest';
import { addVectors, ALL_LIVE, unit } from '../../test/contract/store-samples.ts';
import { LociError } from '../core/errors.ts';
import type { Embedder } from '../embed/embedder.ts';
import { DEFAULT_RANKING } from './rank/ranking.ts';
import { runSearch, type SearchOutcome } from './search.ts';

type Search = (namespace: string, query: string, signal: AbortSignal) => Promise<SearchOutcome>;

/** Searches of an empty store with a model that `embed` stands for. */
async function searchWith(embed: (text: string) => Promise<Float32Array>): Promise<Search> {
  const store = openSqliteInMemory();
  const generation = await addVectors(store);
  const embedder: Embedder = {
    provider: 'test',
    model: 'm',
    dimensions: 3,
    maxTokens: 512,
    embed: (texts) => Promise.all(texts.map(embed)),
    countTokens: (text) => text.length,
    close: () => Promise.resolve(),
  };
  const options = { store, filter: ALL_LIVE, limit: 10, ranking: DEFAULT_RANKING };
  return (namespace, query, signal) =>
    runSearch({ ...options, namespace, query, signal, vectors: { embedder, generation } });
}

describe('runSearch', () => {
  it('embeds a query once for all namespaces of a request, and again for another request', async () => {
    const embedded: string[] = [];
    const search = await searchWith((text) => {
      embedded.push(text);
      return Promise.resolve(unit(1, 0, 0));
    });
    const ask = (query: string, signal: AbortSignal): Promise<unknown> =>
      Promise.all(['n', 'm'].map((namespace) => search(namespace, query, signal)));
    const { signal } = new AbortController();
    await ask('marble', signal);
    expect(embedded).toEqual(['marble']);
    await ask('granite', signal);
    await ask('granite', new AbortController().signal);
    expect(embedded).toEqual(['marble', 'granite', 'granite']);
  });

  it('asks the model again after it has failed', async () => {
    let calls = 0;
    const search = await searchWith(() =>
      ++calls === 1
        ? Promise.reject(new LociError('embedding_unavailable', 'the model is loading'))
        : Promise.resolve(unit(1, 0, 0)),
    );
    const { signal } = new AbortController();
    const missing = async (): Promise<readonly string[]> => {
      const { retrieved } = await search('n', 'marble', signal);
      return retrieved.missing.map((each) => each.signal);
    };
    expect(await missing()).toEqual(['vector']);
    expect(await missing()).toEqual([]);
  });
});

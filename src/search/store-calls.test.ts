import { describe, expect, it } from 'vitest';
import { countSequentialCalls } from '../../test/contract/call-depth.ts';
import { openSqliteInMemory } from '../../test/contract/sqlite-in-memory.ts';
import { embed, note, NOW, unit, write } from '../../test/contract/store-samples.ts';
import type { Embedder } from '../embed/embedder.ts';
import { ADMIN_NAMESPACE } from '../store/rules/admin-namespace.ts';
import { DEFAULT_RANKING } from './rank/ranking.ts';
import type { SearchOptions } from './run.ts';
import { runSearch } from './search.ts';

const DAY = 86_400_000;

/** An embedder that returns the same vector for all texts. */
const EMBEDDER: Embedder = {
  ...{ provider: 'test', model: 'm', dimensions: 3, maxTokens: 512 },
  embed: (texts) => Promise.resolve(texts.map(() => unit(1, 0, 0))),
  countTokens: (text) => text.length,
  close: () => Promise.resolve(),
};

const todo = { origin: 'source', source: 'tasks', recordType: 'task' } as const;
const turn = { origin: 'memory', metadata: { session: 's' } } as const;
const NOTES = [
  note('marble worktop of the kitchen', { title: 'Kitchen' }),
  // This long note fills every list of candidates.
  note(Array.from({ length: 400 }, (_, i) => `marble floor ${String(i)}`)),
  note('which marble shall we take', turn),
  note('the grey one', turn),
  note('then order it', turn),
  note('bees', { createdAt: NOW - DAY }),
  note('todos of the bees'),
  note('order handles', { ...todo, createdAt: NOW + DAY, metadata: { completed: false } }),
  note('order marble', { ...todo, createdAt: NOW - DAY, metadata: { completed: true } }),
];

/** The sequence of store calls of a search. Concurrent calls form one group. */
async function callsOf(query: string, options: Partial<SearchOptions> = {}): Promise<string[][]> {
  const { store, sequence, reset } = countSequentialCalls(openSqliteInMemory());
  const { provider, model, dimensions } = EMBEDDER;
  const { id } = await store.vectors.setGeneration(ADMIN_NAMESPACE, { add: { provider, model, dimensions } });
  await write(store, 'n', ...NOTES);
  await embed(store, id, 'n', () => unit(1, 0, 0));
  await write(store, 'n', note('marble without a vector'));
  const edges = new Map([[8, [{ note: 1, share: 1, confidence: 1 }]]]);
  await store.records.commit('n', {
    belongsTo: { edges, progress: { upTo: 1, excludedSources: [], pass: null } },
  });
  reset();
  const outcome = await runSearch({
    ...{ store, namespace: 'n', query, filter: { now: NOW }, limit: 10, ranking: DEFAULT_RANKING },
    vectors: { embedder: EMBEDDER, generation: id },
    sourceNames: new Map([['tasks', 'Tasks']]),
    ...options,
  });
  expect(outcome.hits.length).toBeGreaterThan(0);
  return sequence().map((group) => group.toSorted());
}

const SEARCH_CALLS = [['search.terms'], ['search.retrieve'], ['search.passages', 'vectors.sentenceCosines']];

/** A result that lacks a part of the query is asked for what it leads to, in one more call. */
const WITHOUT_BRIDGES = { ranking: { ...DEFAULT_RANKING, bridging: null } };

describe('the store calls of a search', () => {
  it.each([
    ['words', 'marble worktop'],
    ['a required phrase', '"marble worktop"'],
    ['turns of sessions', 'which marble shall we take'],
    ['dates', 'what did I do yesterday'],
    ['documents about a topic', 'marble todos'],
  ])('are three in a row for %s', async (_, query) => {
    expect(await callsOf(query, WITHOUT_BRIDGES)).toEqual(SEARCH_CALLS);
    const ofWords = [...SEARCH_CALLS.slice(0, 2), ['search.passages']];
    expect(await callsOf(query, { ...WITHOUT_BRIDGES, vectors: null })).toEqual(ofWords);
  });

  it('are as many for a misspelt word, which texts may write as two', async () => {
    expect(await callsOf('marbel worktop')).toEqual(SEARCH_CALLS);
  });

  it.each([
    ['a list of documents', 'my todos'],
    ['a list of documents in one state', 'completed tasks'],
    ['a list of documents of dates', 'todos tomorrow'],
  ])('are three in a row for %s, which is retrieved while the terms are looked up', async (_, query) => {
    expect(await callsOf(query)).toEqual([['search.retrieve', 'search.terms'], ...SEARCH_CALLS.slice(1)]);
  });

  it('are three in a row when a query for a list finds no documents', async () => {
    const options = { filter: { now: NOW, excludedSources: ['tasks'] } };
    const ranking = { ...DEFAULT_RANKING, bridging: null };
    expect(await callsOf('my todos', { ...options, ranking })).toEqual([
      ['search.retrieve', 'search.terms'],
      ...SEARCH_CALLS.slice(1),
    ]);
  });

  it('are one more when the best results lack words of the query, and two when they lead to an unknown record', async () => {
    expect(await callsOf('marble worktop handles')).toEqual([...SEARCH_CALLS, ['search.named']]);
    const { store, sequence, reset } = countSequentialCalls(openSqliteInMemory());
    const links = [{ target: 'shop' }];
    await write(
      store,
      'n',
      note('[[shop]] of marble in Falkirk', { title: 'House', key: 'house.md', metadata: { links } }),
      note('handles', { title: 'Shop', key: 'shop.md' }),
      note('prices in Falkirk', { title: 'Market', key: 'market.md' }),
    );
    reset();
    const options = { store, namespace: 'n', filter: { now: NOW }, limit: 10, vectors: null };
    await runSearch({ ...options, ranking: DEFAULT_RANKING, query: 'marble prices in euros' });
    const [calls, bridge, load] = [sequence().slice(0, 3), sequence()[3], sequence()[4]];
    expect(calls).toEqual([...SEARCH_CALLS.slice(0, 2), ['search.passages']]);
    expect(bridge?.toSorted()).toEqual(['records.links', 'search.named', 'search.terms']);
    expect(load).toEqual(['search.passages']);
    expect(sequence()).toHaveLength(5);
  });

  it('start while the vectors to search are looked up', async () => {
    const { store, sequence } = countSequentialCalls(openSqliteInMemory());
    const lookUp = async (): Promise<null> => {
      await store.vectors.generations(ADMIN_NAMESPACE);
      return null;
    };
    const options = { store, namespace: 'n', query: 'marble', filter: { now: NOW }, limit: 10 };
    await runSearch({ ...options, ranking: DEFAULT_RANKING, vectors: lookUp() });
    expect(sequence().map((group) => group.toSorted())).toEqual([
      ['search.terms', 'vectors.generations'],
      ['search.retrieve'],
      ['search.passages'],
    ]);
  });

  it('are three in a row when documents that belong to the best note are wanted, and a fourth loads these', async () => {
    const related = { resultLimit: 1, limit: 5, excludedSources: [] };
    const options = { ...WITHOUT_BRIDGES, related };
    const withEdges = [...SEARCH_CALLS.slice(0, 2), ['records.belongsTo', ...SEARCH_CALLS[2]!]];
    expect(await callsOf('bees', options)).toEqual(withEdges);
    expect(await callsOf('marble worktop of the kitchen', options)).toEqual([
      ...withEdges,
      ['search.passages'],
    ]);
  });
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { countSequentialCalls, type CountedStore } from '../../../test/contract/call-depth.ts';
import { openSqliteInMemory } from '../../../test/contract/sqlite-in-memory.ts';
import { note, write } from '../../../test/contract/store-samples.ts';
import { configSchema } from '../../config/schema.ts';
import { embedPending } from '../../ingest/embed.ts';
import type { Store } from '../../store/store.ts';
import { EngineContext } from '../context.ts';
import { vectorsToFill } from '../embedding/models.ts';
import { search } from './search.ts';

const CONFIG = configSchema.parse({ embedding: { provider: 'local' } });

let counted: CountedStore;
let context: EngineContext;

beforeAll(async () => {
  counted = countSequentialCalls(openSqliteInMemory());
  context = EngineContext.create(CONFIG, counted.store);
  const { namespace } = context;
  const memory = { origin: 'memory', source: 'ada' } as const;
  await write(counted.store, namespace, note('a marble worktop', memory), note('a granite floor'));
  const vectors = (await vectorsToFill(context))!;
  await embedPending(counted.store, vectors.embedder, vectors.generation);
  // The first search opens the model and reads when the next record expires.
  await search(context, { query: 'marble' });
});

afterAll(() => context.close());

async function callsOf(query: string, origins: ('memory' | 'vault')[]): Promise<string[][]> {
  counted.reset();
  const { results } = await search(context, { query, origins });
  expect(results).toHaveLength(1);
  return counted.sequence().map((group) => group.toSorted());
}

const SEARCH_CALLS = [['search.terms', 'vectors.generations'], ['search.retrieve'], ['search.passages']];

/** Compares the passages of the results. */
const COMPARISON = ['search.retrieve'];

it('makes three sequential store calls for a search, and one to choose the passages that are shown', async () => {
  expect(await callsOf('marble', ['memory'])).toEqual([...SEARCH_CALLS, COMPARISON]);
});

it('asks at the same time whether several vaults have the path of a note, for its citation', async () => {
  expect(await callsOf('granite', ['vault'])).toEqual([...SEARCH_CALLS, ['records.facet', ...COMPARISON]]);
});

it('asks a database elsewhere at once for all that follows the ranking', async () => {
  const { store } = counted;
  const remote = { ...store, capabilities: { ...store.capabilities, isRemote: true } };
  const elsewhere = EngineContext.create(CONFIG, remote);
  const { namespace } = elsewhere;
  await write(
    store,
    namespace,
    note('a door of oak, see [[Hall]]'),
    note('the floor of the hall', { title: 'Hall' }),
  );
  const origins = ['vault' as const];
  // The first search opens the model.
  await search(elsewhere, { query: 'door', origins });
  for (const query of ['granite floor', 'oak door', 'granit']) {
    const expected = await search(context, { query, origins });
    counted.reset();
    const found = await search(elsewhere, { query, origins });
    expect({ ...found, took_ms: 0 }).toEqual({ ...expected, took_ms: 0 });
    // The lease is that of work in the background.
    const calls = counted.sequence().map((group) => group.filter((name) => name !== 'admin.lease'));
    expect(calls.slice(0, 2)).toEqual([expect.arrayContaining(SEARCH_CALLS[0]!), SEARCH_CALLS[1]]);
    // The passages that are shown are compared while all are loaded.
    expect(calls[2]!.toSorted()).toEqual(['search.passages', 'search.retrieve']);
    expect(calls[3]).toEqual(expect.arrayContaining(['records.facet', 'vectors.ofPassages']));
    expect(calls.slice(4).flat()).toEqual([]);
  }
});

it.each([
  ['250ms', 250],
  ['0s', undefined],
])('gives each call of the index the configured deadline, %s', async (deadline, budgetMs) => {
  const budgets: unknown[] = [];
  const { store } = counted;
  const observed: Store = {
    ...store,
    search: {
      ...store.search,
      terms: (namespace, words, budget) => {
        budgets.push(budget);
        return store.search.terms(namespace, words, budget);
      },
      retrieve: (namespace, request) => {
        budgets.push(request.budgetMs);
        return store.search.retrieve(namespace, request);
      },
    },
  };
  const config = configSchema.parse({ embedding: { provider: 'none' }, search: { deadline } });
  await search(EngineContext.create(config, observed), { query: 'marble' });
  // The words, the signals, and the comparison of the passages that are shown.
  expect(budgets).toEqual([budgetMs, budgetMs, budgetMs]);
});

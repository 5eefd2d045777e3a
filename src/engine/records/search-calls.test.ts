import { afterAll, beforeAll, expect, it } from 'vitest';
import { countSequentialCalls, type CountedStore } from '../../../test/contract/call-depth.ts';
import { openSqliteInMemory } from '../../../test/contract/sqlite-in-memory.ts';
import { note, write } from '../../../test/contract/store-samples.ts';
import { configSchema } from '../../config/schema.ts';
import { embedPending } from '../../ingest/embed.ts';
import { EngineContext } from '../context.ts';
import { search } from './search.ts';

const CONFIG = configSchema.parse({ embedding: { provider: 'local' } });

let counted: CountedStore;
let context: EngineContext;

beforeAll(async () => {
  counted = countSequentialCalls(openSqliteInMemory());
  context = EngineContext.create(CONFIG, counted.store);
  const { namespace } = context;
  const marble = { origin: 'memory', source: 'ada' } as const;
  await write(counted.store, namespace, note('a marble worktop', marble), note('a granite floor'));
  const vectors = (await context.vectorsToFill())!;
  await embedPending(counted.store, vectors.embedder, vectors.generation);
  // Opens the model, and reads when a record expires next.
  await search(context, { query: 'marble' });
});

afterAll(() => context.close());

async function callsOf(query: string, origins: ('memory' | 'vault')[]): Promise<string[][]> {
  counted.reset();
  const { results } = await search(context, { query, origins });
  expect(results).toHaveLength(1);
  return counted.sequence().map((group) => group.toSorted());
}

const THREE = [['search.terms', 'vectors.generations'], ['search.retrieve'], ['search.passages']];

it('makes three store calls in a row for a search', async () => {
  expect(await callsOf('marble', ['memory'])).toEqual(THREE);
});

it('makes a fourth one for the citations of notes, whose paths several vaults may have', async () => {
  expect(await callsOf('granite', ['vault'])).toEqual([...THREE, ['records.count']]);
});

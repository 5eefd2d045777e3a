import { expect, it } from 'vitest';
import { checked } from './pool-adapter.ts';

function propertiesOf(count: number, values: number): Record<string, string[]> {
  const names = Array.from({ length: count }, (_, i) => `p${String(i)}`);
  return Object.fromEntries(names.map((name) => [name, Array<string>(values).fill('x')]));
}

it.each([
  [50, 20],
  [1, 1000],
])('filters may have %i properties with %i values each', (count, values) => {
  const filters = propertiesOf(count, values);
  expect(checked({ agentId: 'main', query: 'heron', filters }).filters).toEqual(filters);
});

it.each([
  [51, 1],
  [50, 21],
  [1, 1001],
  [1, 1_000_000],
])('filters with %i properties with %i values each are refused', (count, values) => {
  const filters = propertiesOf(count, values);
  expect(() => checked({ agentId: 'main', query: 'heron', filters })).toThrow(
    'filters of the query is not a map of at most 50 properties with 1000 values in sum',
  );
});

it.each([[undefined], [null], ['heron']])('refuses %j in place of a query', (given) => {
  const message = 'the query is not an object with agentId and query';
  expect(() => checked(given as never)).toThrow(expect.objectContaining({ code: 'invalid_input', message }));
});

it.each<[wrong: object, message: string]>([
  [{ agentId: '' }, 'agentId of the query is not a text'],
  [{ query: 5 }, 'query of the query is not a text'],
  [{ limit: -1 }, 'limit of the query is not a whole number from 0'],
  [{ tiers: ['tepid'] }, 'tiers of the query is not a list of hot, warm, cold'],
  [{ poolIds: 'open' }, 'poolIds of the query is not a list of ids'],
  [{ mode: 'both' }, 'mode of the query is not semantic or keyword'],
  [{ filters: null }, 'filters of the query is not a map of texts or lists of texts'],
  [{ filters: ['a'] }, 'filters of the query is not a map of texts or lists of texts'],
  [{ filters: { a: 5 } }, 'filters of the query is not a map of texts or lists of texts'],
])('refuses %j', (wrong, message) => {
  const query = { agentId: 'main', query: 'heron', ...wrong };
  expect(() => checked(query)).toThrow(expect.objectContaining({ code: 'invalid_input', message }));
});

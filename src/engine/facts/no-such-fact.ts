import { LociError } from '../../core/errors.ts';
import { closestWord } from '../../core/text/closest-word.ts';
import type { EngineContext } from '../context.ts';

/** Keys of each category that are looked at, those stored last. */
const LOOKED_AT = 1000;

/** The error for a key that no fact has, in the category if one is given: what it may mean, or where it is instead. */
export async function noSuchFact(
  { store, namespace, now }: EngineContext,
  key: string,
  category?: string,
): Promise<LociError> {
  const categories = await store.records.factCategories(namespace, now(), LOOKED_AT);
  const asked = categories.filter(({ name }) => category === undefined || name === category);
  const meant = closestWord(
    key,
    asked.flatMap(({ recentKeys }) => recentKeys),
  );
  const other = categories.find(({ recentKeys }) => recentKeys.includes(key));
  const where = category === undefined ? '' : ` in ${category}`;
  const advice = [
    ...(other === undefined ? [] : [`It is in ${other.name}.`]),
    ...(other !== undefined || meant === undefined ? [] : [`Did you mean ${JSON.stringify(meant)}?`]),
    '`memory_list` shows the keys that there are.',
  ];
  return new LociError('not_found', `no fact is called ${JSON.stringify(key)}${where}`, {
    hint: advice.join(' '),
  });
}

import fc from 'fast-check';
import { NOW } from '../contract/store-samples.ts';

/** A written record by its index, modulo the number of records; `unknown` stands for an id that never existed. */
export type RecordRef = number | 'unknown';

export const NAMESPACES = ['alpha', 'beta', 'gamma'] as const;
const CHUNKINGS = ['one', 'two'] as const;
export const DIMENSIONS = [3, 8] as const;

/** Forms of the same stem, similar words, other scripts, numbers and a stop word. */
export const WORDS: readonly string[] = (
  'the oven ovens kitchen kitchens remodel remodelling budget budgets plan planned naïve Straße ' +
  "ножи ножик 数据库 咖啡厅 が x1 2026 CONV-1234 don't ﷺ ½"
).split(' ');
export const MISSPELLED: readonly string[] =
  'ovne kitchne remodell budgt plam нажи 2027 zzzzzz ove kitchenss'.split(' ');

export const word: fc.Arbitrary<string> = fc.constantFrom(...WORDS);
export const text: fc.Arbitrary<string> = fc
  .array(word, { maxLength: 9, size: 'max' })
  .map((words) => words.join(' '));
export const namespace: fc.Arbitrary<string> = fc.constantFrom(...NAMESPACES);
export const chunking: fc.Arbitrary<string> = fc.constantFrom(...CHUNKINGS);
export const recordRef: fc.Arbitrary<RecordRef> = fc.oneof(
  { weight: 30, arbitrary: fc.nat(30) },
  { weight: 1, arbitrary: fc.constant('unknown' as const) },
);

/** The usual value in four cases of five. */
export function rarely<T>(usual: T, otherwise: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: otherwise });
}

export const time: fc.Arbitrary<number> = fc.integer({ min: -3, max: 3 }).map((step) => NOW + step);

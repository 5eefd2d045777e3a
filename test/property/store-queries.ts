import fc from 'fast-check';
import { ORIGINS } from '../../src/core/types.ts';
import type { RecordFilter } from '../../src/store/model.ts';
import type { SearchFilter, TextQuery, TextTerm } from '../../src/store/search-model.ts';
import { term, unit } from '../contract/store-samples.ts';
import { MISSPELLED, rarely, time, word, WORDS } from './arbitraries.ts';

const textTerm = fc.oneof(
  { weight: 4, arbitrary: word.map((one) => term(one)) },
  { weight: 1, arbitrary: word.map((one) => term(one.slice(0, 2), true)) },
  { weight: 2, arbitrary: fc.tuple(word, word).map((two) => term(two.join(' '))) },
  { weight: 1, arbitrary: fc.constant({ terms: [], prefix: false }) },
);
const weight = fc.constantFrom(0, 0.5, 1, 2);

export const textQuery: fc.Arbitrary<TextQuery> = fc.record({
  any: fc.array(textTerm, { maxLength: 4, size: 'max' }),
  all: rarely<TextTerm[]>([], fc.array(textTerm, { minLength: 1, maxLength: 2 })),
  weights: fc.record({ title: weight, headings: weight, body: weight, tags: weight }),
});

/** Filters with at most two conditions, because hardly any record would pass more. */
export const searchFilter: fc.Arbitrary<SearchFilter> = fc
  .tuple(
    time,
    fc.record({
      project: fc.constantFrom('p', 'q'),
      origins: fc.subarray([...ORIGINS]),
      sources: fc.subarray(['a', 'b', 'c']),
      excludedSources: fc.subarray(['a', 'b', 'c']),
      categories: fc.subarray(['note', 'todo']),
      recordTypes: fc.subarray(['fact', 'event']),
      tags: fc.array(fc.constantFrom('KITCHEN', 'Kitchen/NEW', 'äPFEL', 'x "y"'), { maxLength: 1 }),
      from: time,
      until: time,
    }),
    fc.subarray(
      [
        'project',
        'origins',
        'sources',
        'excludedSources',
        'categories',
        'recordTypes',
        'tags',
        'from',
        'until',
      ] as const,
      { maxLength: 2 },
    ),
  )
  .map(([now, conditions, names]) => ({
    now,
    ...Object.fromEntries(names.map((name) => [name, conditions[name]])),
  }));

/** Filters of lists. The conditions that searches have too are tested with searches. */
export const listFilter: fc.Arbitrary<RecordFilter> = fc
  .tuple(
    time,
    fc.record(
      {
        key: fc.constantFrom('k1', ''),
        keyPrefix: fc.constantFrom('k', 'k1', '', '\u{1F600}'),
        noteName: word,
        deleted: fc.boolean(),
        origins: fc.oneof(fc.constant(['fact' as const]), fc.subarray([...ORIGINS])),
        categories: fc.subarray(['note', 'c', 'd']),
        excludedSources: fc.subarray(['a', 'b']),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([now, conditions]) => ({ now, ...conditions }));

export const wordsToLookUp: fc.Arbitrary<string[]> = fc.array(fc.constantFrom(...WORDS, ...MISSPELLED), {
  maxLength: 8,
});

/** A vector that depends only on the content, so that both stores get the same vectors. */
export function vectorOf(hash: string, dimensions: number): Float32Array {
  const components = Array.from(
    { length: dimensions },
    (_, i) => parseInt(hash.slice(i * 2, i * 2 + 2), 16) - 127.5,
  );
  return unit(...components);
}

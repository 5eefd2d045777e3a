import fc from 'fast-check';
import { shortHash } from '../../src/core/hash.ts';
import { ORIGINS, type Metadata, type Passage } from '../../src/core/types.ts';
import type { RecordDraft, RecordWrite, SearchFilter, TextQuery } from '../../src/store/store.ts';
import { draft, NOW, term, unit } from '../contract/store-samples.ts';

/** What a random history of a store is made of. Records are named by their place among those written so far. */
export type Operation =
  | {
      readonly kind: 'commit';
      readonly namespace: string;
      readonly writes: readonly Write[];
      readonly evictions: readonly Which[];
      readonly chunking: string;
    }
  | { readonly kind: 'putVectors'; readonly generation: number; readonly share: number }
  | {
      readonly kind: 'putPassages';
      readonly namespace: string;
      readonly records: readonly Which[];
      readonly chunking: string;
      readonly passages: readonly Passage[];
    }
  | { readonly kind: 'dropDerived'; readonly namespace: string; readonly vectors: boolean }
  | { readonly kind: 'activate'; readonly generation: number }
  | { readonly kind: 'sweep' };

/** The nth record written, counted around; `unknown` for an id that never was. */
export type Which = number | 'unknown';

export interface Write {
  readonly which: Which | null;
  readonly draft: RecordDraft;
  readonly passages: RecordWrite['passages'];
}

export const NAMESPACES = ['alpha', 'beta', 'gamma'] as const;
const CHUNKINGS = ['one', 'two'] as const;
export const DIMENSIONS = [3, 8] as const;

/** Forms of one stem, words that are one letter apart, other scripts, numbers, a word that is in every other text. */
const WORDS = [
  'the',
  'oven',
  'ovens',
  'kitchen',
  'kitchens',
  'remodel',
  'remodelling',
  'budget',
  'budgets',
  'plan',
  'planned',
  'naïve',
  'Straße',
  'ножи',
  'ножик',
  '数据库',
  '咖啡厅',
  'が',
  'x1',
  '2026',
  'CONV-1234',
  "don't",
  'ﷺ',
  '½',
];
const MISSPELT = [
  'ovne',
  'kitchne',
  'remodell',
  'budgt',
  'plam',
  'нажи',
  '2027',
  'zzzzzz',
  'ove',
  'kitchenss',
];

const word = fc.constantFrom(...WORDS);
const text = fc.array(word, { maxLength: 9 }).map((words) => words.join(' '));
const namespace = fc.constantFrom(...NAMESPACES);
const chunking = fc.constantFrom(...CHUNKINGS);
const which = fc.oneof(
  { weight: 12, arbitrary: fc.nat(30) },
  { weight: 1, arbitrary: fc.constant('unknown' as const) },
);
const time = fc.integer({ min: -3, max: 3 }).map((step) => NOW + step);

const metadata: fc.Arbitrary<Metadata> = fc.record(
  {
    session: fc.constantFrom('s1', 's2', 7),
    speaker: word,
    date: fc.constantFrom('2026-05-01', '2026-13-99'),
    aliases: fc.array(word, { maxLength: 2 }),
    frontMatter: fc.record({ status: text, parts: fc.array(word, { maxLength: 2 }) }),
  },
  { requiredKeys: [] },
);

const passages: fc.Arbitrary<Passage[]> = fc
  .array(fc.tuple(text, fc.array(word, { maxLength: 2 })), { maxLength: 3 })
  .map((pieces) =>
    pieces.map(([body, headings], ordinal) => ({
      ordinal,
      headings,
      text: body,
      startLine: ordinal + 1,
      endLine: ordinal + 2,
      hash: shortHash(body),
    })),
  );

const fields: fc.Arbitrary<Partial<RecordDraft>> = fc.record<Partial<RecordDraft>>({
  project: fc.constantFrom('p', 'q'),
  origin: fc.constantFrom(...ORIGINS),
  source: fc.constantFrom('a', 'b'),
  key: fc.option(fc.constantFrom('k1', 'k2', 'k3', '', '\u{1F600}', '\uFFFD')),
  category: fc.constantFrom('note', 'todo'),
  recordType: fc.constantFrom('fact', 'event'),
  title: text,
  tags: fc.array(fc.constantFrom('Kitchen', 'kitchen', 'Äpfel', 'äpfel', 'x "y"'), { maxLength: 2 }),
  metadata,
  createdAt: time,
  expiresAt: fc.option(time, { freq: 4 }),
});

const writing: fc.Arbitrary<Write> = fc
  .record({
    which: fc.option(which, { freq: 2 }),
    fields,
    passages: fc.oneof(
      { weight: 3, arbitrary: passages },
      { weight: 1, arbitrary: fc.constant('keep' as const) },
    ),
  })
  .map((given) => ({ which: given.which, draft: draft(given.fields), passages: given.passages }));

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      namespace,
      writes: fc.array(writing, { maxLength: 4 }),
      evictions: fc.oneof(
        { weight: 4, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(which, { maxLength: 2 }) },
      ),
      chunking,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('putVectors' as const),
      generation: fc.constantFrom(1, 2),
      share: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('putPassages' as const),
      namespace,
      records: fc.array(which, { maxLength: 2 }),
      chunking,
      passages,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('dropDerived' as const), namespace, vectors: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('activate' as const), generation: fc.constantFrom(1, 2, 3) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'sweep' as const }) },
);

export const operations: fc.Arbitrary<Operation[]> = fc.array(operation, { minLength: 3, maxLength: 14 });

const textTerm = fc.oneof(
  { weight: 4, arbitrary: word.map((one) => term(one)) },
  { weight: 1, arbitrary: word.map((one) => term(one.slice(0, 2), true)) },
  { weight: 2, arbitrary: fc.tuple(word, word).map((two) => term(two.join(' '))) },
  { weight: 1, arbitrary: fc.constant({ terms: [], prefix: false }) },
);
const weight = fc.constantFrom(0, 0.5, 1, 2);

export const textQuery: fc.Arbitrary<TextQuery> = fc.record({
  any: fc.array(textTerm, { maxLength: 4 }),
  all: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(textTerm, { maxLength: 2 }) },
  ),
  weights: fc.record({ title: weight, headings: weight, body: weight, tags: weight }),
});

export const searchFilter: fc.Arbitrary<SearchFilter> = fc.oneof(
  fc.record({ now: time }),
  fc.record(
    {
      now: time,
      project: fc.constantFrom('p', 'q'),
      origins: fc.subarray([...ORIGINS]),
      sources: fc.subarray(['a', 'b', 'c']),
      categories: fc.subarray(['note', 'todo']),
      recordTypes: fc.subarray(['fact', 'event']),
      tags: fc.array(fc.constantFrom('KITCHEN', 'äPFEL', 'x "y"'), { maxLength: 1 }),
      from: time,
      until: time,
    },
    { requiredKeys: ['now'] },
  ),
);

export const wordsToLookUp: fc.Arbitrary<string[]> = fc.array(fc.constantFrom(...WORDS, ...MISSPELT), {
  maxLength: 8,
});

/** A direction for each content, so that both stores are given the same. */
export function vectorOf(hash: string, dimensions: number): Float32Array {
  const components = Array.from(
    { length: dimensions },
    (_, i) => parseInt(hash.slice(i * 2, i * 2 + 2), 16) - 127.5,
  );
  return unit(...components);
}

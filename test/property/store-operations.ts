import fc from 'fast-check';
import { shortHash } from '../../src/core/hash.ts';
import { ORIGINS, type Metadata, type Origin, type Passage } from '../../src/core/types.ts';
import type { RecordDraft, RecordWrite, SearchFilter, TextQuery, TextTerm } from '../../src/store/store.ts';
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
      /** Whether they were cut from what the records are now. */
      readonly current: boolean;
    }
  | { readonly kind: 'dropDerived' | 'markStale'; readonly namespace: string; readonly vectors: boolean }
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
const text = fc.array(word, { maxLength: 9, size: 'max' }).map((words) => words.join(' '));
const namespace = fc.constantFrom(...NAMESPACES);
const chunking = fc.constantFrom(...CHUNKINGS);
const which = fc.oneof(
  { weight: 30, arbitrary: fc.nat(30) },
  { weight: 1, arbitrary: fc.constant('unknown' as const) },
);
/** Mostly the first. */
function rarely<T>(usual: T, otherwise: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: otherwise });
}

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
  .array(fc.tuple(text, fc.array(word, { maxLength: 2 })), { maxLength: 3, size: 'max' })
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
  origin: rarely<Origin>('vault', fc.constantFrom(...ORIGINS)),
  source: fc.constantFrom('a', 'b'),
  key: rarely<string | null>(null, fc.constantFrom('k1', 'k2', 'k3', '', '\u{1F600}', '\uFFFD')),
  category: fc.constantFrom('note', 'todo'),
  recordType: fc.constantFrom('fact', 'event'),
  title: text,
  tags: fc.array(fc.constantFrom('Kitchen', 'kitchen/New', 'kitchens', 'Äpfel', 'äpfel', 'x "y"'), {
    maxLength: 2,
  }),
  metadata,
  createdAt: time,
  expiresAt: rarely<number | null>(null, time),
});

const newRecord: fc.Arbitrary<Write> = fc
  .tuple(fields, passages)
  .map(([given, made]) => ({ which: null, draft: draft(given), passages: made }));

const replacement: fc.Arbitrary<Write> = fc
  .tuple(which, fields, fc.oneof(passages, fc.constant('keep' as const)))
  .map(([id, given, made]) => ({ which: id, draft: draft(given), passages: made }));

const writing = fc.oneof({ weight: 3, arbitrary: newRecord }, { weight: 2, arbitrary: replacement });

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      namespace,
      writes: fc.array(writing, { maxLength: 4 }),
      evictions: rarely<Which[]>([], fc.array(which, { minLength: 1, maxLength: 2 })),
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
      current: rarely(true, fc.constant(false)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('dropDerived' as const, 'markStale' as const),
      namespace,
      vectors: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('activate' as const), generation: fc.constantFrom(1, 2, 3) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'sweep' as const }) },
);

/** What each namespace begins with, so that there is something to replace, to evict and to find. */
function beginning(name: string): fc.Arbitrary<Operation> {
  return fc
    .tuple(fc.array(newRecord, { minLength: 4, maxLength: 8 }), chunking)
    .map(([writes, made]) => ({ kind: 'commit', namespace: name, writes, evictions: [], chunking: made }));
}

export const operations: fc.Arbitrary<Operation[]> = fc
  .tuple(
    fc.tuple(...NAMESPACES.map(beginning)),
    fc.array(operation, { minLength: 2, maxLength: 12, size: 'max' }),
  )
  .map(([first, then]) => [...first, ...then]);

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

/** At most two conditions at once: more would let nothing through. */
export const searchFilter: fc.Arbitrary<SearchFilter> = fc
  .tuple(
    time,
    fc.record({
      project: fc.constantFrom('p', 'q'),
      origins: fc.subarray([...ORIGINS]),
      sources: fc.subarray(['a', 'b', 'c']),
      categories: fc.subarray(['note', 'todo']),
      recordTypes: fc.subarray(['fact', 'event']),
      tags: fc.array(fc.constantFrom('KITCHEN', 'Kitchen/NEW', 'äPFEL', 'x "y"'), { maxLength: 1 }),
      from: time,
      until: time,
    }),
    fc.subarray(
      ['project', 'origins', 'sources', 'categories', 'recordTypes', 'tags', 'from', 'until'] as const,
      { maxLength: 2 },
    ),
  )
  .map(([now, conditions, chosen]) => ({
    now,
    ...Object.fromEntries(chosen.map((name) => [name, conditions[name]])),
  }));

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

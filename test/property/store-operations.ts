import fc from 'fast-check';
import { shortHash } from '../../src/core/ids.ts';
import { ORIGINS, type Metadata, type Origin, type Passage } from '../../src/core/types.ts';
import type { AuditDraft } from '../../src/store/admin-model.ts';
import type { IdempotencyKey, PurgeRequest, RecordDraft, RecordWrite } from '../../src/store/model.ts';
import { draft, NOW } from '../contract/store-samples.ts';
import {
  chunking,
  namespace,
  NAMESPACES,
  rarely,
  text,
  time,
  recordRef,
  word,
  type RecordRef,
} from './arbitraries.ts';
/** The operations of a random history. Records are identified by their index among the records written so far. */
export type Operation =
  | {
      readonly kind: 'commit';
      readonly namespace: string;
      readonly writes: readonly Write[];
      readonly evictions: readonly RecordRef[];
      readonly deletions: readonly RecordRef[];
      /** Index among the records deleted so far. */
      readonly restorations: readonly { readonly record: RecordRef; readonly passages: readonly Passage[] }[];
      readonly audit: readonly AuditDraft[];
      readonly idempotencyKey: IdempotencyKey | null;
      readonly chunking: string;
    }
  | { readonly kind: 'purge'; readonly namespace: string; readonly request: PurgeRequest }
  | {
      readonly kind: 'putVectors';
      readonly namespace: string;
      readonly generation: number;
      readonly share: number;
    }
  | {
      readonly kind: 'putPassages';
      readonly namespace: string;
      readonly records: readonly RecordRef[];
      readonly chunking: string;
      readonly passages: readonly Passage[];
      /** Whether the passages were cut from the current state of the records. */
      readonly current: boolean;
    }
  | { readonly kind: 'indexAgain' | 'markStale'; readonly namespace: string; readonly vectors: boolean }
  | { readonly kind: 'compact'; readonly namespace: string };

export interface Write {
  readonly record: RecordRef | null;
  readonly draft: RecordDraft;
  readonly passages: RecordWrite['passages'];
  readonly expected?: number;
}

/** A subject such as `#3` means the UUID of the third written record. */
const auditDraft: fc.Arbitrary<AuditDraft> = fc.record({
  at: time,
  actor: fc.constantFrom('ada', 'bob', '\ud800'),
  surface: fc.constantFrom('mcp', 'rest'),
  action: fc.constantFrom('write', 'delete'),
  subject: fc.option(fc.nat(12).map((n) => `#${String(n)}`)),
  diff: fc.option(
    fc.record({
      title: text,
      tags: fc.array(word, { maxLength: 2 }),
      // JSON has no negative zero.
      7: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    }),
  ),
});

const idempotencyKey: fc.Arbitrary<IdempotencyKey> = fc.record({
  key: fc.constantFrom('o1', 'o2'),
  fingerprint: fc.constantFrom('f', 'g'),
  at: time,
  expiresAt: time,
});

const metadata: fc.Arbitrary<Metadata> = fc.record(
  {
    session: fc.constantFrom('s1', 's2', 7),
    speaker: word,
    date: fc.constantFrom('2026-05-01', '2026-13-99'),
    aliases: fc.array(word, { maxLength: 2 }),
    links: fc.array(fc.record({ target: fc.constantFrom('k1', 'K2', 'k4', '\u{1F600}') }), { maxLength: 2 }),
    frontMatter: fc.record({ status: text, parts: fc.array(word, { maxLength: 2 }) }),
  },
  { requiredKeys: [] },
);

const passages: fc.Arbitrary<Passage[]> = fc
  .tuple(
    fc.array(fc.tuple(text, fc.array(word, { maxLength: 2 })), { maxLength: 3, size: 'max' }),
    fc.option(word),
  )
  .map(([pieces, context]) =>
    pieces.map(([body, headings], ordinal) => ({
      ordinal,
      headings,
      text: body,
      context: ordinal === pieces.length - 1 ? context : null,
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
  updatedAt: time,
  expiresAt: rarely<number | null>(null, time),
});

/** Facts that compete for a few keys. */
const factFields: fc.Arbitrary<Partial<RecordDraft>> = fc
  .tuple(
    fields,
    fc.record<Partial<RecordDraft>>({
      key: fc.constantFrom('k1', 'k2', 'k3', 'k10', '', null),
      category: fc.constantFrom('c', 'd'),
      expiresAt: rarely<number | null>(NOW + 3, fc.option(time)),
    }),
  )
  .map(([common, ofFact]) => ({ ...common, ...ofFact, origin: 'fact' as const }));

const newRecord: fc.Arbitrary<Write> = fc
  .tuple(fc.oneof({ weight: 2, arbitrary: fields }, { weight: 1, arbitrary: factFields }), passages)
  .map(([fieldValues, pieces]) => ({ record: null, draft: draft(fieldValues), passages: pieces }));

const replacement: fc.Arbitrary<Write> = fc
  .tuple(
    recordRef,
    fc.oneof({ weight: 2, arbitrary: fields }, { weight: 1, arbitrary: factFields }),
    fc.oneof(passages, fc.constant('keep' as const)),
    rarely<number | null>(null, time),
  )
  .map(([record, fieldValues, pieces, expected]) => ({
    record,
    draft: draft(fieldValues),
    passages: pieces,
    ...(expected === null ? {} : { expected }),
  }));

const anyWrite = fc.oneof({ weight: 3, arbitrary: newRecord }, { weight: 2, arbitrary: replacement });

type Restoration = (Operation & { kind: 'commit' })['restorations'][number];

const EMPTY_COMMIT = {
  kind: 'commit',
  evictions: [],
  deletions: [],
  restorations: [],
  audit: [],
  idempotencyKey: null,
} as const;

const restoration: fc.Arbitrary<Operation> = fc
  .record({ namespace, restorations: fc.tuple(fc.record({ record: recordRef, passages })), chunking })
  .map((restored) => ({ ...EMPTY_COMMIT, writes: [], ...restored }));

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      namespace,
      writes: fc.array(anyWrite, { maxLength: 4 }),
      evictions: rarely<RecordRef[]>([], fc.array(recordRef, { minLength: 1, maxLength: 2 })),
      deletions: rarely<RecordRef[]>([], fc.array(recordRef, { minLength: 1, maxLength: 2 })),
      restorations: rarely<Restoration[]>(
        [],
        fc.array(fc.record({ record: recordRef, passages }), { minLength: 1, maxLength: 2 }),
      ),
      audit: rarely<AuditDraft[]>([], fc.array(auditDraft, { minLength: 1, maxLength: 3 })),
      idempotencyKey: rarely<IdempotencyKey | null>(null, idempotencyKey),
      chunking,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      namespace,
      writes: fc.constant([]),
      evictions: fc.constant([]),
      deletions: fc.array(recordRef, { minLength: 1, maxLength: 1 }),
      restorations: fc.constant([]),
      audit: fc.array(auditDraft, { maxLength: 1 }),
      idempotencyKey: fc.constant(null),
      chunking,
    }),
  },
  { weight: 2, arbitrary: restoration },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('purge' as const),
      namespace,
      request: fc.record({
        expiredBy: time,
        deletedBefore: time,
        limit: fc.constantFrom(1, 2, 100),
        by: fc.record({ at: time, actor: fc.constant('loci'), surface: fc.constant('upkeep') }),
      }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('putVectors' as const),
      namespace,
      generation: fc.constantFrom(1, 2),
      share: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('putPassages' as const),
      namespace,
      records: fc.array(recordRef, { maxLength: 2 }),
      chunking,
      passages,
      current: rarely(true, fc.constant(false)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('indexAgain' as const, 'markStale' as const),
      namespace,
      vectors: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('compact' as const), namespace }) },
);

/** Removes writes whose key another write has. They would make the whole batch fail. */
function withoutDuplicateKeys(writes: readonly Write[]): Write[] {
  const taken = new Set<string>();
  return writes.filter(({ draft: { origin, source, category, key } }) => {
    if (key === null) return true;
    const identity = JSON.stringify(origin === 'fact' ? [category, key] : [source, key, 'document']);
    const isFree = !taken.has(identity);
    taken.add(identity);
    return isFree;
  });
}

/** Writes the first records of a namespace, which later operations replace, delete and find. */
function initialCommit(name: string): fc.Arbitrary<Operation> {
  return fc
    .tuple(
      fc.array(newRecord, { minLength: 4, maxLength: 8 }),
      fc.array(auditDraft, { maxLength: 2 }),
      chunking,
    )
    .map(([writes, audit, signature]) => ({
      ...EMPTY_COMMIT,
      namespace: name,
      writes: withoutDuplicateKeys(writes),
      audit,
      chunking: signature,
    }));
}

export const operations: fc.Arbitrary<Operation[]> = fc
  .tuple(
    fc.tuple(...NAMESPACES.map(initialCommit)),
    fc.array(operation, { minLength: 2, maxLength: 12, size: 'max' }),
  )
  .map(([initial, later]) => [...initial, ...later]);

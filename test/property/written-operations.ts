import fc from 'fast-check';
import { ORIGINS } from '../../src/core/types.ts';
import type {
  AuditDraft,
  AuditFilter,
  HistoryDraft,
  LeaseRequest,
  SourceState,
  StartupEntry,
} from '../../src/store/admin-model.ts';
import { HISTORY_CATEGORIES } from '../../src/store/admin-model.ts';
import { goldenQuery, label, receipt } from '../contract/store-receipts.ts';
import type { GoldenQuery } from '../../src/store/golden-model.ts';
import { VERDICTS, type Label, type ReceiptBatch } from '../../src/store/receipt-model.ts';
import type {
  CommitBatch,
  Fence,
  IdempotencyKey,
  PurgeRequest,
  RecordFilter,
} from '../../src/store/model.ts';
import { namespace, rarely, text, time, word } from './arbitraries.ts';

/** Writes of data other than records. */
export type WrittenOperation =
  | { readonly kind: 'purge'; readonly namespace: string; readonly request: PurgeRequest }
  /** Attaches the audit log of one namespace to another, or to itself. */
  | { readonly kind: 'attachAudit'; readonly from: string; readonly to: string; readonly keep: number }
  /** A commit without records. */
  | { readonly kind: 'commitState'; readonly namespace: string; readonly batch: StateBatch }
  | { readonly kind: 'addReceipts'; readonly namespace: string; readonly batch: ReceiptBatch }
  | { readonly kind: 'removeReceipts'; readonly namespace: string; readonly before: number }
  | { readonly kind: 'takeLease'; readonly namespace: string; readonly request: LeaseRequest }
  | {
      readonly kind: 'dropLease';
      readonly namespace: string;
      readonly name: string;
      readonly holder: string;
    };

type StateBatch = Pick<
  CommitBatch,
  | 'startup'
  | 'audit'
  | 'labels'
  | 'goldenQueries'
  | 'startupDigest'
  | 'history'
  | 'sourceState'
  | 'hits'
  | 'fence'
>;

/** A subject such as `#3` means the UUID of the third written record. */
export const auditDraft: fc.Arbitrary<AuditDraft> = fc.record({
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

export const idempotencyKey: fc.Arbitrary<IdempotencyKey> = fc.record({
  key: fc.constantFrom('o1', 'o2'),
  fingerprint: fc.constantFrom('f', 'g'),
  at: time,
  expiresAt: time,
});

const startupEntry: fc.Arbitrary<StartupEntry> = fc.record({
  agent: fc.constantFrom('', 'ada'),
  key: fc.constantFrom('k1', 'k2', '\u{1F600}', '\uFFFD', '\ud800'),
  content: text,
  priority: fc.integer({ min: 0, max: 2 }),
  reinforce: fc.boolean(),
  createdAt: time,
  updatedAt: time,
  deletedAt: fc.option(time),
});

const historyRow: fc.Arbitrary<HistoryDraft> = fc.record({
  category: fc.constantFrom(...HISTORY_CATEGORIES),
  name: word,
  surface: fc.constantFrom('mcp', 'rest'),
  actor: fc.constantFrom('ada', 'bob'),
  inputs: fc.dictionary(word, fc.oneof(fc.nat(9), word), { maxKeys: 2 }),
  outcome: word,
  at: time,
  tookMs: fc.nat(9),
  expiresAt: time,
});

const source = fc.constantFrom('a', 'b', '\u{1F600}', '\uFFFD', '\ud800');

const sourceChange: fc.Arbitrary<Partial<SourceState>> = fc.record(
  {
    root: fc.option(word),
    readAt: fc.option(time),
    nextAt: fc.option(time),
    tookMs: fc.constantFrom(0, 7, 0.5),
    consecutiveFailures: fc.nat(3),
    error: fc.option(fc.constantFrom('e', '\ud800')),
    problems: fc.array(word, { maxLength: 2 }),
    paused: fc.boolean(),
    approval: fc.option(word),
    hits: fc.nat(9),
  },
  { requiredKeys: [] },
);

export const sourceState: fc.Arbitrary<{ readonly source: string; readonly change: Partial<SourceState> }> =
  fc.record({ source, change: sourceChange });

/** Only a few of these fences have the current token of a lease. */
export const fence: fc.Arbitrary<Fence> = fc.record({
  lease: fc.constantFrom('l', 'm'),
  token: fc.integer({ min: 1, max: 2 }),
});

const labels: fc.Arbitrary<Label[]> = fc.array(
  fc
    .record({
      receipt: fc.constantFrom('r1', 'r2'),
      record: fc.constantFrom('a', 'b'),
      verdict: fc.constantFrom(...VERDICTS),
      query: fc.option(text),
      at: time,
    })
    .map(label),
  { maxLength: 3 },
);

const goldenQueries: fc.Arbitrary<GoldenQuery[]> = fc.array(
  fc
    .record({
      id: fc.constantFrom('g1', 'g2', 'g3'),
      query: text,
      expected: fc.array(fc.record({ record: word, citation: text, rank: fc.option(fc.nat(9)) }), {
        maxLength: 2,
      }),
      at: time,
    })
    .map(goldenQuery),
  { maxLength: 3 },
);

const receiptBatch: fc.Arbitrary<ReceiptBatch> = fc.record({
  receipts: fc.array(
    fc
      .tuple(fc.nat(5), time, fc.constantFrom('pack', 'recall'), fc.constantFrom('h1', 'h2'), word)
      .map(([number, at, kind, hash, body]) => receipt(number, { at, kind, hash, body })),
    { maxLength: 3 },
  ),
  forgetBefore: time,
  keep: fc.constantFrom(1, 2, 100),
});

const stateBatch: fc.Arbitrary<StateBatch> = fc.oneof(
  fc.record({
    startup: fc.array(startupEntry, { maxLength: 3 }),
    audit: fc.array(auditDraft, { maxLength: 2 }),
  }),
  fc.record({ labels }),
  fc.record({ goldenQueries }),
  fc.record({
    startupDigest: fc.record({
      agent: fc.constantFrom('', 'ada'),
      session: fc.constantFrom('s', 't'),
      digest: word,
      at: time,
      forgetBefore: time,
      keep: fc.constantFrom(1, 2, 100),
    }),
  }),
  fc.record({
    history: fc.record({
      rows: fc.array(historyRow, { maxLength: 4 }),
      keep: fc.constantFrom(1, 2, 100),
    }),
  }),
  fc.record({ sourceState, fence }, { requiredKeys: ['sourceState'] }),
  fc.record({ sourceState: fc.record({ source, change: fc.constant(null) }) }),
  fc.record({
    hits: fc.record({
      bySource: fc.array(fc.tuple(source, fc.nat(3)), { maxLength: 3 }).map((hits) => new Map(hits)),
      at: time,
    }),
  }),
);

export const writtenOperation: fc.Arbitrary<WrittenOperation> = fc.oneof(
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
  fc.record({
    kind: fc.constant('attachAudit' as const),
    from: namespace,
    to: namespace,
    keep: rarely(100, fc.constant(1)),
  }),
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('commitState' as const), namespace, batch: stateBatch }),
  },
  fc.record({ kind: fc.constant('addReceipts' as const), namespace, batch: receiptBatch }),
  fc.record({ kind: fc.constant('removeReceipts' as const), namespace, before: time }),
  fc.record({
    kind: fc.constant('takeLease' as const),
    namespace,
    request: fc.record({
      name: fc.constantFrom('l', 'm'),
      holder: fc.constantFrom('a', 'b'),
      now: time,
      until: time,
    }),
  }),
  fc.record({
    kind: fc.constant('dropLease' as const),
    namespace,
    name: fc.constantFrom('l', 'm'),
    holder: fc.constantFrom('a', 'b'),
  }),
);

export const auditFilter: fc.Arbitrary<AuditFilter> = fc.record(
  {
    action: fc.constantFrom('write', 'delete', 'purge', 'expire'),
    actor: fc.constantFrom('ada', '\ufffd'),
    surface: fc.constantFrom('mcp', 'upkeep'),
    from: time,
    until: time,
  },
  { requiredKeys: [] },
);

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

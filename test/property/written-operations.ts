import fc from 'fast-check';
import { ORIGINS } from '../../src/core/types.ts';
import type { AuditDraft, AuditFilter } from '../../src/store/audit.ts';
import { HISTORY_CATEGORIES, type HistoryDraft } from '../../src/store/history.ts';
import type { Fence, LeaseRequest } from '../../src/store/leases.ts';
import type { ListFilter } from '../../src/store/listing.ts';
import type { IdempotencyKey, PurgeRequest } from '../../src/store/mortality.ts';
import type { SourceState } from '../../src/store/source-states.ts';
import type { StartupEntries, StartupEntry } from '../../src/store/startup.ts';
import type { SearchFilter } from '../../src/store/store.ts';
import { namespace, rarely, text, time, word } from './arbitraries.ts';

/** What happens to a store beside commits of records. */
export type WrittenOperation =
  | { readonly kind: 'purge'; readonly namespace: string; readonly request: PurgeRequest }
  /** One namespace's own chain, into another or itself. */
  | { readonly kind: 'importAudit'; readonly from: string; readonly to: string; readonly keep: number }
  | {
      readonly kind: 'putStartup';
      readonly namespace: string;
      readonly entries: readonly StartupEntry[];
      readonly audit: readonly AuditDraft[];
    }
  | {
      readonly kind: 'noteStartupSeen';
      readonly namespace: string;
      readonly seen: Parameters<StartupEntries['noteStartupSeen']>[1];
    }
  | {
      readonly kind: 'noteHistory';
      readonly rows: readonly { readonly namespace: string; readonly row: HistoryDraft }[];
      readonly keep: number;
    }
  | {
      readonly kind: 'changeSourceState';
      readonly namespace: string;
      readonly source: string;
      readonly change: Partial<SourceState>;
      readonly fence: Fence | undefined;
    }
  | { readonly kind: 'dropSourceState'; readonly namespace: string; readonly source: string }
  | {
      readonly kind: 'addHits';
      readonly namespace: string;
      readonly hits: ReadonlyMap<string, number>;
      readonly at: number;
    }
  | { readonly kind: 'takeLease'; readonly request: LeaseRequest }
  | { readonly kind: 'dropLease'; readonly name: string; readonly holder: string };

/** A subject such as `#3` stands for the UUID of the third record written. */
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
      7: fc.double({ noNaN: true, noDefaultInfinity: true }),
    }),
  ),
});

export const once: fc.Arbitrary<IdempotencyKey> = fc.record({
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
    failures: fc.nat(3),
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

/** Few of these numbers are those of a lease. */
export const fence: fc.Arbitrary<Fence> = fc.record({
  lease: fc.constantFrom('l', 'm'),
  token: fc.integer({ min: 1, max: 2 }),
});

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
    kind: fc.constant('importAudit' as const),
    from: namespace,
    to: namespace,
    keep: rarely(100, fc.constant(1)),
  }),
  fc.record({
    kind: fc.constant('putStartup' as const),
    namespace,
    entries: fc.array(startupEntry, { maxLength: 3 }),
    audit: fc.array(auditDraft, { maxLength: 2 }),
  }),
  fc.record({
    kind: fc.constant('noteStartupSeen' as const),
    namespace,
    seen: fc.record({
      agent: fc.constantFrom('', 'ada'),
      session: fc.constantFrom('s', 't'),
      digest: word,
      at: time,
      forgetBefore: time,
      keep: fc.constantFrom(1, 2, 100),
    }),
  }),
  fc.record({
    kind: fc.constant('noteHistory' as const),
    rows: fc.array(fc.record({ namespace, row: historyRow }), { maxLength: 4 }),
    keep: fc.constantFrom(1, 2, 100),
  }),
  fc.tuple(namespace, sourceState, rarely<Fence | undefined>(undefined, fence)).map(([of, given, held]) => ({
    kind: 'changeSourceState' as const,
    namespace: of,
    ...given,
    fence: held,
  })),
  fc.record({ kind: fc.constant('dropSourceState' as const), namespace, source }),
  fc.record({
    kind: fc.constant('addHits' as const),
    namespace,
    hits: fc.array(fc.tuple(source, fc.nat(3)), { maxLength: 3 }).map((hits) => new Map(hits)),
    at: time,
  }),
  fc
    .record({ name: fc.constantFrom('l', 'm'), holder: fc.constantFrom('a', 'b'), now: time, until: time })
    .map((request) => ({ kind: 'takeLease' as const, request })),
  fc.record({
    kind: fc.constant('dropLease' as const),
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

/** Conditions of lists; those of searches are asked of searches. */
export const listFilter: fc.Arbitrary<ListFilter<SearchFilter>> = fc
  .tuple(
    time,
    fc.record(
      {
        key: fc.constantFrom('k1', ''),
        keyPrefix: fc.constantFrom('k', 'k1', '', '\u{1F600}'),
        deleted: fc.boolean(),
        origins: fc.oneof(fc.constant(['fact' as const]), fc.subarray([...ORIGINS])),
        categories: fc.subarray(['note', 'c', 'd']),
        exceptSources: fc.subarray(['a', 'b']),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([now, conditions]) => ({ now, ...conditions }));

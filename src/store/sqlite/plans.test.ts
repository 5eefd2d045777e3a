import { expect, it } from 'vitest';
import { openSqliteInMemory } from '../../../test/contract/sqlite-in-memory.ts';
import { anyOf, note, NOW } from '../../../test/contract/store-samples.ts';
import { ALL, auditDraft, fact, purgeRequest } from '../../../test/contract/written-samples.ts';
import type { ItemChange } from '../item-model.ts';
import { historyRuns, sourceStates, storedReceipt, storedReceipts, storedTokens } from '../items/kinds.ts';
import type { Store } from '../store.ts';
import { Database } from './database/database.ts';

/** The query plans of the statements that `work` prepares and whose SQL matches `pattern`. */
async function plansOf(
  pattern: RegExp,
  work: (calls: Store) => Promise<void>,
): Promise<Map<string, string[]>> {
  const db = new Database(':memory:', { busyTimeoutMs: 0 });
  const calls = openSqliteInMemory(db);
  const writes = [fact('k', 'c', 'a'), fact('k2', 'c', 'b'), note('c')];
  await calls.records.commit('n', { writes, chunking: 'c', audit: [auditDraft({ subject: 'u' })] });
  const statements = new Set<string>();
  const prepare = db.prepare.bind(db);
  db.prepare = (sql) => {
    if (pattern.test(sql)) statements.add(sql);
    return prepare(sql);
  };
  await work(calls);
  const plans = [...statements].map((sql): [string, string[]] => [
    sql,
    prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...Array.from(sql.matchAll(/\?/g), () => null))
      .map((row) => String(row['detail'])),
  ]);
  db.close();
  return new Map(plans);
}

async function searchByTime({ search }: Store): Promise<void> {
  const filters = [
    { now: NOW },
    { now: NOW, from: NOW - 5, until: NOW + 5, project: 'p', excludedSources: ['a'] },
  ];
  await search.retrieve('n', { queries: filters.map((filter) => ({ by: 'time', filter, limit: 5 })) });
}

/** A step of a query plan that reads every row of a table or of a namespace. */
const FULL_SCAN =
  /^SCAN (?!json_each|text_|t$|page$|selected$|[gk]$|\(subquery)|^SEARCH (r|record|audit|item|p|passage|n) USING .*(PRIMARY KEY|autoindex_record_1|record_uuid) \(ns=\?( AND id<\?)?\)$/;

it('calls of agents use an index and do not scan a namespace', async () => {
  const plans = await plansOf(/\b(FROM|UPDATE) (record|audit|item|passage)\b/, async (calls) => {
    const facts = { now: NOW, origins: ['fact'] } as const;
    for (const criteria of [
      {},
      { key: 'k' },
      { keyPrefix: 'k' },
      { categories: ['c'] },
      { key: 'k', categories: ['c'] },
    ]) {
      await calls.records.list('n', { filter: { ...facts, ...criteria } }, ALL);
      await calls.records.count('n', { ...facts, ...criteria });
    }
    await calls.records.list('n', { filter: { now: NOW, deleted: true } }, ALL);
    await calls.records.list('n', { filter: { now: NOW, origins: ['vault'], key: 'k' } }, ALL);
    await calls.records.list('n', { filter: { now: NOW, origins: ['memory'], contentHash: 'h' } }, ALL);
    await calls.records.count('n', { now: NOW, origins: ['vault'], key: 'k' });
    await calls.records.facet('n', 'key', { now: NOW, origins: ['vault'], keys: ['k', 'l'] });
    await calls.records.list('n', { filter: { now: NOW, origins: ['vault'], noteName: 'k' } }, ALL);
    await calls.records.facet('n', 'category', { now: NOW, origins: ['fact'] }, 3);
    await calls.records.get('n', [1], 'any');
    await calls.records.bounds('n');
    await searchByTime(calls);
    await calls.records.items('n', { kind: 'idempotency', key: 'k', liveAt: NOW, by: 'key' }, ALL);
    await calls.admin.audit('n', { log: { subject: 'u', ...ALL } });
    await calls.admin.audit('n', { log: { from: NOW, after: { at: NOW, seq: 1 }, limit: 5 } });
    const text = { by: 'text', text: anyOf('a'), filter: { now: NOW + 5000 }, limit: 5 } as const;
    await calls.search.retrieve('n', { queries: [text], load: true });
    const batch = { chunking: 'c' };
    await calls.records.commit('n', { ...batch, writes: [fact('k3', 'c', 'x')] });
    await calls.records.commit('n', { ...batch, deletions: [{ id: 1, at: NOW }] });
    await calls.records.commit('n', { ...batch, restorations: [{ id: 1, at: NOW, passages: [] }] });
    await calls.records.commit('n', { purge: purgeRequest({ expiredBy: NOW + 5000 }) });
  });
  expect(plans.size).toBeGreaterThan(20);
  const scans = [...plans].filter(([, plan]) => plan.some((step) => FULL_SCAN.test(step)));
  expect(scans).toEqual([]);
});

it('entries of the log are found by their numbers', async () => {
  const plans = await plansOf(/\bFROM audit\b/, async ({ admin }) => {
    for (const after of [null, { at: NOW, seq: 1 }])
      await admin.audit('n', { log: { entries: [1, 2], after, limit: 5 } });
  });
  expect(plans.size).toBe(2);
  for (const plan of plans.values())
    expect(plan.join()).toMatch(/SEARCH audit USING .*\(ns=\? AND chain=\? AND seq=\?\)/);
});

it('records whose keys begin with a prefix are found with the index of keys', async () => {
  const plans = await plansOf(/\bFROM record AS r\b/, async ({ records }) => {
    const filter = { now: NOW, origins: ['memory'], sources: ['s'], keyPrefix: 'k#' } as const;
    for (const deleted of [false, true]) await records.list('n', { filter: { ...filter, deleted } }, ALL);
  });
  expect(plans.size).toBe(2);
  for (const plan of plans.values())
    expect(plan.find((step) => step.startsWith('SEARCH r'))).toMatch(
      /USING INDEX record_(by_)?key \(ns=\? AND (source=\? AND )?key>\? AND key<\?\)/,
    );
});

it('a search by time reads an index in both directions and does not sort', async () => {
  const plans = await plansOf(/\bcreated_at (ASC|DESC)\b/, async (calls) => {
    await searchByTime(calls);
  });
  expect(plans.size).toBe(4);
  const steps = [...plans.values()].map((plan) => plan.filter((step) => !step.includes('json_each')));
  for (const [record, , ...order] of steps) {
    expect(record).toMatch(/^SEARCH r USING (COVERING )?INDEX record_created \(ns=\? AND created_at[<>]\?/);
    // SQLite may sort records of the same time (LAST TERM OF ORDER BY), but not all records.
    for (const step of order) expect(step).not.toMatch(/TEMP B-TREE FOR ORDER BY/);
  }
});

it('a timeline reads an index in both directions, stops at its limit and does not sort', async () => {
  const plans = await plansOf(
    /timeline_at AS at, r\.id, r\.uuid.* INDEXED BY record_timeline/s,
    async ({ records }) => {
      const filters = [{ now: NOW }, { now: NOW, project: 'p', tags: ['t'], excludedSources: ['a'] }];
      for (const filter of filters)
        for (const around of [{ record: 1 }, { time: NOW }])
          await records.timeline('n', { filter, around, before: 5, after: 5 });
    },
  );
  expect(plans.size).toBe(4);
  for (const plan of plans.values()) {
    const [times, ...rest] = plan.filter((step) => !/json_each|SUBQUERY|BLOOM/.test(step));
    expect(times).toMatch(
      /^SEARCH r USING INDEX record_timeline \(ns=\? AND \(timeline_at,id\)>\(\?,\?\) AND \(timeline_at,id\)<\(\?,\?\)\)$/,
    );
    expect(rest.join()).not.toMatch(/TEMP B-TREE/);
  }
});

it('tables and histograms by time read an index in its order', async () => {
  const plans = await plansOf(/INDEXED BY record_timeline/, async ({ records }) => {
    const filter = { now: NOW, timedFrom: 1, timedUntil: NOW };
    for (const descending of [false, true])
      for (const after of [null, { value: NOW, id: 1 }])
        await records.table('n', { filter, sort: 'time', descending }, { after, limit: 5 });
    await records.histogram('n', { now: NOW }, [0, 1, 2]);
  });
  expect(plans.size).toBe(5);
  for (const plan of plans.values()) {
    const record = plan.find((step) => step.startsWith('SEARCH r'));
    expect(record).toMatch(/^SEARCH r USING INDEX record_timeline \(ns=\? AND .*timeline_at.*\)$/);
    expect(plan.join()).not.toMatch(/FOR ORDER BY/);
  }
});

it('items are found with an index, in their order, and so are those that are removed', async () => {
  const plans = await plansOf(/\b(FROM|JOIN) item\b/, async ({ records }) => {
    const after = { at: NOW, id: 'i' };
    for (const filter of [{ since: 0 }, { since: NOW, kind: 'pack' }, { since: NOW, hash: 'h' }])
      for (const page of [ALL, { after, limit: 5 }]) await storedReceipts(records, 'n', filter, page);
    await storedReceipt(records, 'n', 'i');
    for (const hash of [undefined, 'h']) await storedTokens(records, '', hash);
    await historyRuns(records, 'n', { category: 'pack_history', now: NOW }, ALL);
    await sourceStates(records, 'n');
    await records.bounds('n');
    const forgotten: ItemChange = { of: 'receipt', forgetBefore: NOW };
    const keep: ItemChange[] = [
      { of: 'receipt', keepNewest: 5, by: 'at' },
      { of: 'pack_history', keepNewest: 5, by: 'position' },
    ];
    const put = { kind: 'receipt', key: 'k', at: NOW, ref: 'h', body: null } as const;
    const changes: ItemChange[] = [{ put, ifExists: 'fail' }, forgotten, ...keep, { forgetExpired: NOW }];
    await records.commit('n', { items: changes });
  });
  expect(plans.size).toBeGreaterThan(16);
  for (const [sql, plan] of plans) {
    const steps = plan.filter((step) => /\b(item|i|l)\b/.test(step) && !/SUBQUERY/.test(step));
    expect(steps, sql).not.toEqual([]);
    for (const step of steps)
      expect(step, sql).toMatch(
        /^SEARCH (item|i|l) USING (COVERING )?INDEX \w+ \(ns=\? AND (kind=\?|expires_at[<>]\?)|^SEARCH item USING COVERING INDEX item_expiry \(ns=/,
      );
    if (!sql.includes('item_ref') || sql.includes('ORDER BY at'))
      expect(plan.join(), sql).not.toMatch(/TEMP B-TREE/);
  }
});

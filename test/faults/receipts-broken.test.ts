import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, afterEach, describe, expect, it } from 'vitest';
import { openLoci } from '../../src/engine/open.ts';
import { settings, temporaryFolder, writeNotes } from '../contract/engines.ts';
import { sql } from './broken-tables.ts';

const DAY = 24 * 60 * 60 * 1000;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let config: ReturnType<typeof settings>;
let now: number;
let warnings: string[];

function open(): ReturnType<typeof openLoci> {
  return openLoci(config, { now: () => now, onWarning: (message) => warnings.push(message) });
}

beforeEach(async () => {
  folder = await temporaryFolder();
  const path = join(folder.path, 'Notes');
  await writeNotes(path, { 'Kitchen.md': '# Kitchen\n\nThe oven comes in autumn.\n' });
  config = settings(folder.path, { vaults: [{ name: 'Notes', path }], writes: { enabled: true } });
  now = Date.UTC(2026, 10, 21);
  warnings = [];
  const loci = await open();
  await loci.index();
  const { receiptId } = await loci.pack({ query: 'oven', budget: 1000 });
  expect(receiptId).not.toBeNull();
  await loci.close();
});

afterEach(() => folder[Symbol.asyncDispose]());

/** Statements that fail whatever the file has. */
const REFUSED = ['INSERT', 'UPDATE', 'DELETE'].map(
  (
    event,
  ) => `CREATE TRIGGER no_${event} BEFORE ${event} ON item WHEN ${event === 'INSERT' ? 'NEW' : 'OLD'}.kind = 'receipt'
    BEGIN SELECT RAISE (ABORT, 'no receipts'); END;`,
);

describe('while receipts cannot be written', () => {
  it('only receipts are affected', async () => {
    sql(REFUSED.join(''))(config.store.path);
    const loci = await open();
    await loci.index();
    expect((await loci.search({ query: 'oven' })).results).toHaveLength(1);
    const { id } = await loci.write({ content: 'The oven is gas.' });
    const expiring = await loci.facts.store({ key: 'door', value: 'The code of the door', ttlSeconds: 3600 });
    expect((await loci.get(`record/${String(id)}`)).record.content).toBe('The oven is gas.');
    expect((await loci.list({ limit: 10 })).records).toHaveLength(3);
    expect((await loci.status()).ownStats?.records).toBe(3);
    await loci.delete(id);
    // Past the time for which deleted records and receipts are kept, a write starts a purge, which the closing waits for.
    now += 400 * DAY;
    expect((await loci.search({ query: 'door' })).results).toEqual([]);
    const pack = await loci.pack({ query: 'oven', budget: 1000 });
    expect([pack.items.length, pack.receiptId]).toEqual([1, null]);
    expect(warnings).toEqual([expect.stringContaining('a receipt could not be stored')]);
    await loci.write({ content: 'The rake' });
    await loci.close();
    const again = await open();
    const actions = (await again.audit({ limit: 20 })).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['purge', 'expire']));
    await expect(again.undelete(expiring.id)).rejects.toMatchObject({ code: 'gone' });
    expect((await again.receipts.list({ limit: 1 })).receipts).toEqual([]);
    await again.close();
  });
});

it.each([
  ['no JSON', '{x', 'store_corrupt'],
  ['without its fields', '{}', 'store_corrupt'],
  ['of a later version', '{"version":99}', 'store_newer'],
])('a row that is %s is left out of lists and named, and the others are listed', async (_, body, code) => {
  now += 1;
  let loci = await open();
  const bad = (await loci.pack({ query: 'autumn', budget: 1000 })).receiptId!;
  await loci.close();
  sql(`UPDATE item SET body = '${body}' WHERE key = '${bad}'`)(config.store.path);
  loci = await open();
  const { receipts, unreadable } = await loci.receipts.list({ limit: 5 });
  expect([receipts.length, unreadable]).toEqual([1, [bad]]);
  expect((await loci.receipts.show('latest')).receipt).toEqual(receipts[0]);
  await expect(loci.receipts.show(bad)).rejects.toMatchObject({ code });
  expect((await loci.doctor()).find(({ name }) => name === 'receipts')).toMatchObject({
    result: 'warning',
    detail: `1 receipt cannot be read: ${bad}`,
  });
  await loci.close();
});

it('receipts that are too old are removed by a purge, although no record is to be purged', async () => {
  now += 400 * DAY;
  const loci = await open();
  await loci.write({ content: 'The rake' });
  await loci.close();
  using database = new DatabaseSync(config.store.path, { readOnly: true });
  expect(database.prepare("SELECT count(*) AS n FROM item WHERE kind = 'receipt'").get()).toEqual({ n: 0 });
});

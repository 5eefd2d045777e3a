import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, afterEach, describe, expect, it } from 'vitest';
import { openInline, settings, temporaryFolder, writeNotes } from '../contract/engines.ts';
import { sql } from './broken-tables.ts';
import { indexVaults } from '../../src/engine/reading/index-vaults.ts';
import { memoryPack } from '../../src/engine/packs/memory-pack.ts';
import { search } from '../../src/engine/records/search.ts';
import { write } from '../../src/engine/records/write.ts';
import { storeFact } from '../../src/engine/facts/facts.ts';
import { get } from '../../src/engine/records/get.ts';
import { listRecords } from '../../src/engine/records/list.ts';
import { storeStatus } from '../../src/engine/health/status.ts';
import { deleteRecord, undelete } from '../../src/engine/records/delete.ts';
import { audit } from '../../src/engine/audit/read-audit.ts';
import { listReceipts, readReceipts, showReceipt, markReceipt } from '../../src/engine/packs/receipts.ts';
import { importMemory } from '../../src/engine/portable/import.ts';
import { doctor } from '../../src/engine/health/doctor.ts';
import { editLines, exportLines, SECRET } from '../contract/export-samples.ts';

const DAY = 24 * 60 * 60 * 1000;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let config: ReturnType<typeof settings>;
let now: number;
let warnings: string[];

function open(): ReturnType<typeof openInline> {
  return openInline(config, { now: () => now, onWarning: (message) => warnings.push(message) });
}

beforeEach(async () => {
  folder = await temporaryFolder();
  const path = join(folder.path, 'Notes');
  await writeNotes(path, { 'Kitchen.md': '# Kitchen\n\nThe oven comes in autumn.\n' });
  config = settings(folder.path, { vaults: [{ name: 'Notes', path }], writes: { enabled: true } });
  now = Date.UTC(2026, 10, 21);
  warnings = [];
  const loci = await open();
  await indexVaults(loci);
  const { receipt_id } = await memoryPack(loci, { query: 'oven', budget: 1000 });
  expect(receipt_id).not.toBeNull();
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
    await indexVaults(loci);
    expect((await search(loci, { query: 'oven' })).results).toHaveLength(1);
    const { id } = await write(loci, { content: 'The oven is gas.' });
    const expiring = await storeFact(loci, { key: 'door', value: 'The code of the door', expires: '1h' });
    expect((await get(loci, { citation: `record/${String(id)}` })).text).toBe('The oven is gas.');
    expect((await listRecords(loci, { limit: 10 })).records).toHaveLength(3);
    expect((await storeStatus(loci)).records).toBe(3);
    await deleteRecord(loci, { id });
    // Past the time for which deleted records and receipts are kept, a write starts a purge, which the closing waits for.
    now += 400 * DAY;
    expect((await search(loci, { query: 'door' })).results).toEqual([]);
    const pack = await memoryPack(loci, { query: 'oven', budget: 1000 });
    expect([pack.items.length, pack.receipt_id]).toEqual([1, null]);
    expect(warnings.toSorted()).toEqual([
      expect.stringContaining('Old receipts were not removed'),
      expect.stringContaining('a receipt could not be stored'),
    ]);
    await write(loci, { content: 'The rake' });
    await loci.close();
    const again = await open();
    const actions = (await audit(again, { limit: 20 })).entries.map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['purge', 'expire']));
    await expect(undelete(again, { id: expiring.id })).rejects.toMatchObject({ code: 'gone' });
    expect((await listReceipts(again, { limit: 1 })).receipts).toEqual([]);
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
  const bad = (await memoryPack(loci, { query: 'autumn', budget: 1000 })).receipt_id!;
  await loci.close();
  sql(`UPDATE item SET body = '${body}' WHERE key = '${bad}'`)(config.store.path);
  loci = await open();
  const { receipts, unreadable } = await readReceipts(loci, { limit: 5 });
  expect([receipts.length, unreadable]).toEqual([1, [bad]]);
  expect((await showReceipt(loci, { id: 'latest' })).receipt).toEqual(receipts[0]);
  await expect(showReceipt(loci, { id: bad })).rejects.toMatchObject({ code });
  expect((await doctor(loci)).find(({ name }) => name === 'receipts')).toMatchObject({
    result: 'warning',
    detail: `1 receipt cannot be read: ${bad}`,
  });
  await loci.close();
});

it('receipts that are too old are removed by a purge, although no record is to be purged, but for marked ones', async () => {
  let loci = await open();
  const { receipt_id: marked } = await memoryPack(loci, { query: 'autumn', budget: 1000 });
  await markReceipt(loci, { id: marked!, item: '1', verdict: 'useful' });
  await loci.close();
  now += 400 * DAY;
  loci = await open();
  await write(loci, { content: 'The rake' });
  await memoryPack(loci, { query: 'rake', budget: 1000 });
  await loci.close();
  now += 400 * DAY;
  loci = await open();
  await write(loci, { content: 'The hoe' });
  await loci.close();
  using database = new DatabaseSync(config.store.path, { readOnly: true });
  expect(database.prepare("SELECT key FROM item WHERE kind = 'receipt'").all()).toEqual([{ key: marked }]);
});

it('an import replaces no receipt by an older one, and takes only marked ones without secrets', async () => {
  const loci = await open();
  const { receipt_id: marked } = await memoryPack(loci, { query: 'autumn', budget: 1000 });
  const before = await exportLines(loci);
  expect(before).not.toContain(marked);
  now += 1000;
  await markReceipt(loci, { id: marked!, item: '1', verdict: 'useful' });
  const lines = await exportLines(loci);
  sql(
    `UPDATE item SET body = json_remove(body, '$.marked_at', '$.candidates[0].verdict') WHERE key = '${marked!}'`,
  )(config.store.path);
  const older = editLines(lines, (line) =>
    line['type'] === 'receipt'
      ? { ...line, at: '2020-01-01T00:00:00.000Z', marked_at: '2020-01-02T00:00:00.000Z' }
      : line,
  );
  expect((await importMemory(loci, { lines: older })).receipt).toMatchObject({ added: 0, kept: 1 });
  expect((await importMemory(loci, { lines })).receipt).toMatchObject({ added: 0, updated: 1 });
  expect((await importMemory(loci, { lines })).receipt).toMatchObject({ unchanged: 1 });
  const named = editLines(lines, (line) =>
    line['type'] === 'receipt'
      ? { ...line, id: '00000000-0000-4000-8000-000000000001', project: SECRET }
      : line,
  );
  expect((await importMemory(loci, { lines: named })).receipt).toMatchObject({ added: 0, refused: 1 });
  const unmarked = editLines(lines, (line) =>
    line['type'] === 'receipt'
      ? {
          ...line,
          candidates: (line['candidates'] as object[]).map(({ ...each }) => ({
            ...each,
            verdict: undefined,
          })),
        }
      : line,
  );
  await expect(importMemory(loci, { lines: unmarked })).rejects.toThrow('nobody has marked this receipt');
  await loci.close();
});

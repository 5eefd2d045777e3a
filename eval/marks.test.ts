import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openInline, settings, temporaryFolder } from '../test/contract/engines.ts';
import { isSound, markReport, scoreMarks } from './marks.ts';
import { write } from '../src/engine/records/write.ts';
import { memoryPack } from '../src/engine/packs/memory-pack.ts';
import { markReceipt, listReceipts } from '../src/engine/packs/receipts.ts';
import { exportToFile } from '../src/engine/portable/export.ts';

it('scores the present ranking on the marks of a store, and of its export, without changing the store', async () => {
  await using folder = await temporaryFolder();
  const store = join(folder.path, 'loci.db');
  let loci = await openInline(settings(folder.path));
  await write(loci, { content: 'The oven is a Bosch with a door that closes softly.', title: 'Oven' });
  await write(loci, { content: 'Once we saw an oven in a shop window of Oslo.', title: 'Shop' });
  await write(loci, { content: 'Bread is baked at 230 degrees.', title: 'Bread' });
  const { receipt_id, receipt } = await memoryPack(loci, { query: 'oven door', budget: 500 });
  const receiptOf = { id: receipt_id! };
  await markReceipt(loci, { ...receiptOf, item: 'record/1', verdict: 'useful', query: 'oven door' });
  await markReceipt(loci, { ...receiptOf, item: 'record/2', verdict: 'not-useful' });
  const bread = await memoryPack(loci, { query: 'bread', budget: 500 });
  await markReceipt(loci, { id: bread.receipt_id!, item: '1', verdict: 'useful' });
  const exported = join(folder.path, 'memory.jsonl');
  await exportToFile(loci, exported);
  const receipts = (await listReceipts(loci, { limit: 10 })).receipts.length;
  await loci.close();

  const shown = receipt.candidates.filter(({ included }) => included).length;
  for (const path of [store, exported]) {
    const scores = await scoreMarks(path, { provider: 'none', budget: 500 });
    expect(scores).toMatchObject({
      marks: 3,
      withoutQuery: 1,
      queries: 1,
      precision: 1 / shown,
      recall: 1,
      order: 1,
      provenance: 1,
    });
    expect(scores.maxSize).toBeGreaterThan(0.05);
    expect(isSound(scores)).toBe(true);
    expect(markReport(scores).join('\n')).toContain(
      'provenance (bytes of packs that are verified)          100.0 %',
    );
  }
  loci = await openInline(settings(folder.path));
  expect((await listReceipts(loci, { limit: 10 })).receipts).toHaveLength(receipts);
  await loci.close();
});

it('is not sound when a pack exceeds its budget, or has a byte that is not verified', async () => {
  const scores = {
    ...{ marks: 1, withoutQuery: 0, queries: 1, precision: 1, recall: 1, order: null },
    ...{ provenance: 1, meanSize: 0.9, maxSize: 1 },
  };
  expect(isSound(scores)).toBe(true);
  expect(isSound({ ...scores, provenance: 0.99 })).toBe(false);
  expect(isSound({ ...scores, maxSize: 1.01 })).toBe(false);
  await expect(scoreMarks('/nowhere/store.db', { provider: 'none' })).rejects.toMatchObject({
    code: 'unreadable',
  });
});

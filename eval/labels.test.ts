import { join } from 'node:path';
import { expect, it } from 'vitest';
import { settings, temporaryFolder } from '../test/contract/engines.ts';
import { openLoci } from '../src/engine/open.ts';
import { isSound, labelReport, scoreLabels } from './labels.ts';

it('scores the present ranking on the labels of a store, and of its export, without changing the store', async () => {
  await using folder = await temporaryFolder();
  const store = join(folder.path, 'loci.db');
  let loci = await openLoci(settings(folder.path));
  await loci.write({ content: 'The oven is a Bosch with a door that closes softly.', title: 'Oven' });
  await loci.write({ content: 'Once we saw an oven in a shop window of Oslo.', title: 'Shop' });
  await loci.write({ content: 'Bread is baked at 230 degrees.', title: 'Bread' });
  const { receiptId, receipt } = await loci.pack({ query: 'oven door', budget: 500 });
  const receiptOf = { receipt: receiptId! };
  await loci.receipts.label({ ...receiptOf, item: 'record/1', verdict: 'useful', query: 'oven door' });
  await loci.receipts.label({ ...receiptOf, item: 'record/2', verdict: 'not-useful' });
  const bread = await loci.pack({ query: 'bread', budget: 500 });
  await loci.receipts.label({ receipt: bread.receiptId!, item: '1', verdict: 'useful' });
  const exported = join(folder.path, 'memory.jsonl');
  await loci.portable.exportToFile(exported);
  const receipts = (await loci.receipts.list({ limit: 10 })).receipts.length;
  await loci.close();

  const shown = receipt.candidates.filter(({ included }) => included).length;
  for (const path of [store, exported]) {
    const scores = await scoreLabels(path, { provider: 'none', budget: 500 });
    expect(scores).toMatchObject({
      labels: 3,
      withoutQuery: 1,
      queries: 1,
      precision: 1 / shown,
      recall: 1,
      order: 1,
      provenance: 1,
    });
    expect(scores.maxSize).toBeGreaterThan(0.05);
    expect(isSound(scores)).toBe(true);
    expect(labelReport(scores).join('\n')).toContain(
      'provenance (bytes of packs that are verified)          100.0 %',
    );
  }
  loci = await openLoci(settings(folder.path));
  expect((await loci.receipts.list({ limit: 10 })).receipts).toHaveLength(receipts);
  await loci.close();
});

it('is not sound when a pack exceeds its budget, or has a byte that is not verified', async () => {
  const scores = {
    ...{ labels: 1, withoutQuery: 0, queries: 1, precision: 1, recall: 1, order: null },
    ...{ provenance: 1, meanSize: 0.9, maxSize: 1 },
  };
  expect(isSound(scores)).toBe(true);
  expect(isSound({ ...scores, provenance: 0.99 })).toBe(false);
  expect(isSound({ ...scores, maxSize: 1.01 })).toBe(false);
  await expect(scoreLabels('/nowhere/store.db', { provider: 'none' })).rejects.toMatchObject({
    code: 'unreadable',
  });
});

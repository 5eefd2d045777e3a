import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openInline, settings, temporaryFolder, writeNotes } from '../contract/engines.ts';
import { indexVaults } from '../../src/engine/reading/index-vaults.ts';
import { get } from '../../src/engine/records/get.ts';
import { search } from '../../src/engine/records/search.ts';
import { facet } from '../../src/engine/records/results/why-nothing.ts';
import { memoryPack } from '../../src/engine/packs/memory-pack.ts';
import { write } from '../../src/engine/records/write.ts';
import { doctor } from '../../src/engine/health/doctor.ts';
import { reindex } from '../../src/engine/health/reindex.ts';

/** Puts the value in a column in the rows of a record. By default it is the JSON with another first byte. */
function damage(path: string, table: string, column: string, where: string, value: string | null): void {
  const db = new DatabaseSync(path);
  const { changes } = db
    .prepare(
      `UPDATE ${table} SET ${column} = coalesce(?, char(unicode(${column}) + 1) || substr(${column}, 2)) WHERE ${where}`,
    )
    .run(value);
  db.close();
  expect(changes).toBeGreaterThan(0);
}

it.each([
  ['passage', 'headings', null, 'record', 'the list of headings of a passage of record/'],
  ['passage', 'headings', '[1,null]', 'record', 'the list of headings of a passage of record/'],
  ['record', 'tags', null, 'id', 'the list of tags of record/'],
  ['record', 'metadata', '[]', 'id', 'the metadata of record/'],
])(
  'a damaged %s.%s (%s) leaves that result out, which the search says, and doctor names it, and index repairs it',
  async (table, column, value, id, name) => {
    await using folder = await temporaryFolder();
    const vault = join(folder.path, 'vault');
    const config = settings(folder.path, {
      vaults: [{ name: 'vault', path: vault }],
      search: { minScore: 0 },
      graph: { enabled: true },
    });
    await writeNotes(vault, {
      'Oven.md': '---\ntags: [kitchen]\n---\n# Oven\n\nThe oven is induction. See [[Range]].\n',
      'Range.md': '---\ntags: [kitchen]\n---\n# Range\n\nThe old oven was gas.\n',
      'Boat.md': '# Boat\n\nAn oven at sea.\n',
    });
    const before = await openInline(config);
    await indexVaults(before);
    const oven = (await get(before, { citation: 'Oven.md' })).id;
    await before.close();
    damage(join(folder.path, 'loci.db'), table, column, `${id} = ${String(oven)}`, value);

    const loci = await openInline(config);
    try {
      for (const query of ['oven', 'oven induction', '"oven"']) {
        const { results, notices } = await search(loci, { query });
        expect(results.map(({ title }) => title).sort(), query).toEqual(['Boat', 'Range']);
        expect(notices.join(), query).toContain(`record/${String(oven)}; \`loci doctor\``);
      }
      await search(loci, { query: 'oven', tags: ['kitchen'] });
      await facet(loci, 'tag');
      expect((await memoryPack(loci, { query: 'oven', budget: 500 })).text).toContain('gas');
      // Another note is written, and found, as if nothing were damaged.
      await write(loci, { content: 'The oven is steam.' });
      expect((await search(loci, { query: 'steam' })).results).toHaveLength(1);
      const checks = await doctor(loci);
      expect(checks.find((check) => check.name === 'store')).toMatchObject({
        result: 'failed',
        detail: `default: ${name}${String(oven)} cannot be read`,
      });
      if (table === 'record') {
        await expect(get(loci, { citation: 'Oven.md' })).rejects.toMatchObject({
          code: 'store_corrupt',
          message: `${name}${String(oven)} cannot be read: the store is damaged`,
        });
        expect(checks.find((check) => check.name === 'store')?.hint).toContain('loci index');
        await reindex(loci);
        await indexVaults(loci);
      }
      await reindex(loci);
      const { results, notices } = await search(loci, { query: 'oven induction' });
      expect([results[0]?.title, notices]).toEqual(['Oven', []]);
      const record = await get(loci, { citation: 'Oven.md' });
      expect([record.id, record.tags]).toEqual([oven, ['kitchen']]);
      expect((await doctor(loci)).find((check) => check.name === 'store')?.result).toBe('ok');
    } finally {
      await loci.close();
    }
  },
);

it('damaged items are named by a check, and the others are read', async () => {
  await using folder = await temporaryFolder();
  const vault = join(folder.path, 'vault');
  const config = settings(folder.path, {
    vaults: [{ name: 'vault', path: vault }],
    writes: { enabled: true },
  });
  await writeNotes(vault, { 'Oven.md': '# Oven\n\nThe oven is induction.\n' });
  const before = await openInline(config);
  await indexVaults(before);
  for (const key of ['a', 'b']) await write(before, { content: `The ${key} oven`, idempotency_key: key });
  await memoryPack(before, { query: 'oven', budget: 500 });
  await before.close();
  const path = join(folder.path, 'loci.db');
  damage(path, 'item', 'body', "rowid = (SELECT min(rowid) FROM item WHERE kind = 'idempotency')", '{x');
  damage(path, 'item', 'body', "kind = 'source_state'", '[1');
  const loci = await openInline(config);
  try {
    expect(await loci.store.admin.verify('default')).toEqual([
      'the answer for an idempotency key cannot be read',
      'the list of problems of source vault cannot be read',
    ]);
    const again = await write(loci, { content: 'The b oven', idempotency_key: 'b' });
    expect(again.replayed).toBe(true);
  } finally {
    await loci.close();
  }
});

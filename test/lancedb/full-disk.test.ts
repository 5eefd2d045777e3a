import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fillUp, smallDisk } from '../faults/small-disk.ts';
import { Notes, openLancedb } from './adapter.ts';

describe('a full disk', () => {
  const { path: home, unmountable } = smallDisk('40m');

  it('leaves the table of lancedb as it was, which the status says until there is room', async (context) => {
    if (unmountable !== '') context.skip(unmountable);
    const notes = new Notes();
    notes.write({ 'a/x.md': 'A heron.' });
    const adapter = await openLancedb(home);
    onTestFinished(() => adapter.close());
    await adapter.registerPools([notes.pool('a')]);
    const tables = tablesOf(home);
    fillUp(join(home, 'ballast'));
    for (let i = 0; i < 100; i++) notes.write({ [`a/${String(i)}.md`]: `An egret, number${String(i)}.` });
    await expect(adapter.indexPaths([notes.path('a')])).rejects.toThrow('No space left on device');
    expect(await notes.found(adapter, 'heron')).toEqual(['a/x.md']);
    const { ok, message } = await adapter.status();
    expect([ok, message]).toEqual([
      false,
      expect.stringMatching(/^the index of the pools is not up to date: .*No space left on device/),
    ]);
    rmSync(join(home, 'ballast'));
    await adapter.indexPaths([]);
    expect(await notes.found(adapter, 'number99')).toEqual(['a/99.md']);
    expect(await adapter.status()).toMatchObject({ ok: true });
    expect(tablesOf(home)).toEqual(tables);
  });
});

/** The folders of the tables, with their inodes: one that is made anew has another. */
function tablesOf(home: string): [string, number][] {
  const folder = join(home, 'lancedb');
  const names = readdirSync(folder).filter((name) => name.endsWith('.lance'));
  return names.map((name) => [name, statSync(join(folder, name)).ino]);
}

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addVectors, embed, note, NOW, unit, verifyStore, write } from '../contract/store-samples.ts';
import { commit, fact, purgeRequest, deleteRecords, auditDraft, purge } from '../contract/written-samples.ts';
import { openSqlite, scratchFolder } from './store-processes.ts';

const NAMESPACE = 'n';

/** The number of occurrences of a text in the store's files. */
function countOccurrences(path: string, text: string): number {
  let count = 0;
  for (const file of [path, `${path}-wal`, `${path}-journal`]) {
    const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) count++;
  }
  return count;
}

describe('a purged record', () => {
  it('leaves no text in the store’s files, whether it was deleted or has expired', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    const store = await openSqlite(path);
    const vectors = await addVectors(store);
    const others = (from: number): ReturnType<typeof note>[] =>
      Array.from({ length: 300 }, (_, i) => note(`other words ${String(from + i)}`));
    await write(store, NAMESPACE, ...others(0));
    const long = Array.from({ length: 40 }, (_, i) => `qqlongsecret${String(i)} ${'filler '.repeat(200)}`);
    const purged = [
      note('a zyxwvutsecret text', {
        title: 'zyxwvuttitle',
        tags: ['zyxwvuttag'],
        origin: 'memory',
        key: null,
      }),
      note(long, { origin: 'memory', key: null }),
      fact('k', 'c', 'the zyxwvutexpired text', { expiresAt: NOW }),
    ];
    const audit = purged.map(({ draft: { uuid, content } }) =>
      auditDraft({ subject: uuid, diff: { content } }),
    );
    const ids = await commit(store, NAMESPACE, { writes: purged, audit });
    await embed(store, vectors, NAMESPACE, () => unit(1, 0, 0));
    await write(store, NAMESPACE, ...others(300));
    expect(countOccurrences(path, 'zyxwvut')).toBeGreaterThan(0);
    expect(countOccurrences(path, 'qqlongsecret')).toBeGreaterThan(40);
    await deleteRecords(store, NAMESPACE, ids[0]!, ids[1]!);
    await purge(store.records, NAMESPACE, purgeRequest());
    expect([countOccurrences(path, 'zyxwvut'), countOccurrences(path, 'qqlongsecret')]).toEqual([0, 0]);
    expect(await verifyStore(store)).toEqual([]);
    await store.close();
    expect([countOccurrences(path, 'zyxwvut'), countOccurrences(path, 'qqlongsecret')]).toEqual([0, 0]);
  });

  it.each(['is purged', 'is removed with its note'])(
    'leaves no word of an earlier version either when it %s',
    async (how) => {
      using folder = scratchFolder();
      const path = join(folder.path, 'store.db');
      const store = await openSqlite(path);
      const fields =
        how === 'is purged'
          ? ({ origin: 'memory', key: null } as const)
          : ({ origin: 'vault', key: 'a.md' } as const);
      const before = note('the zyxwvutsecret text', fields);
      const [id] = await write(store, NAMESPACE, before, note('other words'));
      const after = note('the plain text', { ...fields, uuid: before.draft.uuid });
      await commit(store, NAMESPACE, { writes: [{ ...after, id: id! }] });
      if (how === 'is purged') {
        await deleteRecords(store, NAMESPACE, id!);
        await purge(store.records, NAMESPACE, purgeRequest());
      } else await commit(store, NAMESPACE, { evictions: [id!] });
      await store.close();
      expect(countOccurrences(path, 'zyxwvut')).toBe(0);
    },
  );
});

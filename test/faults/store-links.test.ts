import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { note, verifyStore, write } from '../contract/store-samples.ts';
import { ALL } from '../contract/written-samples.ts';
import { openSqlite, scratchFolder } from './store-processes.ts';

describe('a fault of the links or the change feed', () => {
  it.each([
    ['a link is missing', 'DELETE FROM link WHERE record = 1', 'the links of record 1'],
    [
      'a link leads to another note',
      'UPDATE link SET target_record = 3 WHERE record = 1',
      'the links of record 1',
    ],
    ['a key is missing', "DELETE FROM name WHERE kind = 'link' AND record = 2", 'the names of record 2'],
    [
      'a record that does not exist has links',
      "INSERT INTO link VALUES (1, 9, 1, 'notes', 'b', 'link', 'b', 2)",
      'record 9 has names or links',
    ],
    ['a change is missing', 'DELETE FROM change WHERE record = 2', 'the state of record 2'],
    [
      'a change has the wrong kind',
      "UPDATE change SET kind = 'deleted' WHERE record = 3",
      'the state of record 3',
    ],
  ])('is found and repaired: %s', async (_, damage, finding) => {
    using folder = scratchFolder();
    const path = join(folder.path, 'loci.db');
    const store = await openSqlite(path);
    const links = [{ target: 'b' }];
    await write(
      store,
      'n',
      note('a', { key: 'a.md', metadata: { links } }),
      note('b', { key: 'b.md' }),
      note('c'),
    );
    const before = await store.records.links('n', { to: [1, 2, 3] }, ALL);
    {
      using db = new DatabaseSync(path);
      db.exec(damage);
    }
    expect(await verifyStore(store)).toEqual([expect.stringContaining(finding)]);
    await store.admin.resetDerived('n', { text: false, vectors: false });
    expect(await verifyStore(store)).toEqual([]);
    expect(await store.records.links('n', { to: [1, 2, 3] }, ALL)).toEqual(before);
    await store.close();
  });
});

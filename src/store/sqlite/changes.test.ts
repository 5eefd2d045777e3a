import { expect, it } from 'vitest';
import { openSqliteInMemory } from '../../../test/contract/sqlite-in-memory.ts';
import { note } from '../../../test/contract/store-samples.ts';
import { Database } from './database/database.ts';

it('tells a reader to restart if it may have missed a removal that was trimmed', async () => {
  const db = new Database(':memory:', { busyTimeoutMs: 0 });
  const { records, admin } = openSqliteInMemory(db);
  await records.commit('n', { writes: [note('stays'), note('goes')], chunking: 'c' });
  // This simulates 10,000 records that were written and removed.
  db.exec(`
    INSERT INTO change (ns, sequence, record, kind)
      WITH RECURSIVE n (i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 10002) SELECT 1, i, i, 'removed' FROM n;
    UPDATE namespace_state SET last_change = 10002;
  `);
  await records.commit('n', { evictions: [2], chunking: 'c' });
  const page = { limit: 1 };
  expect(await records.changes('n', { ...page, after: 2 })).toEqual({ changes: [], mustRestart: true });
  const oldest = { sequence: 4, record: 4, kind: 'removed' };
  expect(await records.changes('n', { ...page, after: 3 })).toEqual({
    changes: [oldest],
    mustRestart: false,
  });
  const first = { sequence: 1, record: 1, kind: 'written' };
  expect(await records.changes('n', { ...page, after: null })).toEqual({
    changes: [first],
    mustRestart: false,
  });
  expect(await records.changes('n', { ...page, after: 10_002 })).toEqual({
    changes: [{ sequence: 10_003, record: 2, kind: 'removed' }],
    mustRestart: false,
  });
  expect(await admin.verify('n')).toEqual([]);
  db.close();
});

it('a namespace whose derived data is reset leaves those of the others and the tables as they are', async () => {
  const db = new Database(':memory:', { busyTimeoutMs: 0 });
  const { records, graph, admin } = openSqliteInMemory(db);
  const tables = (): unknown => db.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all();
  const progress = { upTo: 1, rules: 'r' };
  const derived = { lane: 'text', records: new Map(), shared: [], progress } as const;
  for (const each of ['one', 'other'])
    await records.commit(each, { writes: [note('oven')], chunking: 'c', graph: derived });
  const before = tables();
  await admin.resetDerived('one', { text: false, vectors: false });
  expect(await graph.state('one')).toMatchObject({ upTo: 0 });
  expect(await graph.state('other')).toMatchObject(progress);
  expect(tables()).toEqual(before);
  db.close();
});

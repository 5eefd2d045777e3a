import { readdirSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { expectRemovalSurvivesKills } from '../contract/removal-killed.ts';
import { scratchFolder } from './store-processes.ts';

it('the removal of a namespace that is killed goes on, and no table has a row of it', async () => {
  using folder = scratchFolder();
  const path = join(folder.path, 'loci.db');
  const read = (work: (db: DatabaseSync) => string[]): string[] => {
    using db = new DatabaseSync(path, { readOnly: true });
    return work(db);
  };
  await expectRemovalSurvivesKills(
    { path },
    async (namespace) =>
      Number(
        read((db) => [
          String(db.prepare('SELECT id FROM namespace WHERE name = ?').get(namespace)!['id']),
        ])[0],
      ),
    async (id) =>
      read((db) => {
        const tables = db
          .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'")
          .all()
          .map(({ name }) => String(name))
          .filter((name) => db.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(name, 'ns'));
        const ofText = db
          .prepare('SELECT name FROM sqlite_schema WHERE name LIKE ?')
          .all(`text\\_${String(id)}%`);
        const leases = db.prepare("SELECT 1 FROM lease WHERE namespace = 'removed'").all();
        const names = db.prepare('SELECT 1 FROM namespace WHERE id = ?').all(id);
        return [
          ...tables.filter(
            (name) => db.prepare(`SELECT 1 FROM ${name} WHERE ns = ? LIMIT 1`).get(id) !== undefined,
          ),
          ...[...ofText, ...leases, ...names].map((row) => JSON.stringify(row)),
        ];
      }),
  );
  for (const file of readdirSync(folder.path)) {
    const bytes = readFileSync(join(folder.path, file));
    expect([file, bytes.includes('granite 5 of removed')]).toEqual([file, false]);
    if (file === 'loci.db') expect(bytes.includes('granite 5 of kept')).toBe(true);
  }
});

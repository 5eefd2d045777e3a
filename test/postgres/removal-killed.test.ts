import { it } from 'vitest';
import { expectRemovalSurvivesKills } from '../contract/removal-killed.ts';
import { runStatements, testDatabase } from './database.ts';

it('the removal of a namespace that is killed goes on, and no table has a row of it', async () => {
  await using database = await testDatabase();
  const { url } = database;
  await expectRemovalSurvivesKills(
    { path: 'loci.db', connectionString: url },
    async (namespace) =>
      Number((await runStatements(url, `SELECT id FROM namespace WHERE name = '${namespace}'`))[0]!['id']),
    async (id) => {
      const tables = await runStatements(
        url,
        `SELECT table_name AS name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
         WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND column_name = 'ns'`,
      );
      const counts = tables.map(
        ({ name }) => `SELECT '${String(name)}' AS name FROM ${String(name)} WHERE ns = ${String(id)}`,
      );
      const others = [
        "SELECT 'lease' FROM lease WHERE namespace = 'removed'",
        `SELECT 'namespace' FROM namespace WHERE id = ${String(id)}`,
      ];
      const rows = await runStatements(url, [...counts, ...others].join(' UNION '));
      return rows.map(({ name }) => String(name));
    },
  );
});

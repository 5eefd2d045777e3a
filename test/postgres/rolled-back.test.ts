import { expect, it } from 'vitest';
import { ConnectionPool } from '../../src/store/postgres/pool.ts';
import { PostgresSql } from '../../src/store/postgres/postgres-sql.ts';
import { testDatabase } from './database.ts';

it('a transaction whose work goes on after a failed statement does not pass for committed', async () => {
  await using database = await testDatabase();
  const pool = new ConnectionPool(database.url);
  const sql = new PostgresSql(pool);
  await sql.script('CREATE TABLE written (n BIGINT)');
  const attempt = sql.transaction(async () => {
    await sql.run('INSERT INTO written VALUES (1)');
    await sql.run('SELECT 1 / 0').catch(() => undefined);
  });
  await expect(attempt).rejects.toThrow('rolled the transaction back');
  expect(await sql.all('SELECT n FROM written')).toEqual([]);
  await sql.transaction(() => sql.run('INSERT INTO written VALUES (2)'));
  expect(await sql.all('SELECT n FROM written')).toEqual([{ n: 2 }]);
  await pool.end();
});

import { expect, it } from 'vitest';
import { Deadline } from '../../src/core/time/deadline.ts';
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

it('a statement that a snapshot had no time for takes nothing from the others, and its limit ends with it', async () => {
  await using database = await testDatabase();
  const pool = new ConnectionPool(database.url);
  const sql = new PostgresSql(pool);
  const limit = async (): Promise<unknown> =>
    (await sql.get("SELECT current_setting('statement_timeout') AS is"))?.['is'];
  await sql.snapshot(async () => {
    const deadline = new Deadline(1000);
    const asked = [
      sql.within(deadline, () => sql.get('SELECT 1 AS n')),
      sql.within(deadline, () => sql.get('SELECT pg_sleep(60)')),
      sql.within(deadline, () => sql.get('SELECT 2 AS n')),
    ];
    expect(await Promise.all(asked)).toEqual([{ n: 1 }, null, { n: 2 }]);
    expect(await limit()).toBe('1min');
    expect(await sql.within(new Deadline(1000), limit)).toMatch(/^\d+ms$/);
    expect(await limit()).toBe('1min');
  });
  await pool.end();
});

it('a snapshot goes on after a statement that was sent together with one that it had no time for', async () => {
  await using database = await testDatabase();
  const pool = new ConnectionPool(database.url);
  const sql = new PostgresSql(pool);
  await sql.snapshot(async () => {
    const stopped = sql.within(new Deadline(100), () => sql.get('SELECT pg_sleep(60)'));
    const { promise: sent, resolve } = Promise.withResolvers<undefined>();
    // The statement with a deadline is sent first.
    setImmediate(() => setImmediate(resolve, undefined));
    await sent;
    expect(await Promise.all([stopped, sql.get('SELECT 3 AS n')])).toEqual([null, { n: 3 }]);
  });
  expect(await sql.snapshot(() => Promise.resolve('nothing was asked'))).toBe('nothing was asked');
  await pool.end();
});

it('a snapshot leaves no transaction behind that a statement without an answer would begin again', async () => {
  await using database = await testDatabase();
  const pool = new ConnectionPool(database.url);
  const sql = new PostgresSql(pool);
  const others: Promise<unknown>[] = [];
  await sql.snapshot(async () => {
    const deadline = new Deadline(100);
    const stopped = sql.within(deadline, () => sql.get('SELECT pg_sleep(60)'));
    // It is aborted with the first, and nobody waits for it.
    others.push(
      sql.within(new Deadline(10_000), () => sql.get('SELECT 1 AS n')).catch((error: unknown) => error),
    );
    expect(await stopped).toBeNull();
  });
  expect(await Promise.all(others)).toEqual([
    expect.objectContaining({ message: expect.stringContaining('has ended') as unknown }),
  ]);
  const open =
    "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'";
  expect(await sql.get(open)).toEqual({ n: 0 });
  await pool.end();
});

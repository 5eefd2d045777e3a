import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEngine, SECRET } from '../../../test/contract/export-samples.ts';
import { type Shadowdb, shadowdb } from '../../../test/contract/shadowdb-tables.ts';
import { NOW } from '../../../test/contract/store-samples.ts';
import { DAY_MS } from '../../core/time/whole-day.ts';
import type { LociRecord } from '../../core/types.ts';
import { startupEntries } from '../../store/items/kinds.ts';
import type { EngineContext } from '../context.ts';
import { deleteRecord, undelete } from '../records/delete.ts';
import { importMemory } from './import.ts';
import type { ImportOutput } from './import-report.ts';

let db: Shadowdb;
beforeAll(async () => (db = await shadowdb()));
afterAll(() => db[Symbol.asyncDispose]());

const at = (days: number): string => new Date(NOW - days * DAY_MS).toISOString();

async function run(
  context: EngineContext,
  options: { table?: string; dry_run?: boolean } = {},
): Promise<ImportOutput> {
  return importMemory(context, { path: db.url, ...options });
}

/** The counts that are not zero. */
function counts(output: ImportOutput['records']): Record<string, number> {
  return Object.fromEntries(Object.entries(output).filter(([, count]) => count > 0));
}

async function recordsOf({ store, namespace }: EngineContext): Promise<LociRecord[]> {
  return [
    ...(await store.records.list(namespace, { scan: 'exportable', now: NOW }, { after: null, limit: 1000 })),
  ];
}

/** Everything in the database. */
async function dump(): Promise<unknown> {
  const names = await db.client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname !~ '^(pg_|information_schema)' ORDER BY 1`,
  );
  const dumped: unknown[] = [];
  for (const { name } of names.rows)
    dumped.push([
      name,
      (await db.client.query(`SELECT xmin::text, t::text FROM ${name} AS t ORDER BY 2`)).rows,
    ]);
  return dumped;
}

const ROWS = `
  INSERT INTO memories (content, title, category, record_type, tags, created_at, updated_at, embedding)
    VALUES ('The oven is gas', 'Oven', 'home', 'decision', '{kitchen,#repairs/oven}', '${at(90)}', '${at(80)}', '[1,2,3]');
  INSERT INTO memories (content, created_at, updated_at) VALUES ('Nothing else', '${at(70)}', '${at(60)}');`;

describe('an import of ShadowDB', () => {
  it('has the records with all of their fields, and the startup entries', async () => {
    await db.reset(
      'last',
      `${ROWS}
       INSERT INTO memories (content, title, created_at, updated_at, deleted_at, metadata, parent_id, source, last_verified_at)
         VALUES ('Wrong', 'Mistake', '${at(50)}', '${at(3)}', '${at(3)}', '{"section_name": "a", "channel": 1234567890123456789}', 1,
                 'gmail', '${at(5)}');
       INSERT INTO memories (content, deleted_at, updated_at) VALUES ('Old', '${at(31)}', '${at(31)}');
       INSERT INTO memory_edges VALUES (1, 2, 'knows');
       INSERT INTO primer VALUES ('soul', 'Be brief.', 10, TRUE, TRUE, '${at(9)}'), ('off', 'Be long.', 20, FALSE, FALSE, '${at(8)}')`,
    );
    const before = await dump();
    const context = await openEngine();
    const dry = await run(context, { dry_run: true });
    expect([dry.changes.length, await recordsOf(context)]).toEqual([5, []]);
    const report = await run(context);
    expect(counts(report.records)).toEqual({ added: 3, expired: 1 });
    expect(counts(report.startup)).toEqual({ added: 2 });
    expect(report.problems).toEqual([]);
    const [oven, plain, mistake] = await recordsOf(context);
    expect(oven).toMatchObject({
      id: 1,
      content: 'The oven is gas',
      title: 'Oven',
      category: 'home',
      recordType: 'decision',
      tags: ['kitchen', 'repairs/oven'],
      trust: 'agent',
      source: 'shadowdb',
      createdAt: NOW - 90 * DAY_MS,
      updatedAt: NOW - 80 * DAY_MS,
      deletedAt: null,
    });
    expect(plain).toMatchObject({ id: 2, title: '', category: 'general', recordType: 'fact', tags: [] });
    expect(mistake).toMatchObject({
      id: 3,
      deletedAt: NOW - 3 * DAY_MS,
      metadata: {
        section_name: 'a',
        channel: '1234567890123456789',
        shadowdb: { id: 3, parent_id: 1, priority: 5, confidence: 1, is_timeless: false, source: 'gmail' },
      },
    });
    expect(await undelete(context, { id: 3 })).toMatchObject({ id: 3 });
    expect(await startupEntries(context.store.records, 'default')).toMatchObject([
      {
        key: 'soul',
        content: 'Be brief.',
        priority: 0,
        reinforce: true,
        updatedAt: NOW - 9 * DAY_MS,
        deletedAt: null,
      },
      { key: 'off', priority: 1, reinforce: false, deletedAt: NOW - 8 * DAY_MS },
    ]);
    expect(await dump()).toEqual(before);
  });

  it('reads older versions, and names what they do not have', async () => {
    await db.reset(
      'first',
      `INSERT INTO memories (content, summary, tags) VALUES ('A', 'short', NULL), (NULL, NULL, '{}');
       INSERT INTO startup VALUES ('soul', 'Be brief.')`,
    );
    const first = await openEngine();
    const report = await run(first);
    expect([counts(report.records), counts(report.startup)]).toEqual([
      { added: 1, refused: 1 },
      { added: 1 },
    ]);
    expect(report.problems).toMatchObject([{ location: 'memories/2', message: 'content is empty' }]);
    const [record] = await recordsOf(first);
    expect(record).toMatchObject({
      createdAt: NOW,
      updatedAt: NOW,
      metadata: { shadowdb: { id: 1, summary: 'short' } },
    });

    await db.reset(
      'superseded',
      `${ROWS} UPDATE memories SET contradicted = TRUE, superseded_by = 2 WHERE id = 1`,
    );
    const superseded = await openEngine();
    await run(superseded);
    const [old] = await recordsOf(superseded);
    expect(old?.metadata).toEqual({ shadowdb: { id: 1, contradicted: true, superseded_by: 2 } });

    await db.reset('documented', `INSERT INTO startup VALUES ('soul', 'Be brief.', 3, TRUE, '${at(9)}')`);
    const documented = await openEngine();
    expect(counts((await run(documented)).startup)).toEqual({ added: 1 });
    const [entry] = await startupEntries(documented.store.records, 'default');
    expect(entry).toMatchObject({ priority: 3, reinforce: true, updatedAt: NOW - 9 * DAY_MS });
  });

  it('adds nothing the second time, takes over what changed there, and keeps what changed here', async () => {
    await db.reset(
      'documented',
      `${ROWS} ${ROWS} INSERT INTO startup VALUES ('soul', 'Be brief.', 3, TRUE, '${at(9)}')`,
    );
    let now = NOW;
    const context = await openEngine({ now: () => now });
    await run(context);
    now += 1000;
    const again = await run(context);
    expect([counts(again.records), counts(again.startup)]).toEqual([{ unchanged: 4 }, { unchanged: 1 }]);
    await deleteRecord(context, { id: 4 });
    await db.client.query(`
      UPDATE memories SET content = 'The oven is electric', updated_at = '${at(1)}' WHERE id = 1;
      UPDATE memories SET deleted_at = '${at(1)}', updated_at = '${at(1)}' WHERE id = 2;
      UPDATE startup SET content = 'Be long.', updated_at = '${at(1)}'`);
    const changed = await run(context);
    expect(counts(changed.records)).toEqual({ updated: 1, removed: 1, unchanged: 1, kept: 1 });
    expect(counts(changed.startup)).toEqual({ updated: 1 });
    expect(changed.conflicts).toEqual([
      { location: 'memories/4', message: 'record/4 was changed later here' },
    ]);
    await db.client.query(`UPDATE memories SET deleted_at = NULL, updated_at = '${at(0)}' WHERE id = 2`);
    expect(counts((await run(context)).records)).toMatchObject({ updated: 1 });
    const states = (await recordsOf(context)).map(({ content, deletedAt }) => [content, deletedAt === null]);
    expect(states).toEqual([
      ['The oven is electric', true],
      ['Nothing else', true],
      ['The oven is gas', true],
      ['Nothing else', false],
    ]);
  });

  it('deletes what was deleted there long ago, and does not bring it back when it was purged here', async () => {
    await db.reset('documented', ROWS);
    const context = await openEngine();
    await run(context);
    await db.client.query(`UPDATE memories SET deleted_at = '${at(40)}', updated_at = '${at(40)}'`);
    expect(counts((await run(context)).records)).toEqual({ removed: 2 });
    const purge = {
      expiredBy: NOW,
      deletedBefore: NOW,
      limit: 10,
      by: { at: NOW, actor: 'a', surface: 'cli' },
    };
    await context.store.records.commit('default', { purge });
    expect(counts((await run(context)).records)).toEqual({ expired: 2 });
  });

  it('cannot write there, whatever the tables are', async () => {
    await db.reset(
      'documented',
      `CREATE TABLE log (line text);
       CREATE FUNCTION noted(text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES ($1); RETURN $1; END $$;
       ${ROWS} CREATE VIEW watched AS SELECT id, noted(content) AS content FROM memories`,
    );
    const context = await openEngine();
    await expect(run(context, { table: 'watched' })).rejects.toThrow(/read-only transaction/);
    expect((await db.client.query('SELECT 1 FROM log')).rowCount).toBe(0);
    expect(await recordsOf(context)).toEqual([]);
  });

  it('masks secrets, and has the connection string nowhere', async () => {
    await db.reset(
      'documented',
      `INSERT INTO memories (content, tags) VALUES ('the key is ${SECRET}', '{a}');`,
    );
    const context = await openEngine();
    const report = await run(context);
    expect(report.masked_in.map(({ location }) => location)).toEqual(['memories/1']);
    const [record] = await recordsOf(context);
    expect(record?.content).not.toContain(SECRET);
    expect(
      JSON.stringify([
        record,
        report,
        await context.store.admin.audit('default', { log: { after: null, limit: 9 } }),
      ]),
    ).not.toMatch(/postgres:/);
    expect(counts((await run(context)).records)).toEqual({ unchanged: 1 });
  });

  it.each([
    ['memories', 'memories'],
    ['MEMORIES', 'memories'],
    ['agents.memories', 'agents.memories'],
    ['"a.b"."c"".d"', '"a.b"."c"".d"'],
  ])('finds the table %s, and the startup entries beside it', async (table, target) => {
    await db.client.query('DROP SCHEMA IF EXISTS agents CASCADE; DROP SCHEMA IF EXISTS "a.b" CASCADE');
    await db.reset(
      'documented',
      `CREATE SCHEMA agents; CREATE TABLE agents.memories (id integer, content text);
       CREATE SCHEMA "a.b"; CREATE TABLE "a.b"."c"".d" (id integer, content text);
       CREATE TABLE agents.primer (key text); CREATE TABLE agents.startup (key text, content text, priority integer);
       INSERT INTO agents.startup VALUES ('agent', 'Be kind.', NULL), ('first', 'Be calm.', -3);
       INSERT INTO startup VALUES ('soul', 'Be brief.', 3); INSERT INTO ${target} (id, content) VALUES (7, 'here')`,
    );
    const context = await openEngine();
    expect((await run(context, { table })).records.added).toBe(1);
    const entries = await startupEntries(context.store.records, 'default');
    const found = entries.map(({ key, priority }) => [key, priority]);
    const own = target.startsWith('agents')
      ? [
          ['first', 0],
          ['agent', 1],
        ]
      : [['soul', 3]];
    expect(found).toEqual(target.startsWith('"a.b"') ? [] : own);
  });

  it.each(['missing', 'x"; DROP TABLE memories; --', 'a.b.c', 'startup'])(
    'refuses the table %s, and imports nothing',
    async (table) => {
      await db.reset('documented', ROWS);
      const context = await openEngine();
      await expect(run(context, { table })).rejects.toThrow();
      expect(await recordsOf(context)).toEqual([]);
      expect((await db.client.query('SELECT 1 FROM memories')).rowCount).toBe(2);
    },
  );
});

it.each([
  ['postgres://me:hunter2@127.0.0.1:1/db', 'store_unavailable', /connection to PostgreSQL failed/],
  ['postgres://me:hunter2@[', 'invalid_config', /path has a character that must be percent-encoded/],
  ['env:LOCI_TEST_NOWHERE', 'invalid_config', /the variable LOCI_TEST_NOWHERE, which path names, is not set/],
  ['file:/nowhere/secret', 'invalid_config', /\/nowhere\/secret, which path names, cannot be read/],
])('an import from %s is an error that does not have it', async (path, code, message) => {
  const error: unknown = await importMemory(await openEngine(), { path }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
  expect(JSON.stringify(error) + String(error)).not.toContain('hunter2');
});

import fc from 'fast-check';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEngine, SECRET } from '../../../../test/contract/export-samples.ts';
import { SHADOWDB_TABLES, type ShadowdbVersion } from '../../../../test/contract/shadowdb-tables.ts';
import { NOW } from '../../../../test/contract/store-samples.ts';
import { testDatabase } from '../../../../test/postgres/database.ts';
import { DAY_MS } from '../../../core/time/whole-day.ts';
import type { LociRecord } from '../../../core/types.ts';
import { startupEntries } from '../../../store/items/kinds.ts';
import type { EngineContext } from '../../context.ts';
import { deleteRecord, undelete } from '../../records/delete.ts';
import { importMemory } from '../import.ts';
import type { ImportOutput } from '../import/import-report.ts';

const resources = new AsyncDisposableStack();
let url = '';
let client: Client;

beforeAll(async () => {
  ({ url } = resources.use(await testDatabase()));
  client = new Client({ connectionString: url });
  await client.connect();
  resources.defer(() => client.end());
  await client.query('CREATE EXTENSION vector');
});
afterAll(() => resources.disposeAsync());

const at = (days: number): string => new Date(NOW - days * DAY_MS).toISOString();

async function tables(version: ShadowdbVersion, rows = ''): Promise<void> {
  await client.query(`DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE EXTENSION vector`);
  await client.query(`${SHADOWDB_TABLES[version]}; ${rows}`);
}

async function run(
  context: EngineContext,
  options: { table?: string; dry_run?: boolean } = {},
): Promise<ImportOutput> {
  return importMemory(context, { path: url, ...options });
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
  const names = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname !~ '^(pg_|information_schema)' ORDER BY 1`,
  );
  const dumped: unknown[] = [];
  for (const { name } of names.rows)
    dumped.push([name, (await client.query(`SELECT xmin::text, t::text FROM ${name} AS t ORDER BY 2`)).rows]);
  return dumped;
}

const ROWS = `
  INSERT INTO memories (content, title, category, record_type, tags, created_at, updated_at, embedding)
    VALUES ('The oven is gas', 'Oven', 'home', 'decision', '{kitchen,#repairs/oven}', '${at(90)}', '${at(80)}', '[1,2,3]');
  INSERT INTO memories (content, created_at, updated_at) VALUES ('Nothing else', '${at(70)}', '${at(60)}');`;

describe('an import of ShadowDB', () => {
  it('has the records with all of their fields, and the startup entries', async () => {
    await tables(
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
    expect(report.problems.map(({ location, message }) => `${location}: ${message}`)).toEqual([
      'memories: the column embedding of 1 rows: Loci derives its own from the texts',
      'memories: the column fts of 4 rows: Loci derives its own from the texts',
      'memories: the column embedding_index of 0 rows: Loci derives its own from the texts',
      'primer: its priorities, which are from 0 to 9 here, in the same order: 10 is 0, 20 is 1',
      'memory_edges: 1 of its rows: Loci has nothing that corresponds to them',
    ]);
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
    await tables(
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
    const messages = report.problems.map(({ message }) => message);
    for (const column of ['record_type', 'created_at', 'updated_at', 'deleted_at'])
      expect(messages).toContain(`the column ${column}, which it does not have`);
    expect(messages).toContain('content is empty');
    const [record] = await recordsOf(first);
    expect(record).toMatchObject({
      createdAt: NOW,
      updatedAt: NOW,
      metadata: { shadowdb: { id: 1, summary: 'short' } },
    });

    await tables(
      'superseded',
      `${ROWS} UPDATE memories SET contradicted = TRUE, superseded_by = 2 WHERE id = 1`,
    );
    const superseded = await openEngine();
    await run(superseded);
    const [old] = await recordsOf(superseded);
    expect(old?.metadata).toEqual({ shadowdb: { id: 1, contradicted: true, superseded_by: 2 } });

    await tables('documented', `INSERT INTO startup VALUES ('soul', 'Be brief.', 3, TRUE, '${at(9)}')`);
    const documented = await openEngine();
    expect(counts((await run(documented)).startup)).toEqual({ added: 1 });
    const [entry] = await startupEntries(documented.store.records, 'default');
    expect(entry).toMatchObject({ priority: 3, reinforce: true, updatedAt: NOW - 9 * DAY_MS });
  });

  it('adds nothing the second time, takes over what changed there, and keeps what changed here', async () => {
    await tables(
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
    await client.query(`
      UPDATE memories SET content = 'The oven is electric', updated_at = '${at(1)}' WHERE id = 1;
      UPDATE memories SET deleted_at = '${at(1)}', updated_at = '${at(1)}' WHERE id = 2;
      UPDATE startup SET content = 'Be long.', updated_at = '${at(1)}'`);
    const changed = await run(context);
    expect(counts(changed.records)).toEqual({ updated: 1, removed: 1, unchanged: 1, kept: 1 });
    expect(counts(changed.startup)).toEqual({ updated: 1 });
    expect(changed.conflicts).toEqual([
      { location: 'memories/4', message: 'record/4 was changed later here' },
    ]);
    await client.query(`UPDATE memories SET deleted_at = NULL, updated_at = '${at(0)}' WHERE id = 2`);
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
    await tables('documented', ROWS);
    const context = await openEngine();
    await run(context);
    await client.query(`UPDATE memories SET deleted_at = '${at(40)}', updated_at = '${at(40)}'`);
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
    await tables(
      'documented',
      `CREATE TABLE log (line text);
       CREATE FUNCTION noted(text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES ($1); RETURN $1; END $$;
       ${ROWS} CREATE VIEW watched AS SELECT id, noted(content) AS content FROM memories`,
    );
    const context = await openEngine();
    await expect(run(context, { table: 'watched' })).rejects.toThrow(/read-only transaction/);
    expect((await client.query('SELECT 1 FROM log')).rowCount).toBe(0);
    expect(await recordsOf(context)).toEqual([]);
  });

  it('masks secrets, and has the connection string nowhere', async () => {
    await tables(
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

  it('prefers entries of the newer table of startup entries', async () => {
    await tables(
      'last',
      `CREATE TABLE startup (key text, content text, priority integer);
       INSERT INTO startup VALUES ('soul', 'old', 1), ('user', 'Anna', NULL);
       INSERT INTO primer (key, content) VALUES ('soul', 'new')`,
    );
    const context = await openEngine();
    const report = await run(context);
    expect(report.problems).toContainEqual({
      location: 'startup, row 1 by its key',
      message: 'primer has an entry with the same key',
    });
    const entries = await startupEntries(context.store.records, 'default');
    expect(entries.map(({ key, content, priority }) => [key, content, priority])).toEqual([
      ['soul', 'new', 0],
      ['user', 'Anna', 9],
    ]);
  });
});

describe('the table of an import', () => {
  const hostile = 'x"; DROP TABLE memories; --';
  it.each([
    ['memories', 'public.memories'],
    ['MEMORIES', 'public.memories'],
    ['Memories', 'public."Memories"', 'CREATE TABLE "Memories" (id integer, content text)'],
    [
      'agents.memories',
      'agents.memories',
      'CREATE SCHEMA agents; CREATE TABLE agents.memories (id integer, content text)',
    ],
    ['My notes', '"My notes"', 'CREATE TABLE "My notes" (id integer, content text)'],
    [
      '"a.b"."c"".d"',
      '"a.b"."c"".d"',
      'CREATE SCHEMA "a.b"; CREATE TABLE "a.b"."c"".d" (id integer, content text)',
    ],
    [
      `"${hostile.replace('"', '""')}"`,
      `"${hostile.replace('"', '""')}"`,
      `CREATE TABLE "${hostile.replace('"', '""')}" (id integer, content text)`,
    ],
  ])('may be %s', async (table, target, statement = '') => {
    await client.query('DROP SCHEMA IF EXISTS agents CASCADE; DROP SCHEMA IF EXISTS "a.b" CASCADE');
    await tables('documented', `${statement}; INSERT INTO ${target} (id, content) VALUES (7, 'here')`);
    const context = await openEngine();
    expect(counts((await run(context, { table })).records)).toEqual({ added: 1 });
    expect((await recordsOf(context)).map(({ content }) => content)).toEqual(['here']);
  });

  it.each([
    ['missing', /has no table missing that this user can see/, /public\.memories/],
    [hostile, /is not the name of a table/, /agents\.memories/],
    ['a.b.c', /is not the name of a table/, /agents\.memories/],
    [
      'startup',
      /public\.startup is no table of memories of ShadowDB: it has no column id/,
      /key, content.*--table/,
    ],
    ['things', /its ids have the type text/, /--table/],
  ])('%s is refused, and nothing is imported', async (table, message, hint) => {
    await tables('documented', `${ROWS} CREATE TABLE things (id text, content text)`);
    const context = await openEngine();
    const error: unknown = await run(context, { table }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
    expect(await recordsOf(context)).toEqual([]);
  });
});

it.each([
  ['postgres://me:hunter2@127.0.0.1:1/db', 'store_failed', /connection to PostgreSQL failed/],
  ['postgres://me:hunter2@[', 'invalid_config', /path is no URL that begins with postgres/],
  ['env:LOCI_TEST_NOWHERE', 'invalid_config', /the variable LOCI_TEST_NOWHERE, which path names, is not set/],
  ['file:/nowhere/secret', 'invalid_config', /\/nowhere\/secret, which path names, cannot be read/],
])('an import from %s is an error that does not have it', async (path, code, message) => {
  const error: unknown = await importMemory(await openEngine(), { path }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
  expect(JSON.stringify(error) + String(error)).not.toContain('hunter2');
});

/** Rows as other programs, or people, may have written them. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }).map((each) => each.replaceAll('\0', '')),
  fc.constantFrom(
    '',
    ' ',
    '\u001b[1m',
    '\u{1f600}'.repeat(400),
    'x'.repeat(3000),
    'pack_history',
    '#tag/',
    'Same',
  ),
);
const time = fc.constantFrom(
  null,
  'infinity',
  '-infinity',
  '0044-03-15 BC',
  '20000-01-01',
  '1969-01-01',
  '2026-01-01',
  '2099-01-01',
);
const hostileRow = fc.record({
  id: fc.constantFrom(-1, 0, 1, 2, 3, 4, 5, 2 ** 31, '9223372036854775807'),
  content: fc.oneof(text, fc.constantFrom(null, 'y'.repeat(1_048_577))),
  title: fc.option(text),
  category: fc.option(text),
  record_type: fc.option(text),
  tags: fc.option(fc.array(fc.option(text), { maxLength: 80 })),
  metadata: fc.constantFrom(
    null,
    '[]',
    '1e400',
    '{"a":{"b":[null,1.10]}}',
    `"${'z'.repeat(30_000)}"`,
    '['.repeat(5000) + ']'.repeat(5000),
  ),
  created_at: time,
  updated_at: time,
  deleted_at: time,
});

const rowsOfTable = fc.uniqueArray(hostileRow, { maxLength: 8, selector: ({ id }) => id });

it('an import of any rows counts each, and finds them unchanged the next time', async () => {
  await tables(
    'documented',
    `DROP TABLE memories; ALTER TABLE startup ALTER priority DROP NOT NULL;
     CREATE TABLE memories (id bigint, content text, title text, category text, record_type text, tags text[], metadata jsonb,
       created_at timestamptz, updated_at timestamptz, deleted_at timestamptz)`,
  );
  const priorities = fc.array(fc.option(fc.integer()), { maxLength: 15 });
  await fc.assert(
    fc.asyncProperty(rowsOfTable, priorities, async (rows, given) => {
      await client.query('TRUNCATE memories, startup');
      for (const row of rows)
        await client.query(
          'INSERT INTO memories VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
          Object.values(row),
        );
      const startup =
        'INSERT INTO startup SELECT key, $1, priority FROM unnest($2::text[], $3::integer[]) AS t(key, priority)';
      await client.query(startup, ['text', given.map((_, i) => String(i)), given]);
      const context = await openEngine();
      const first = await run(context);
      const sum = (output: ImportOutput['records']): number =>
        Object.values(output).reduce((total, count) => total + count, 0);
      expect([sum(first.records), first.startup.added]).toEqual([rows.length, given.length]);
      const { records, startup: entries } = await run(context);
      expect([records.added, records.updated, records.removed]).toEqual([0, 0, 0]);
      expect([records.refused, entries.unchanged]).toEqual([first.records.refused, given.length]);
      const order = (await startupEntries(context.store.records, 'default'))
        .toSorted((a, b) => rank(given, a.key) - rank(given, b.key))
        .map(({ priority }) => priority);
      expect(order).toEqual(order.toSorted((a, b) => a - b));
    }),
    { numRuns: 30 },
  );
});

function rank(priorities: readonly (number | null)[], key: string): number {
  return priorities[Number(key)] ?? 2 ** 31;
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEngine } from '../../../../test/contract/export-samples.ts';
import { type Shadowdb, shadowdb } from '../../../../test/contract/shadowdb-tables.ts';
import { NOW } from '../../../../test/contract/store-samples.ts';
import type { EngineContext } from '../../context.ts';
import { importMemory } from '../import.ts';

let db: Shadowdb;
beforeAll(async () => (db = await shadowdb()));
afterAll(() => db[Symbol.asyncDispose]());

async function contents({ store, namespace }: EngineContext): Promise<string[]> {
  const records = await store.records.list(
    namespace,
    { scan: 'exportable', now: NOW },
    { after: null, limit: 9 },
  );
  return records.map(({ content }) => content);
}

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
    await db.client.query('DROP SCHEMA IF EXISTS agents CASCADE; DROP SCHEMA IF EXISTS "a.b" CASCADE');
    await db.reset('documented', `${statement}; INSERT INTO ${target} (id, content) VALUES (7, 'here')`);
    const context = await openEngine();
    expect((await importMemory(context, { path: db.url, table })).records.added).toBe(1);
    expect(await contents(context)).toEqual(['here']);
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
    await db.reset('documented', `CREATE TABLE things (id text, content text)`);
    const context = await openEngine();
    const error: unknown = await importMemory(context, { path: db.url, table }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
    expect(await contents(context)).toEqual([]);
  });
});

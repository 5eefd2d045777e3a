import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectStore, openStore } from '../../src/store/registry.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import type { Store } from '../../src/store/store.ts';
import { searchText, searchVectors } from '../contract/queries.ts';
import { describeStore } from '../contract/store-contract.ts';
import { ALL_LIVE, anyOf, CHUNKING, embed, note, NOW, unit } from '../contract/store-samples.ts';
import { auditDraft } from '../contract/written-samples.ts';
import { SqlRewritingProxy } from './sql-rewriting-proxy.ts';

const NAME = `loci_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
const server = process.env['LOCI_TEST_POSTGRES_URL']!;

function urlOf(user: string): string {
  const url = new URL(`/${NAME}`, server);
  url.username = user;
  return url.href;
}

/** Runs the statements of docs/postgres.md with names of this test. */
async function runDocumentation(): Promise<void> {
  const text = readFileSync(new URL('../../docs/postgres.md', import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/```sql\n(.*?)```/gs)].map(([, block]) => block!);
  const statements = blocks.join('').replaceAll(/\bloci(?=\b|_server)/g, NAME);
  const [before, within] = statements.split(/^\s*\\c .*$/m) as [string, string];
  await run(server, before);
  await run(new URL(`/${NAME}`, server).href, within);
}

async function run(url: string, statements: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const statement of statements.split(';').filter((each) => each.trim() !== ''))
    await client.query(statement);
  await client.end();
}

type Rule = readonly [condition: RegExp, replacement: string];

/** The conditions on namespaces in statements as PostgreSQL gets them. */
const CONDITIONS: readonly Rule[] = [
  [/\b(?:\w+\.)?ns = \(SELECT id FROM namespace WHERE name = (\$\d+::text)\)/g, '$1 IS NOT NULL'],
  [
    /(?<![\w.]|SELECT [^;]{1,80}FROM passage_text(?: AS t)? WHERE )(?:\w+\.)?ns = (\$\d+::bigint)/g,
    '$1 IS NOT NULL',
  ],
  [/\b\w+\.ns = given\.ns\b/g, 'TRUE'],
  [/(?<=(?:FROM|UPDATE) namespace\b[^;]*WHERE )(?:n\.)?(?:id|name) = (\$\d+::\w+)/g, '$1 IS NOT NULL'],
  [/\bnamespace = (\$\d+::text)/g, '$1 IS NOT NULL'],
];
/**
 * Those of queries of `passage_text`, which has no policy for reading. Without them, passages of others, which are dropped later, take
 * the places of some.
 */
const CONDITIONS_OF_TEXT: readonly Rule[] = [
  [/(?<=FROM passage_text AS t WHERE )t\.ns = (\$\d+::bigint)/g, '$1 IS NOT NULL'],
  // The namespace is a term of the full-text index.
  [/(\$\d+(?:::text)+) \|\| ' & \('/g, "substr($1, 1, 0) || '('"],
  [/\$\d+::text::tsquery && /g, ''],
];

const resources = new AsyncDisposableStack();
const [proxy, proxyOfText] = [CONDITIONS, [...CONDITIONS, ...CONDITIONS_OF_TEXT]].map((rules) =>
  resources.use(
    new SqlRewritingProxy(server, (statement) =>
      rules.reduce((text, [condition, replacement]) => text.replaceAll(condition, replacement), statement),
    ),
  ),
) as [SqlRewritingProxy, SqlRewritingProxy];

async function openAs(user: 'owner' | 'server', through = proxyOfText): Promise<Store> {
  const connectionString = await through.through(urlOf(user === 'owner' ? NAME : `${NAME}_server`));
  const settings = { path: 'loci.db', connectionString, directConnectionString: urlOf(NAME) };
  return openStore(settings, { create: true });
}

beforeAll(runDocumentation);
afterAll(async () => {
  await resources.disposeAsync();
  await run(server, `DROP DATABASE ${NAME} WITH (FORCE); DROP ROLE ${NAME}; DROP ROLE ${NAME}_server`);
});

describe('without conditions on namespaces', () => {
  const [ours, theirs] = ['our notes', 'their notes'];
  let generation: number;
  const calls: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
    list: ({ records }) => records.list(ours, { scan: 'undeleted' }, { after: null, limit: 10 }),
    count: ({ records }) => records.count(ours, ALL_LIVE),
    facet: ({ records }) => records.facet(ours, 'tag', ALL_LIVE),
    changes: ({ records }) => records.changes(ours, { after: null, limit: 10 }),
    text: (store) => searchText(store, ours, anyOf('granite'), ALL_LIVE, 10),
    vectors: (store) => searchVectors(store, ours, generation, unit(1, 2, 3), ALL_LIVE, 10),
    terms: ({ search }) => search.terms(ours, ['granite'], 1000),
    audit: ({ admin }) => admin.audit(ours, { log: { after: null, limit: 10 } }),
    items: ({ records }) => records.items(ours, { kind: 'receipt', by: 'key' }, { after: null, limit: 10 }),
    pending: ({ vectors }) => vectors.pending(ours, generation + 1, { limit: 10 }),
  };
  let owner: Store;
  let server: Store;

  beforeAll(async () => {
    const direct = await openStore({ path: 'loci.db', connectionString: urlOf(NAME) }, { create: true });
    generation = (
      await direct.vectors.setGeneration(ADMIN_NAMESPACE, {
        add: { provider: 'test', model: 'of both', dimensions: 3 },
      })
    ).id;
    for (const [namespace, text] of [
      [ours, 'a marble worktop'],
      [theirs, 'a granite worktop'],
    ] as const) {
      await direct.records.commit(namespace, {
        writes: [note(text, { tags: [namespace] })],
        audit: [auditDraft()],
        items: [{ put: { kind: 'receipt', key: text, at: NOW, body: {} } }],
        chunking: CHUNKING,
      });
      await embed(direct, generation, namespace, (each) => unit(1, each.length, 2));
    }
    expected = Object.fromEntries(
      await Promise.all(Object.entries(calls).map(async ([name, call]) => [name, await call(direct)])),
    );
    await direct.close();
    [owner, server] = [await openAs('owner'), await openAs('server')];
  });
  let expected: Readonly<Record<string, unknown>>;
  afterAll(async () => {
    await owner.close();
    await server.close();
  });

  it.each(Object.keys(calls))(
    '%s sees other namespaces as the owner, and none as another user',
    async (name) => {
      expect(await calls[name]!(server)).toEqual(expected[name]);
      // A statement that expects one namespace may fail.
      expect(await calls[name]!(owner).catch(String)).not.toEqual(expected[name]);
    },
  );
});

describeStore(
  'postgres for a user who owns no table, whose statements have no conditions on namespaces',
  () => openAs('server', proxy),
);

/** What a server sees of all namespaces: names and numbers, and no texts. */
const VIEWS = ['all_namespaces', 'all_pending', 'all_records', 'all_removed', 'all_totals'];

it('every table that has a namespace has a policy, and a user who is told no namespace sees no row', async () => {
  const client = new Client({ connectionString: urlOf(`${NAME}_server`) });
  await client.connect();
  const { rows } = await client.query<{ name: string; active: boolean }>(
    `SELECT table_name AS name, row_security_active(table_name) AS active FROM information_schema.columns
     JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND (column_name = 'ns' OR table_name IN ('namespace', 'lease'))
     GROUP BY table_name`,
  );
  expect(rows.length).toBeGreaterThan(20);
  for (const { name, active } of rows) {
    expect([name, active]).toEqual([name, true]);
    if (name === 'passage_text') continue;
    expect([name, (await client.query(`SELECT 1 FROM ${name} LIMIT 1`)).rows]).toEqual([name, []]);
  }
  const views = await client.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.views WHERE table_schema = 'public'",
  );
  expect(views.rows.map(({ name }) => name).toSorted()).toEqual(VIEWS);
  for (const view of VIEWS)
    await expect(client.query(`DELETE FROM ${view}`)).rejects.toThrow('cannot delete from view');
  expect((await client.query('UPDATE loci_store SET version = 99')).rowCount).toBe(0);
  await client.end();
});

it('a user who owns no table deletes no audit log unless the log of the store says so', async () => {
  const store = await openAs('server');
  await store.records.commit('its log', { audit: [auditDraft()] });
  const client = new Client({ connectionString: urlOf(`${NAME}_server`) });
  await client.connect();
  await client.query("BEGIN; SET LOCAL loci.namespace = ':its log'; UPDATE namespace_state SET removed = 1");
  await client.query('SAVEPOINT before');
  await expect(client.query('DELETE FROM audit')).rejects.toThrow('the audit log is append-only');
  await client.query('ROLLBACK TO before');
  // Nor with tables that say so for this user alone.
  await client.query('CREATE TEMPORARY TABLE namespace AS SELECT * FROM public.namespace');
  await client.query("INSERT INTO pg_temp.namespace (id, name) VALUES (-1, '')");
  await client.query('CREATE TEMPORARY TABLE audit AS SELECT * FROM public.audit');
  await client.query(
    "UPDATE pg_temp.audit SET ns = -1, action = 'namespace-delete', subject = 'namespace:its log'",
  );
  await expect(client.query('DELETE FROM public.audit')).rejects.toThrow('the audit log is append-only');
  await client.end();
  await store.close();
});

it('a copy is refused to a user who sees one namespace at a time', async () => {
  const settings = { path: 'loci.db', connectionString: urlOf(`${NAME}_server`) };
  await expect(connectStore(settings, { create: false })).rejects.toThrow(/sees one namespace at a time/);
});

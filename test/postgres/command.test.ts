import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { shadowdb } from '../contract/shadowdb-tables.ts';
import { loci, temporaryFolder } from '../e2e/loci-command.ts';
import { runStatements, testDatabase } from './database.ts';

const resources = new AsyncDisposableStack();
afterAll(() => resources.disposeAsync());
let url: string;
const home = temporaryFolder();

beforeAll(async () => {
  ({ url } = resources.use(await testDatabase()));
});

const run = async (...command: readonly string[]): Promise<string> => {
  const { stdout, stderr } = await loci(command, { home, env: { LOCI_STORE_CONNECTION_STRING: url } });
  return stdout + stderr;
};

it('`init` says whether the store was there', async () => {
  expect(await run('config', 'init')).not.toMatch(/store .*existed already/);
  expect(await run('config', 'init')).toMatch(/store .*existed already/);
});

it('`init` names the command that imports a ShadowDB in the same database, until it has done so', async () => {
  await using db = await shadowdb();
  await db.reset('documented', `INSERT INTO memories (content) VALUES ('The oven is gas')`);
  // As somebody pastes the settings of memory-shadowdb.
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'loci.yaml'), `connectionString: ${db.url}\n`);
  const run = (...words: string[]) => loci(words, { home: folder });
  const init = await run('config', 'init');
  const [, command] = /^Next: loci (import .*?)  /m.exec(init.stdout) ?? [];
  expect(command).toBe('import --table memories');
  expect((await run(...command!.split(' '))).stdout).toContain('1 added');
  expect((await run('search', 'oven')).stdout).toContain('The oven is gas');
  expect((await run('config', 'init')).stdout).not.toContain('import');
});

it('`doctor` and `status` speak of a store, not of a file', async () => {
  const said = [await run('doctor'), await run('status'), await run('doctor', 'reindex')].join('\n');
  expect(said).toContain('the store and every index are intact');
  expect(said).not.toMatch(/\bfiles?\b|loci\.db/);
});

it('`doctor` warns of a version of pgvector that can damage indexes', async () => {
  await runStatements(url, `UPDATE pg_extension SET extversion = '0.8.3' WHERE extname = 'vector'`);
  expect(await run('doctor')).toMatch(
    /warning +store .*\n.*pgvector 0\.8\.3 .*ALTER EXTENSION vector UPDATE;/,
  );
  await runStatements(url, `UPDATE pg_extension SET extversion = '0.8.4' WHERE extname = 'vector'`);
  expect(await run('doctor')).toMatch(/ok +store/);
});

const DAMAGE = [
  'DROP INDEX record_timeline',
  'ALTER TABLE change DROP CONSTRAINT change_pkey',
  `UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = 'record_key'::regclass`,
];

it('`doctor` names indexes that are missing or invalid, with statements that repair them', async () => {
  await runStatements(url, ...DAMAGE);
  const said = await run('doctor');
  expect(said).toMatch(/failed +store +the index/);
  const statements = [...said.matchAll(/run `([^`]+;)`/g)].map(([, statement]) => statement!);
  expect(statements).toEqual([
    'CREATE INDEX record_timeline ON record (ns, timeline_at, id) WHERE deleted_at IS NULL;',
    'ALTER TABLE change ADD PRIMARY KEY (ns, record);',
    'REINDEX INDEX CONCURRENTLY record_key;',
  ]);
  await runStatements(url, ...statements);
  expect(await run('doctor')).toMatch(/ok +store/);
});

it('`doctor reindex` makes missing and invalid indexes again, and leaves the full-text index as it is', async () => {
  await run('write', 'The kettle is in the cellar.');
  const rows = 'SELECT ns, passage, xmin FROM passage_text ORDER BY ns, passage';
  const before = await runStatements(url, rows);
  expect(before.length).toBeGreaterThan(0);
  await runStatements(url, ...DAMAGE);
  await run('doctor', 'reindex');
  expect(await run('doctor')).toMatch(/ok +store/);
  expect(await runStatements(url, rows)).toEqual(before);
});

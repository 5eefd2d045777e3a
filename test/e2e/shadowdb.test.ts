import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ImportOutput } from '../../src/engine/portable/import-report.ts';
import { type Shadowdb, shadowdb } from '../contract/shadowdb-tables.ts';
import { countRecords, waitForFirstBatch } from '../faults/first-batch.ts';
import { loci, lociJson, startLoci, temporaryFolder } from './loci-command.ts';

const ROWS = 800;

let db: Shadowdb;
let url = '';

beforeAll(async () => {
  db = await shadowdb();
  await db.reset(
    'documented',
    `INSERT INTO memories (title, content) SELECT 'Day ' || n, 'The lantern of day ' || n FROM generate_series(1, ${String(ROWS)}) AS n;
     INSERT INTO startup (key, content) VALUES ('soul', 'Be brief.')`,
  );
  url = db.url.replace('//postgres@', '//postgres:hunter2@');
});
afterAll(() => db[Symbol.asyncDispose]());

/** All files of a folder, one after the other. */
function contentsOf(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n');
}

it('a ShadowDB is imported from the command line, and its connection string is stored and printed nowhere', async () => {
  const home = temporaryFolder();
  const dry = await loci(['import', url, '--dry-run'], { home });
  expect(dry).toMatchObject({ code: 0 });
  const imported = await loci(['import', url], { home });
  expect(imported.stdout).toMatch(/ShadowDB: records: 800 added; startup entries: 1 added/);
  const place = join(temporaryFolder(), 'url');
  writeFileSync(place, `${url}\n`);
  // A process of its own, because a variable is that of the process.
  for (const args of [['env:SHADOWDB_URL'], [`file:${place}`, '--table', 'public.memories']]) {
    const again = await startLoci(['import', ...args], { home, env: { SHADOWDB_URL: url } }).ended;
    expect(again.stdout).toMatch(/records: 800 unchanged; startup entries: 1 unchanged/);
  }
  const found = await loci(['search', 'lantern of day 123'], { home });
  expect(found.stdout).toContain('Day 123');
  const wrong = await loci(['import', url.replace('/postgres', '/nowhere'), '--table', 'nothing'], { home });
  expect(wrong.code).not.toBe(0);
  const misplaced = await loci(['import', home, '--table', 'memories'], { home });
  expect(misplaced.stderr).toContain('table: only a database has tables');
  const printed = [dry, imported, wrong].map(({ stdout, stderr }) => stdout + stderr).join('\n');
  expect(printed + contentsOf(home)).not.toMatch(/hunter2|@127\.0\.0\.1/);
  expect(await loci(['doctor'], { home })).toMatchObject({ code: 0 });
});

it('an import of a ShadowDB that was killed continues', async () => {
  const home = temporaryFolder();
  await lociJson(['config', 'init'], { home });
  const running = startLoci(['import', url], { home });
  await waitForFirstBatch(home, running);
  running.child.kill('SIGKILL');
  await running.ended;
  const stored = countRecords(home);
  expect(stored).toBeLessThan(ROWS);
  expect(stored % 100).toBe(0);
  const { records } = await lociJson<ImportOutput>(['import', url], { home });
  expect(records).toMatchObject({ unchanged: stored, added: ROWS - stored });
});

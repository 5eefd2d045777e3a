import { chownSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { doctor } from '../../src/engine/health/doctor.ts';
import { openInline, settings, temporaryFolder } from '../contract/engines.ts';
import { fillStore, readStore } from '../contract/filled-store.ts';
import { note, write } from '../contract/store-samples.ts';
import { runStatements, serverDatabase } from './database.ts';
import { type DataFolder, dataFolder, runProgram, type Server, startServer } from './server.ts';
import { open, requirePrograms } from './written-keys.ts';

/** The commands of the section on backups, in their order. */
const DOCUMENT = readFileSync(new URL('../../docs/postgres.md', import.meta.url), 'utf8');
const BACKUP = DOCUMENT.slice(DOCUMENT.indexOf('## Backup'));
const [DUMP, RESTORE, COPY, RESTORE_POINT, RECOVER] = Array.from(
  BACKUP.matchAll(/```sh\n(.*?)```/gs),
  ([, commands]) => commands!,
);
const ARCHIVE_SETTINGS = /```ini\n(.*?)```/s.exec(BACKUP)![1]!.trim().split('\n');

const programs = requirePrograms();
let backup: DataFolder;
let server: Server;
beforeAll(async () => {
  backup = dataFolder(programs);
  mkdirSync(join(backup.outside, 'wal'));
  if (programs.user !== null) chownSync(join(backup.outside, 'wal'), programs.user.uid, programs.user.gid);
  server = await startServer(programs, {
    settings: ARCHIVE_SETTINGS.map((line) =>
      line
        .replaceAll('/backup', backup.path)
        .replace(' = ', '=')
        .replace(/='(.*)'$/, '=$1'),
    ),
  });
});

afterAll(async () => {
  await server.close();
  backup[Symbol.dispose]();
});

function run(commands: string | undefined, variables: Record<string, string>): Promise<void> {
  const env = { BACKUP: backup.path, SERVER: server.url, ...variables };
  return runProgram(programs, '/bin/sh', ['-euc', commands!], env);
}

/** The store that the connection string names, as `loci.yaml` says it. */
const storeAt = (connectionString: string) => ({ path: 'unused.db', connectionString });

const HEALTHY = {
  // A server may have a version of pgvector that `loci doctor` warns of.
  store: expect.stringMatching(/^(ok|warning)$/) as unknown,
  derived: 'ok',
  audit: 'ok',
  graph: 'ok',
  receipts: 'ok',
};

/** What `loci doctor` says about each part of a store. */
async function diagnosis(connectionString: string): Promise<Record<string, string>> {
  await using folder = await temporaryFolder();
  const context = await openInline(settings(folder.path, { store: { connectionString } }), { create: false });
  try {
    return Object.fromEntries((await doctor(context)).map(({ name, result }) => [name, result]));
  } finally {
    await context.close();
  }
}

describe('a backup that is made as docs/postgres.md says', () => {
  it('with pg_dump has the whole store in a new database', async () => {
    const { url } = await serverDatabase(server.url);
    await fillStore(storeAt(url));
    const before = await readStore(storeAt(url));
    const restored = new URL('/loci_restored', server.url).href;
    await run(DUMP, { DATABASE: url });
    await runStatements(server.url, 'CREATE ROLE loci');
    await run(RESTORE, { RESTORED: restored });
    expect(await readStore(storeAt(restored))).toEqual(before);
    expect(await diagnosis(restored)).toMatchObject(HEALTHY);
    await using resources = new AsyncDisposableStack();
    expect(await write(await open(restored, resources), 'first', note('a new note'))).toEqual([14]);
  });

  it('with a copy and the log of the server has the store as it was at a moment', async () => {
    await using resources = new AsyncDisposableStack();
    const { url } = await serverDatabase(server.url);
    await run(COPY, {});
    await fillStore(storeAt(url));
    const before = await readStore(storeAt(url));
    await run(RESTORE_POINT, {});
    await write(await open(url, resources), 'first', note('a mistake'));
    await runStatements(server.url, 'SELECT pg_switch_wal()');
    const unarchived = "SELECT 1 FROM pg_ls_archive_statusdir() WHERE name LIKE '%.ready'";
    await vi.waitFor(async () => expect(await runStatements(server.url, unarchived)).toEqual([]), 100_000);

    const fill = (DATA: string): Promise<void> => run(RECOVER, { DATA });
    const recovered = resources.adopt(await startServer(programs, { fill }), (each) => each.close());
    const isRecovering = 'SELECT pg_is_in_recovery() AS answer';
    await vi.waitFor(
      async () => expect(await runStatements(recovered.url, isRecovering)).toEqual([{ answer: false }]),
      100_000,
    );
    const recoveredUrl = Object.assign(new URL(url), { host: new URL(recovered.url).host }).href;
    expect(await readStore(storeAt(recoveredUrl))).toEqual(before);
    expect(await diagnosis(recoveredUrl)).toMatchObject(HEALTHY);
    expect(await write(await open(recoveredUrl, resources), 'first', note('a new note'))).toEqual([14]);
  });
});

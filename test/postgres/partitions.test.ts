import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { matchingRecords, note, write } from '../contract/store-samples.ts';
import { addManyVectors, runStatements, serverDatabase } from './database.ts';
import { runProgram, type Server, startServer } from './server.ts';
import { open, requirePrograms } from './written-keys.ts';

const DOCUMENT = readFileSync(new URL('../../docs/postgres.md', import.meta.url), 'utf8');
const [, SECTION] = /\n## Partitions\n(.*?)\n## /s.exec(DOCUMENT)!;
const [TABLES, INDEX] = Array.from(SECTION!.matchAll(/ *```sh\n(.*?)```/gs), ([, commands]) => commands!);

const programs = requirePrograms();
let server: Server;
beforeAll(async () => {
  server = await startServer(programs);
});
afterAll(() => server.close());

const run = (commands: string | undefined, variables: Record<string, string>): Promise<void> =>
  runProgram(programs, '/bin/sh', ['-euc', commands!], variables);

it('a store works on partitions that are made as docs/postgres.md says, with an index of vectors', async () => {
  await using resources = new AsyncDisposableStack();
  const [whole, parts] = [await serverDatabase(server.url), await serverDatabase(server.url)];
  await open(whole.url, resources);
  await run(TABLES, { DATABASE: whole.url, PARTITIONED: parts.url });
  const store = await open(parts.url, resources);
  for (const namespace of ['a', 'b', 'c', 'd', 'e']) {
    const [kettle, oven] = await write(store, namespace, note('a kettle boils'), note('an oven'));
    expect(await matchingRecords(store, namespace, 'kettle')).toEqual([kettle]);
    await store.records.commit(namespace, { deletions: [{ id: kettle!, at: 1 }], evictions: [oven!] });
    expect(await matchingRecords(store, namespace, 'kettle')).toEqual([]);
  }
  const used = await runStatements(parts.url, 'SELECT DISTINCT tableoid FROM change');
  expect(used.length).toBeGreaterThan(1);
  const add = { provider: 'test', model: 'm', dimensions: 3 };
  const { id } = await store.vectors.setGeneration(ADMIN_NAMESPACE, { add });
  await addManyVectors(parts.url, id);
  expect(await store.vectors.needsIndex(ADMIN_NAMESPACE, id)).toBe(false);
  await run(INDEX, { PARTITIONED: parts.url, MODEL: String(id), DIMENSIONS: '3' });
  const valid = `SELECT indisvalid FROM pg_index WHERE indexrelid = 'embedding_near_${String(id)}'::regclass`;
  expect(await runStatements(parts.url, valid)).toEqual([{ indisvalid: true }]);
  expect(await store.admin.verify(ADMIN_NAMESPACE)).toEqual([]);
});

import { afterAll } from 'vitest';
import { openStore } from '../../src/store/registry.ts';
import { describeStore } from '../contract/store-contract.ts';
import { serverDatabase } from './database.ts';
import { startPgBouncer } from './pgbouncer.ts';
import { startServer } from './server.ts';
import { requirePrograms } from './written-keys.ts';

const programs = requirePrograms();
const server = await startServer(programs);
const bouncer = await startPgBouncer(programs, server.url);

afterAll(async () => {
  await bouncer[Symbol.asyncDispose]();
  await server.close();
});

describeStore('postgres through PgBouncer in transaction mode', async () => {
  const { url } = await serverDatabase(server.url);
  return openStore({ path: 'loci.db', connectionString: bouncer.url(url) }, { create: true });
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore } from '../../src/store/registry.ts';
import { describeConflicts } from '../contract/store-records.ts';
import { describeStore, FEW_SUITES } from '../contract/store-contract.ts';
import { describeDeletionAndRestoration } from '../contract/store-deletion.ts';
import { describeFences, describeLeases } from '../contract/store-leases.ts';
import { describeTextSearch, describeWords } from '../contract/store-text.ts';
import { describeVectors } from '../contract/store-vectors.ts';
import { repetitions } from '../repetitions.ts';
import { runStatements, serverDatabase } from './database.ts';
import { type PgBouncer, startPgBouncer } from './pgbouncer.ts';
import { type Server, startServer } from './server.ts';
import { keysOf, open, requirePrograms, Writes } from './written-keys.ts';

let server: Server;
let bouncer: PgBouncer;
beforeAll(async () => {
  const programs = requirePrograms();
  server = await startServer(programs);
  bouncer = await startPgBouncer(programs, server.url);
});

afterAll(async () => {
  await bouncer[Symbol.asyncDispose]();
  await server.close();
});

describeStore(
  'postgres through PgBouncer in transaction mode',
  async () => {
    const { url } = await serverDatabase(server.url);
    return openStore({ path: 'loci.db', connectionString: bouncer.url(url) }, { create: true });
  },
  // All of them with LOCI_LONG_TESTS=1.
  repetitions(0, 1) === 1
    ? undefined
    : [
        ...FEW_SUITES,
        ...[describeConflicts, describeDeletionAndRestoration, describeFences, describeLeases],
        ...[describeTextSearch, describeVectors, describeWords],
      ],
);

it('calls through PgBouncer leave nothing in a session that another client gets', async () => {
  await using resources = new AsyncDisposableStack();
  const { url } = await serverDatabase(server.url);
  const store = await open(bouncer.url(url), resources);
  const writes = new Writes();
  const calls = Array.from({ length: 30 }, async (_, i) => {
    await writes.commit(store, `write ${String(i)}`);
    await keysOf(store);
  });
  await Promise.all(calls);
  await writes.expectKept(store);
  expect(writes.errors).toEqual([]);
  const changed = `SELECT name FROM pg_settings WHERE source = 'session' AND name <> 'application_name'
    AND name <> 'client_encoding'`;
  const left = await Promise.all([1, 2, 3].map(() => runStatements(bouncer.url(url), changed)));
  expect(left).toEqual([[], [], []]);
});

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { adapterContract } from '../adapters/contract/suite.ts';
import type { LociAdapter } from '../../src/adapters/contract.ts';
import { createAdapter } from '../../src/adapters/create-adapter.ts';
import { temporaryFolder, writeNotes } from '../contract/engines.ts';
import { runStatements, testDatabase } from './database.ts';

const resources = new AsyncDisposableStack();
afterAll(() => resources.disposeAsync());
let url: string;

beforeAll(async () => {
  ({ url } = resources.use(await testDatabase()));
});

/** The homes have a namespace each. */
const namespaces = new Map<string, string>();

function open(home: string): Promise<LociAdapter> {
  const namespace = namespaces.get(home) ?? `pools ${String(namespaces.size)}`;
  namespaces.set(home, namespace);
  return createAdapter(
    {
      memory: { adapter: 'loci' },
      store: { connectionString: url },
      adapters: { loci: { namespace }, agents: [{ id: 'ada', roles: ['editor'] }] },
      embedding: { provider: 'none' },
    },
    { home, onWarning: () => undefined },
  );
}

adapterContract(
  { describe, it },
  { name: 'loci on PostgreSQL', create: open, agentWithRole: { agentId: 'ada', role: 'editor' } },
);

it('recall is empty while the server refuses connections, and says so', async () => {
  const { path: home } = resources.use(await temporaryFolder());
  await writeNotes(home, { 'a.md': 'An oven.' });
  const adapter = await open(home);
  onTestFinished(() => adapter.close());
  await adapter.registerPools([{ id: 'one', tier: 'hot', path: home }]);
  const recalled = async (): Promise<number> =>
    (await adapter.recall({ agentId: 'ada', query: 'oven' })).length;
  expect(await recalled()).toBe(1);
  expect((await adapter.status()).details).toMatchObject({ store: 'postgres', notes: { one: 1 } });
  const database = new URL(url).pathname.slice(1);
  const server = new URL('/postgres', url).href;
  await runStatements(
    server,
    `ALTER DATABASE ${database} ALLOW_CONNECTIONS false`,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`,
  );
  expect(await recalled()).toBe(0);
  expect(await adapter.status()).toMatchObject({ ok: false, message: expect.stringMatching(/\w/) as string });
  await runStatements(server, `ALTER DATABASE ${database} ALLOW_CONNECTIONS true`);
  await expect.poll(recalled, { timeout: 100_000 }).toBe(1);
});

import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import { newTokenText } from '../../src/secrets/token-text.ts';
import { temporaryFolder } from '../e2e/loci-command.ts';
import { recordSpans } from '../e2e/recorded-spans.ts';
import { startServer } from '../e2e/rest-server.ts';
import { block, waitingConnections } from './blocked-namespaces.ts';
import { runStatements, testDatabase } from './database.ts';
import { Proxy } from './proxy.ts';

const WAIT = { timeout: 100_000, interval: 20 };

it('`/metrics` has connections, waits for locks and slow statements, which the log has without texts', async () => {
  await using resources = new AsyncDisposableStack();
  const { url } = resources.use(await testDatabase());
  // The first try for a lock takes 100 ms.
  const server = await startServer({ store: { connectionString: url, slowStatement: '50ms' } });
  resources.defer(() => server.close());
  const token = await server.token('alice', 'write');
  const operator = await server.token('root', 'operator');
  const write = (content: string) =>
    server.request('/api/v1/memory/write', { token, body: { content } }).then(({ status }) => status);
  const metric = async (name: string): Promise<number> => {
    const { text } = await server.request('/metrics', { token: operator });
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`loci_store_${name} `))
        ?.split(' ')[1],
    );
  };
  expect(await write('A kettle.')).toBe(200);
  const lockWaits = await metric('lock_waits_total');

  const release = await block(url, ['alice'], resources);
  const written = [write('A xylophone.'), write('A glockenspiel.')];
  await vi.waitFor(async () => {
    expect(await metric('lock_waits_total')).toBeGreaterThan(lockWaits);
    expect(await metric('writes_waiting')).toBeGreaterThan(0);
    expect(await waitingConnections(url)).toBe(1);
  }, WAIT);
  expect(await metric('connections_in_use{use="write"}')).toBe(1);
  expect(await metric('connections_waiting{use="write"}')).toBe(0);
  expect(await metric('connections_idle')).toBeGreaterThan(0);
  await release();
  expect(await Promise.all(written)).toEqual([200, 200]);
  // What has been written is embedded afterwards.
  await vi.waitFor(async () => expect(await metric('connections_in_use{use="write"}')).toBe(0), WAIT);
  expect(await metric('lock_wait_seconds_total')).toBeGreaterThan(0);
  expect(await metric('slow_statements_total')).toBeGreaterThan(0);
  expect(await metric('replica_up')).toBeNaN();

  const [namespace] = await runStatements(url, "SELECT id::int AS id FROM namespace WHERE name = 'alice'");
  await vi.waitFor(() => {
    const slow = server.log.filter(({ msg, call }) => msg === 'slow statement' && call === 'records.commit');
    expect(slow.map((line) => line['namespace_id'])).toContain(namespace?.['id']);
    for (const line of slow) {
      expect(Object.keys(line)).toEqual(['level', 'time', 'call', 'namespace_id', 'ms', 'msg']);
      expect(line['ms']).toBeGreaterThan(50);
    }
  }, WAIT);
  expect(JSON.stringify(server.log)).not.toMatch(/alice|kettle|xylophone|glockenspiel|SELECT/);
});

it('a server whose database is away says no more to strangers, and has metrics for those whom it knows', async () => {
  await using resources = new AsyncDisposableStack();
  const { url } = resources.use(await testDatabase());
  const proxy = resources.use(await Proxy.start(url));
  const server = await startServer({ store: { connectionString: proxy.url } });
  resources.defer(() => server.close());
  const alice = await server.token('alice', 'read');
  const operator = await server.token('root', 'operator');
  const search = (token: string) => server.request('/api/v1/memory/search?query=kettle', { token });
  const figures = () => server.request('/metrics', { token: operator });
  expect((await search(alice)).status).toBe(200);
  expect((await figures()).text).toMatch(/^loci_store_records /m);

  proxy.isDown = true;
  proxy.cut = { after: 0, isForwarded: false };
  for (const token of [alice, newTokenText()])
    // A token that was looked up counts for a second.
    await vi.waitFor(async () => {
      const { status, problem } = await search(token);
      expect([status, problem.code, problem.detail]).toEqual([
        503,
        'store_unavailable',
        'the store cannot be read now',
      ]);
    }, WAIT);
  expect(await figures()).toMatchObject({ status: 200 });
  expect(server.log.map(({ problem }) => problem ?? '').join('\n')).toContain(
    'the connection to PostgreSQL failed',
  );
  proxy.isDown = false;
  await vi.waitFor(async () => expect((await search(alice)).status).toBe(200), WAIT);
});

it('spans of calls name the server and the database', async () => {
  await using database = await testDatabase();
  const main = fileURLToPath(new URL('../../src/surfaces/cli/main.ts', import.meta.url));
  const env = { LOCI_STORE_CONNECTION_STRING: database.url };
  const spans = await recordSpans(main, temporaryFolder(), ['write', 'A kettle.'], env);
  const { hostname, port, pathname } = new URL(database.url);
  expect(spans.find(({ name }) => name === 'records.commit')?.attributes).toEqual({
    'db.system.name': 'postgresql',
    'db.namespace': pathname.slice(1),
    'db.operation.name': 'records.commit',
    'server.address': hostname,
    'server.port': Number(port),
  });
});

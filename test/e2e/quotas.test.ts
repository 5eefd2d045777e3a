import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loci, temporaryFolder } from './loci-command.ts';
import { startServer, type TestServer } from './rest-server.ts';

const SET = '/api/v1/set/quota';
const WRITE = '/api/v1/memory/write';

/** Two servers of one store, and tokens that both accept. */
async function fleet(): Promise<{
  servers: readonly TestServer[];
  alice: string;
  bob: string;
  operator: string;
}> {
  const store = { path: join(temporaryFolder(), 'loci.db') };
  // Stores in the thread of both servers would wait for each other.
  const options = { inlineStore: false };
  const servers = [await startServer({ store }, options), await startServer({ store }, options)];
  const [first] = servers as [TestServer];
  return {
    servers,
    alice: await first.token('alice', 'write'),
    bob: await first.token('bob', 'write'),
    operator: await first.token('ops', 'operator'),
  };
}

describe('quotas', () => {
  it('of requests hold for all servers together, and say how long to wait', async () => {
    const { servers, alice, bob, operator } = await fleet();
    const [first] = servers as [TestServer];
    const limits = { namespace: 'alice', requests_per_minute: 6 };
    expect((await first.request(SET, { token: operator, body: limits })).json).toMatchObject(limits);
    const search = (token: string, i: number) =>
      servers[i % 2]!.request('/api/v1/memory/search?query=oven', { token });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => search(alice, i)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(6);
    for (const { status, problem, headers } of answers.filter((each) => each.status !== 200)) {
      expect([status, problem.code]).toEqual([429, 'rate_limited']);
      expect(problem.detail).toMatch(
        /^this memory has had all (6 )?requests that it may have a minute; try again in \d+ s$/,
      );
      expect(problem.hint).toContain('operator');
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(10);
    }
    // Another token of the same subject shares the limit, and another subject does not.
    expect((await search(await first.token('alice', 'write'), 1)).status).toBe(429);
    expect((await search(bob, 0)).status).toBe(200);
  });

  it('of records hold for writes at the same time at several servers, and are shown by status', async () => {
    const { servers, alice, bob, operator } = await fleet();
    const [first] = servers as [TestServer];
    await first.request(SET, { token: operator, body: { namespace: 'alice', records: 3, bytes: 1000 } });
    const write = (token: string, i: number) =>
      servers[i % 2]!.request(WRITE, { token, body: { content: `fact number ${String(i)}` } });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => write(alice, i)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    const refused = answers.find(({ status }) => status !== 200)!;
    expect([refused.status, refused.problem]).toMatchObject([
      507,
      { code: 'quota_exceeded', detail: 'this memory may have 3 records; it has 3, and would have 4' },
    ]);
    const admin = await first.token('alice', 'admin');
    const { json, text } = await first.request('/api/v1/status', { token: admin });
    expect(json).toMatchObject({
      quota: { records: { used: 3, limit: 3 }, bytes: { used: 39, limit: 1000 }, requests_per_minute: null },
    });
    expect(text).not.toContain('bob');
    expect((await write(bob, 0)).status).toBe(200);
  });

  it('are set by operators alone', async () => {
    const { servers, alice } = await fleet();
    const body = { namespace: 'alice', records: 0 };
    expect((await servers[0]!.request(SET, { token: alice, body })).status).toBe(403);
    const home = temporaryFolder();
    await loci(['config', 'init'], { home });
    const set = await loci(['status', 'set-quota', 'default', '--records', '7'], { home });
    expect(set.stdout).toBe(
      'default has 0 of 7 records and 0 bytes (no limit), and may send requests without a limit.\n',
    );
    expect((await loci(['status'], { home })).stdout).toMatch(/^quota +0 of 7 records$/m);
  });
});

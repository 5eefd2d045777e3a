import { verifyStore } from '../contract/store-samples.ts';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Client } from '@modelcontextprotocol/client';
import { temporaryFolder } from '../e2e/loci-command.ts';
import { connectStdio } from '../e2e/mcp-session.ts';
import { sendRequest, makeToken } from '../e2e/rest-server.ts';
import { startServerProcess } from '../e2e/server-process.ts';
import { openSqlite } from './store-processes.ts';
import { auditEntries, verifyAudit } from '../contract/written-samples.ts';
import { repetitions } from '../repetitions.ts';

const NAMESPACE = 'default';
/** Numbers of writes that each of the four processes gets alone, and that all of them get. */
const UNSHARED = repetitions(60, 235);
const SHARED = 60;
const CONCURRENCY = 8;
const ALL = { after: null, limit: 10_000 };

/** Returns the id of the record that this or an earlier request with the key wrote. */
type Write = (key: string, i: number) => Promise<number>;

/** An HTTP client that loses responses: it disconnects after the request, or when the response begins, and tries again. */
function overHttp(address: string, token: string): Write {
  return async (key, i) => {
    const path = i % 5 === 0 ? '/api/v1/memory/store' : '/api/v1/memory/write';
    const body = inputOf(key, i);
    const headers = { 'idempotency-key': key };
    if (i % 3 !== 2)
      await disconnectEarly(address, path, { token, key, body, at: i % 3 === 0 ? 'finish' : 'response' });
    for (;;) {
      const { status, json, text } = await sendRequest(address, path, { token, headers, body });
      if (status === 200) return (json as { readonly id: number }).id;
      if (status !== 503 && status !== 409) throw new Error(text);
    }
  };
}

interface EarlyDisconnect {
  readonly token: string;
  readonly key: string;
  readonly body: object;
  readonly at: 'finish' | 'response';
}

function disconnectEarly(
  address: string,
  path: string,
  { token, key, body, at }: EarlyDisconnect,
): Promise<void> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'idempotency-key': key,
  };
  return new Promise((resolve) => {
    const outgoing = request(`${address}${path}`, { method: 'POST', headers, agent: false });
    outgoing
      .on('error', () => undefined)
      .on('close', () => resolve())
      .on(at, () => outgoing.destroy());
    outgoing.end(JSON.stringify(body));
  });
}

function overMcp(client: Client): Write {
  return async (key, i) => {
    const name = i % 5 === 0 ? 'memory_store' : 'memory_write';
    const result = await client.callTool({ name, arguments: { ...inputOf(key, i), idempotency_key: key } });
    if (result.isError === true) throw new Error(JSON.stringify(result.content));
    return (result.structuredContent as { readonly id: number }).id;
  };
}

/** The same content for every request with a key. */
function inputOf(key: string, i: number): Record<string, string> {
  return i % 5 === 0 ? { key, value: `content of ${key}` } : { content: `content of ${key}` };
}

async function writeAll(write: Write, prefix: string, first: number): Promise<Map<string, number>> {
  const shared = Array.from({ length: SHARED }, (_, i) => (i + first * 15) % SHARED);
  const pending = [
    ...Array.from({ length: UNSHARED }, (_, i) => [`${prefix}-${String(i)}`, i] as const),
    ...shared.map((i) => [`shared-${String(i)}`, i] as const),
  ];
  const ids = new Map<string, number>();
  const workers = Array.from({ length: CONCURRENCY }, async () => {
    for (let next = pending.pop(); next !== undefined; next = pending.pop())
      ids.set(next[0], await write(...next));
  });
  await Promise.all(workers);
  return ids;
}

describe('hundreds of writes from four processes, some of them repeated', () => {
  it('are all stored exactly once, with a valid audit log', { timeout: 120_000 }, async () => {
    const home = temporaryFolder();
    const token = await makeToken(home, NAMESPACE, ['write']);
    const servers = await Promise.all([startServerProcess(home), startServerProcess(home)]);
    const clients = await Promise.all([connectStdio({ home }), connectStdio({ home })]);
    const writers = [
      ...servers.map(({ address }) => overHttp(address, token)),
      ...clients.map((client) => overMcp(client)),
    ];
    const results = await Promise.all(writers.map((write, i) => writeAll(write, `own${String(i)}`, i)));
    const ids = new Map<string, Set<number>>();
    for (const [key, id] of results.flatMap((each) => [...each]))
      ids.set(key, (ids.get(key) ?? new Set()).add(id));
    expect(ids.size).toBe(4 * UNSHARED + SHARED);
    expect([...ids].filter(([, each]) => each.size !== 1)).toEqual([]);

    const store = await openSqlite(join(home, 'loci.db'));
    const records = await store.records.list(NAMESPACE, { scan: 'undeleted' }, ALL);
    const contents = new Map(records.map(({ id, content }) => [id, content]));
    expect(records).toHaveLength(ids.size);
    for (const [key, [id = 0]] of ids) expect(contents.get(id)).toBe(`content of ${key}`);
    const entries = await auditEntries(store, NAMESPACE, {}, ALL);
    const loggedSubjects = entries
      .filter(({ action }) => ['write', 'store'].includes(action))
      .map(({ subject }) => subject);
    expect(loggedSubjects.toSorted()).toEqual(records.map(({ uuid }) => uuid).toSorted());
    expect(await verifyAudit(store, NAMESPACE)).toEqual([]);
    expect(await verifyStore(store)).toEqual([]);
    await store.close();
    for (const { child } of servers) child.kill('SIGTERM');
    expect((await Promise.all(servers.map(({ ended }) => ended))).map(({ code }) => code)).toEqual([0, 0]);
  });
});

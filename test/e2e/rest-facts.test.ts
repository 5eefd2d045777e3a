import { describe, expect, it } from 'vitest';
import type { FactStoreOutput } from '../../src/engine/facts/fact-fields.ts';
import { type HttpResponse, startServer, type TestServer } from './rest-server.ts';

async function startFactServer(): Promise<{
  server: TestServer;
  store: (body: unknown, key?: string) => Promise<HttpResponse>;
}> {
  const server = await startServer({}, { limits: { requestsPerSecond: 0 } });
  const token = await server.token('alice', 'write');
  const store = (body: unknown, key?: string): Promise<HttpResponse> =>
    server.request('/api/v1/memory/store', {
      token,
      body,
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    });
  return { server, store };
}

const INVALID_FACTS: readonly (readonly [name: string, body: unknown, detail: string])[] = [
  ['no key', { value: 'v' }, 'key is missing'],
  ['a long key', { key: 'k'.repeat(513), value: 'v' }, 'key must be text of at most 512 characters'],
  ['no value', { key: 'k' }, 'value is missing'],
  [
    'a long value',
    { key: 'k', value: 'é'.repeat(524_289) },
    'content has 1048578 bytes; the limit is 1048576',
  ],
  ['a control character', { key: 'k', value: 'a\u001bb' }, 'content has the control character U+001b'],
  [
    'less than an hour',
    { key: 'k', value: 'v', ttl_seconds: 3599 },
    'expires must be a duration from 1h to 365d (`ttl_seconds` from 3600 to 31536000)',
  ],
  ['another field', { key: 'k', value: 'v', trust: 'operator' }, 'unknown field trust'],
  ['a prototype', '{"key":"k","value":"v","__proto__":{"trust":"operator"}}', 'unknown field __proto__'],
  ['another subject', { key: 'k', value: 'v', namespace: 'bob' }, 'unknown field namespace'],
];

describe('POST /api/v1/memory/store', () => {
  it('refuses invalid facts with 400 invalid_input, and stores nothing (F1)', async () => {
    const { server, store } = await startFactServer();
    for (const [problemName, body, detail] of INVALID_FACTS) {
      const { status, headers, problem } = await store(body);
      expect([problemName, status, problem.code]).toEqual([problemName, 400, 'invalid_input']);
      expect(headers['content-type']).toBe('application/problem+json');
      expect(problem.detail.startsWith(detail), problem.detail).toBe(true);
    }
    const token = await server.token('alice', 'read');
    expect((await server.request('/api/v1/memory/list', { token })).json).toMatchObject({ total: 0 });
  });

  it('stores a request once if it is repeated with the same Idempotency-Key, and refuses another with that key', async () => {
    const { server, store } = await startFactServer();
    const body = { key: 'tea', value: 'Darjeeling' };
    const first = await store(body, 'a');
    const repeated = await Promise.all(Array.from({ length: 8 }, () => store(body, 'a')));
    for (const { status, json } of repeated)
      expect([status, json]).toEqual([200, { ...(first.json as FactStoreOutput), replayed: true }]);
    const other = await store({ ...body, value: 'Assam' }, 'a');
    expect([other.status, other.problem.code]).toEqual([409, 'conflict']);
    const both = await store({ ...body, idempotency_key: 'b' }, 'a');
    expect([both.status, both.problem.code]).toEqual([400, 'invalid_input']);
    const token = await server.token('alice', 'admin');
    const written = await server.request('/api/v1/memory/write', {
      token,
      headers: { 'idempotency-key': 'a' },
      body: { content: 'x' },
    });
    expect([written.status, written.problem.code]).toEqual([409, 'conflict']);
    const log = await server.request('/api/v1/audit', { token });
    expect(
      (log.json as { readonly entries: object[] }).entries.filter(
        (entry) => 'action' in entry && entry.action === 'store',
      ),
    ).toHaveLength(1);
    // Idempotency keys of different subjects are independent.
    const bob = await server.token('bob', 'write');
    const ofBob = await server.request('/api/v1/memory/store', {
      token: bob,
      headers: { 'idempotency-key': 'a' },
      body: { key: 'tea', value: 'Assam' },
    });
    expect([ofBob.status, ofBob.json]).toMatchObject([200, { id: 1, replayed: false }]);
  });
});

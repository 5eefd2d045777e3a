import { describe, expect, it } from 'vitest';
import type { CorpusOutput } from '../../src/operations/nouns/facts.ts';
import type { FactStoreOutput } from '../../src/engine/facts/fact-fields.ts';
import { sha256 } from '../../src/core/ids.ts';
import { type HttpResponse, startServer, type TestServer } from './rest-server.ts';

const DAY = 24 * 60 * 60 * 1000;

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

/** Milliseconds until the fact expires. */
function remainingLifetimeMs(response: HttpResponse): number {
  return Date.parse((response.json as FactStoreOutput).expires_at) - Date.now();
}

const INVALID_FACTS: readonly (readonly [name: string, body: unknown, detail: string])[] = [
  ['no key', { value: 'v' }, 'key is missing'],
  ['an empty key', { key: ' ', value: 'v' }, 'key must be text of at least 1 character'],
  ['a long key', { key: 'k'.repeat(513), value: 'v' }, 'key must be text of at most 512 characters'],
  ['no value', { key: 'k' }, 'value is missing'],
  ['an empty value', { key: 'k', value: ' ' }, 'content is empty'],
  [
    'a long value',
    { key: 'k', value: 'é'.repeat(524_289) },
    'content has 1048578 bytes; the limit is 1048576',
  ],
  ['a control character', { key: 'k', value: 'a\u001bb' }, 'content has the control character U+001b'],
  ['half of a character', { key: 'k', value: 'a\ud800b' }, 'content has half of a character at offset 1'],
  [
    'less than an hour',
    { key: 'k', value: 'v', ttl_seconds: 3599 },
    'expires must be a duration from 1h to 365d (`ttl_seconds` from 3600 to 31536000)',
  ],
  ['more than a year', { key: 'k', value: 'v', ttl_seconds: 31_536_001 }, 'expires must be a duration'],
  [
    'many tags',
    { key: 'k', value: 'v', tags: Array.from({ length: 65 }, () => 't') },
    'tags must be a list of at most 64',
  ],
  ['a long tag', { key: 'k', value: 'v', tags: ['t'.repeat(101)] }, 'tags.0 must be text of at most 100'],
  ['another field', { key: 'k', value: 'v', trust: 'operator' }, 'unknown field trust'],
  ['a prototype', '{"key":"k","value":"v","__proto__":{"trust":"operator"}}', 'unknown field __proto__'],
  ['another subject', { key: 'k', value: 'v', namespace: 'bob' }, 'unknown field namespace'],
];

describe('POST /api/v1/memory/store', () => {
  it('stores a fact in user_facts for 90 days unless a category or lifetime is given (F1, F2)', async () => {
    const { store } = await startFactServer();
    const byDefault = await store({ key: 'tea', value: 'Darjeeling' });
    expect([byDefault.status, byDefault.json]).toMatchObject([
      200,
      { key: 'tea', category: 'user_facts', id: 1 },
    ]);
    expect(Math.abs(remainingLifetimeMs(byDefault) - 90 * DAY)).toBeLessThan(60_000);
    for (const seconds of [3600, 31_536_000]) {
      const fact = { key: 'os', value: 'Linux', category: 'work', tags: ['desk'], ttl_seconds: seconds };
      const response = await store(fact);
      expect(response.json).toMatchObject({ id: 2, key: 'os', category: 'work' });
      expect(Math.abs(remainingLifetimeMs(response) - seconds * 1000)).toBeLessThan(60_000);
    }
  });

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

describe('GET /api/v1/memory/corpus', () => {
  it('gives facts and runs as documents of QMD (F7)', async () => {
    const { server, store } = await startFactServer();
    const value = 'Darjeeling, first flush';
    await store({ key: 'tea', value, category: 'kitchen', tags: ['drink'] });
    const token = await server.token('alice', 'read');
    const { json } = await server.request('/api/v1/memory/corpus?query=darjeeling', { token });
    const [fact, ...others] = (json as CorpusOutput).documents;
    expect(others).toEqual([]);
    expect(fact).toEqual({
      docid: sha256('facts/kitchen/tea').slice(0, 6),
      path: 'facts/kitchen/tea',
      collection: 'facts',
      score: expect.any(Number) as number,
      title: 'tea',
      snippet: value,
      content: value,
      metadata: {
        id: 1,
        category: 'kitchen',
        key: 'tea',
        tags: ['drink'],
        trust: 'agent',
        at: expect.stringMatching(/Z$/) as string,
        expires_at: expect.stringMatching(/Z$/) as string,
      },
    });
    const read = await server.request('/api/v1/memory/get?citation=facts%2Fkitchen%2Ftea', { token });
    expect(read.json).toMatchObject({ text: value, path: 'tea', origin: 'fact' });
    const all = (await server.request('/api/v1/memory/corpus', { token })).json as CorpusOutput;
    const run = all.documents.find(({ title }) => title === 'memory_store');
    expect(run).toMatchObject({ collection: 'pack_history', path: 'pack_history/1', score: 1 });
    expect(run?.content).toMatch(
      /^## Pack call: memory_store\n\nKey: tea\nValue: 23 characters\nCategory: kitchen\nTags: \["drink"\]\nBy: alice's \(rest\)\nAt: \S+Z\n\nOutcome: record\/1 \(\d+ ms\)$/,
    );
    expect(all.documents.some(({ title }) => title === 'memory_corpus')).toBe(false);
    const body = { citation: run?.path };
    const readRun = await server.request('/api/v1/memory/get', { token, body });
    expect(readRun.json).toMatchObject({ id: null, uuid: null, text: run?.content, origin: 'audit' });
  });
});

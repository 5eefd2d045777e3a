import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { routesOf } from '../../src/surfaces/rest/request-input.ts';
import { startServer } from './rest-server.ts';

describe('the operations over HTTP', () => {
  it('write, search and read according to settings and schemas', async () => {
    const server = await startServer();
    const token = await server.token('alice', 'read', 'write');
    const content = 'We take the induction oven, not gas.';
    const written = await server.request('/api/v1/memory/write', {
      token,
      body: { content, tags: ['kitchen'] },
    });
    expect(written.status).toBe(200);
    expect(written.json).toMatchObject({ id: 1, citation: 'record/1' });
    const query = '?query=which%20oven&limit=3&tags=kitchen&explain=true';
    const byQuery = await server.request(`/api/v1/memory/search${query}`, { token });
    const posted = await server.request('/api/v1/memory/search', {
      token,
      body: { query: 'which oven', limit: 3, tags: ['kitchen'], explain: true },
    });
    for (const found of [byQuery, posted]) {
      expect(found.status).toBe(200);
      expect(found.headers['content-type']).toBe('application/json');
      expect(found.json).toMatchObject({ results: [{ citation: 'record/1', source: 'rest' }] });
    }
    expect((await server.request('/api/v1/memory/get?path=record/1', { token })).status).toBe(200);
    expect((await server.request('/api/v1/memory/get?citation=record/1', { token })).json).toMatchObject({
      text: content,
    });
  });

  it('are all available except local ones, each with its scope', async () => {
    const server = await startServer();
    const reader = await server.token('alice', 'read');
    const operations = await Promise.all(OPERATIONS.map(({ load }) => load()));
    const routes = (await routesOf(OPERATIONS)).filter(({ onPage }) => !onPage);
    expect(routes).toHaveLength(operations.filter(({ local }) => local !== true).length);
    expect(routes.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/api/v1/memory/search', '/api/v1/memory/write', '/api/v1/status']),
    );
    for (const { path, operation } of routes) {
      const bare = await server.request(path, { body: {} });
      expect([path, bare.status, bare.problem.code]).toEqual([path, 401, 'unauthorized']);
      const { status, text } = await server.request(path, { token: reader, body: {} });
      if (operation.scope === 'read') expect([path, status]).not.toEqual([path, 403]);
      else
        expect([path, status, text]).toEqual([
          path,
          403,
          expect.stringContaining(`the scope ${operation.scope}`),
        ]);
    }
    for (const { name } of operations.filter(({ local, onPage }) => local === true && !onPage)) {
      const path = `/api/v1/${name.replace('-', '/')}`;
      expect((await server.request(path, { token: reader, body: {} })).status).toBe(404);
    }
  });

  it('report errors as problem details with code, hint and request id', async () => {
    const server = await startServer();
    const token = await server.token('alice', 'read', 'write');
    const headers = { 'x-request-id': 'mine-7' };
    const wrong = await server.request('/api/v1/memory/search?query=x&limit=ten&colour=red', {
      token,
      headers,
    });
    expect(wrong.status).toBe(400);
    expect(wrong.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'x-request-id': 'mine-7',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(wrong.headers).not.toHaveProperty('server');
    expect(wrong.headers).not.toHaveProperty('access-control-allow-origin');
    expect(wrong.problem).toEqual({
      type: 'urn:loci:error:invalid_input',
      title: 'Invalid input',
      status: 400,
      detail: 'limit must be a number, not "ten"\nunknown field colour',
      code: 'invalid_input',
      hint: expect.stringMatching(/^The fields are query, .*\.$/),
      request_id: 'mine-7',
    });
    const invalidId = await server.request('/api/v1/memory/get?citation=record/9', {
      token,
      headers: { 'x-request-id': 'a b <c>' },
    });
    expect(invalidId.problem).toMatchObject({ status: 404, code: 'not_found' });
    expect(invalidId.problem.request_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('name requests, not tools, in their hints', async () => {
    const server = await startServer({ writes: { enabled: true } });
    const token = await server.token('alice', 'read', 'write');
    const unknownKey = await server.request('/api/v1/memory/recall', { token, body: { key: 'colour' } });
    expect(unknownKey.problem.hint).toBe('`POST /api/v1/memory/list` lists all keys.');
    const { json: categories } = await server.request('/api/v1/memory/categories', { token });
    expect((categories as { note: string }).note).toBe(
      'No facts are stored yet; `POST /api/v1/memory/store` stores one.',
    );
    const written = await server.request('/api/v1/memory/write', { token, body: { content: 'Gas or oven' } });
    const { id } = written.json as { id: number };
    await server.request('/api/v1/memory/delete', { token, body: { id } });
    const deleted = await server.request(`/api/v1/memory/get?citation=record/${String(id)}`, { token });
    const [, path = '', body = ''] = /`POST (\S+) (.+?)`/.exec(deleted.problem.hint) ?? [];
    const restored = await server.request(path, { token, body: JSON.parse(body) as unknown });
    expect([path, restored.status]).toEqual(['/api/v1/memory/undelete', 200]);
  });

  it.each([
    ['not JSON', '{"query":', {}, 400, 'not valid JSON'],
    ['a list', '["query"]', {}, 400, 'must be an object'],
    ['another type', 'query=x', { 'content-type': 'text/plain' }, 415, 'Content-Type: application/json'],
    ['a compressed body', '\u001f\u008b', { 'content-encoding': 'gzip' }, 415, 'must not be compressed'],
    [
      'another charset',
      '{"query":"x"}',
      { 'content-type': 'application/json; charset=latin1' },
      415,
      'UTF-8',
    ],
    ['half a million levels', `{"query":${'['.repeat(500_000)}`, {}, 400, 'levels'],
    ['levels only in text', JSON.stringify({ query: `\\"${'['.repeat(500)}` }), {}, 200, '"results"'],
    ['3 MB', JSON.stringify({ query: 'x'.repeat(3e6) }), {}, 413, 'larger than 2000000 bytes'],
    ['its prototype', '{"query":"x","__proto__":{"limit":1}}', {}, 400, '__proto__'],
  ])('handle a body of %s', async (_, body, headers, status, expectedText) => {
    const server = await startServer();
    const token = await server.token('alice', 'read');
    const response = await server.request('/api/v1/memory/search', { token, body, headers });
    expect([response.status, response.text]).toEqual([status, expect.stringContaining(expectedText)]);
  });

  it.each(['/', '/api/v1'])('are listed at %s without a token', async (path) => {
    const server = await startServer();
    const { status, headers, text } = await server.request(path);
    expect([status, headers['content-type']]).toEqual([200, 'text/plain;charset=UTF-8']);
    expect(text).toMatch(/^GET, POST +\/api\/v1\/memory\/search +read +Search memory$/m);
    expect(text).toMatch(/^POST +\/api\/v1\/memory\/write +write +/m);
    expect(text).toContain('/api/v1/openapi.json');
  });

  it('report the methods of a path, and 404 for unknown paths', async () => {
    const server = await startServer();
    const token = await server.token('alice', 'read', 'write');
    const wrong: readonly (readonly [string, string, string])[] = [
      ['GET', '/api/v1/memory/write', 'POST'],
      ['PUT', '/api/v1/memory/search', 'POST, GET, HEAD'],
      ['POST', '/api/v1/openapi.json', 'GET, HEAD'],
      ['DELETE', '/healthz', 'GET, HEAD'],
    ];
    for (const [method, path, allow] of wrong) {
      const { status, headers, problem } = await server.request(path, { token, method });
      expect([path, status, headers.allow]).toEqual([path, 405, allow]);
      const detail = `${path} supports ${allow.replace(', HEAD', '').replace(', ', ' or ')}, not ${method}`;
      expect(problem).toMatchObject({ code: 'method_not_allowed', detail });
    }
    expect((await server.request('/api/v1/memory/list', { token, method: 'HEAD' })).status).toBe(200);
    expect((await server.request('/api/v1/memory/write', { method: 'GET' })).status).toBe(401);
    for (const path of ['/api/v1/', '/api/v1/memory', '/../etc/passwd', '/api/v1/../../x', '//x', '/%00'])
      expect([path, (await server.request(path, { token })).status]).toEqual([path, 404]);
  });
});

import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { routesOf } from '../../src/surfaces/rest/request-input.ts';
import { startServer } from './rest-server.ts';

describe('the operations over HTTP', () => {
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

  it('refuse a body that is not an object of JSON of a moderate size', async () => {
    const server = await startServer();
    const token = await server.token('alice', 'read');
    for (const [name, body, headers, status, text] of [
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
    ] as const) {
      const response = await server.request('/api/v1/memory/search', { token, body, headers });
      expect([name, response.status, response.text]).toEqual([name, status, expect.stringContaining(text)]);
    }
  });

  it.each(['/', '/api/v1'])('are listed at %s without a token', async (path) => {
    const server = await startServer();
    const { status, headers, text } = await server.request(path);
    expect([status, headers['content-type']]).toEqual([200, 'text/plain;charset=UTF-8']);
    expect(text).toMatch(/^GET, POST +\/api\/v1\/memory\/search +read +Search everything /m);
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

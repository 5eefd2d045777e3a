import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { TokenListOutput } from '../../src/engine/access/tokens.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { mcpHandler } from '../../src/surfaces/mcp/server.ts';
import { routesOf } from '../../src/surfaces/rest/request-input.ts';
import { loci, lociJson, temporaryFolder } from './loci-command.ts';
import { makeCode, openPage } from './page-session.ts';
import { type HttpRequestOptions, startServer } from './rest-server.ts';

const SEARCH = '/api/v1/memory/search?query=oven';

describe('a session of the page', () => {
  it('begins with the code of a link, and acts for the owner with the cookie and the header', async () => {
    const server = await startServer({ namespace: 'ada', writes: { enabled: false } });
    const code = await makeCode(server);
    const answer = await server.request('/ui/session', { body: { code } });
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    const [setCookie = ''] = answer.headers['set-cookie'] ?? [];
    expect(setCookie).toMatch(
      new RegExp(
        `^loci_session_${String(server.port)}=[\\w-]{43}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict$`,
      ),
    );
    const { csrf, ...described } = answer.json as Record<string, string>;
    expect(csrf).toMatch(/^[\w-]{43}$/);
    expect(described).toMatchObject({ namespace: 'ada', expires_at: expect.stringMatching(/Z$/) });
    const [cookie = ''] = setCookie.split(';');
    const headers = { cookie, 'x-loci-csrf': csrf };
    expect((await server.request('/ui/session', { headers })).json).toEqual(described);
    const written = await server.request('/api/v1/memory/write', { headers, body: { content: 'Gas oven' } });
    expect([written.status, written.headers['cache-control']]).toEqual([200, 'no-store']);
    const found = await server.request('/api/v1/memory/get?citation=record/1', { headers });
    expect(found.json).toMatchObject({ source: 'web', trust: 'operator', text: 'Gas oven' });
    const { json } = await server.request('/api/v1/audit?limit=9', { headers });
    const { entries } = json as { entries: Record<string, string>[] };
    expect(entries.map(({ action, surface, actor }) => [action, surface, actor])).toEqual([
      ['write', 'web', described['actor']],
      ['session-create', 'web', described['actor']],
      ['page-link', 'library', described['actor']],
    ]);
  });

  it('needs both secrets, from the same origin, in every request', async () => {
    const server = await startServer({ server: { origins: ['http://localhost:3000'] } }, { mcp: mcpHandler });
    const { cookie, csrf } = await openPage(server);
    const other = await openPage(server);
    const elsewhere = await openPage(await startServer());
    const token = await server.token('ada', 'operator');
    const port = String(server.port);
    const otherName = cookie.replace(port, '8737');
    const secret = cookie.split('=')[1] ?? '';
    const cases: readonly (readonly [string, Record<string, string>, number])[] = [
      [
        'a cookie of another server before it',
        { cookie: `loci_session_${port}=x; ${cookie}`, 'x-loci-csrf': csrf },
        200,
      ],
      ['no header', { cookie }, 403],
      ['an empty header', { cookie, 'x-loci-csrf': '' }, 403],
      ['the header of another session', { cookie, 'x-loci-csrf': other.csrf }, 403],
      ['the cookie as the header', { cookie, 'x-loci-csrf': secret }, 403],
      ['no cookie', { 'x-loci-csrf': csrf }, 401],
      ['the cookie of a server on another port', { cookie: otherName, 'x-loci-csrf': csrf }, 401],
      [
        'the session of another store',
        { cookie: `loci_session_${port}=${elsewhere.cookie.split('=')[1]!}`, 'x-loci-csrf': elsewhere.csrf },
        401,
      ],
      ['an unknown cookie', { cookie: `loci_session_${port}=x`, 'x-loci-csrf': csrf }, 401],
      ['a token as the cookie', { cookie: `loci_session_${port}=${token}`, 'x-loci-csrf': csrf }, 401],
      ['the secret as a token', { authorization: `Bearer ${secret}` }, 401],
      ['the second secret as a token', { cookie, authorization: `Bearer ${csrf}` }, 401],
      ['another site', { cookie, 'x-loci-csrf': csrf, 'sec-fetch-site': 'cross-site' }, 403],
      ['another port', { cookie, 'x-loci-csrf': csrf, 'sec-fetch-site': 'same-site' }, 403],
      ['another origin', { cookie, 'x-loci-csrf': csrf, origin: 'http://evil.example' }, 403],
      ['an origin with tokens', { cookie, 'x-loci-csrf': csrf, origin: 'http://localhost:3000' }, 403],
      [
        'all of it',
        { cookie: `a=b; ${cookie}`, 'x-loci-csrf': csrf, origin: `http://127.0.0.1:${port}` },
        200,
      ],
    ];
    for (const [name, headers, status] of cases) {
      expect([name, (await server.request(SEARCH, { headers })).status]).toEqual([name, status]);
      const posted = await server.request('/api/v1/status', { headers, body: {} });
      expect([name, posted.status]).toEqual([name, status]);
      if (!('authorization' in headers))
        expect([name, (await server.request('/ui/session', { headers })).status]).toEqual([name, status]);
    }
    const headers = { cookie, 'x-loci-csrf': csrf };
    for (const path of ['/mcp', '/metrics'])
      expect([path, (await server.request(path, { headers })).status]).toEqual([path, 401]);
    const leaked = await server.request('/ui/session', { headers: { cookie } });
    expect(leaked.text + JSON.stringify(leaked.headers)).not.toContain(csrf);
    expect((await server.request('/ui/session', { token })).status).toBe(403);
  });

  it('uses a code once, within a minute', async () => {
    const server = await startServer();
    const redeem = (code: string) => server.request('/ui/session', { body: { code } });
    const code = await makeCode(server);
    const attempts = await Promise.all(Array.from({ length: 8 }, () => redeem(code)));
    expect(attempts.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(401)]);
    const used = await redeem(code);
    expect([used.status, used.problem.code, used.headers['set-cookie']]).toEqual([
      401,
      'unauthorized',
      undefined,
    ]);
    expect((await redeem(await makeCode(server, () => Date.now() - 61_000))).status).toBe(401);
    expect((await redeem(await makeCode(server, () => Date.now() - 50_000))).status).toBe(200);
    for (const [body, status] of [
      [{ code: 'x' }, 401],
      [{ code: 7 }, 400],
      [{}, 400],
      [{ code: 'x'.repeat(5000) }, 413],
      ['code=x', 400],
    ] as const)
      expect((await server.request('/ui/session', { body })).status).toBe(status);
    const { problem } = await server.request('/ui/session', {
      body: {},
      headers: { origin: 'http://evil.example' },
    });
    expect(problem.code).toBe('forbidden');
  });

  it('is opened by any server on the store, and known to all of them', async () => {
    const server = await startServer();
    const other = await startServer({}, { home: server.home });
    const code = await makeCode(server);
    const attempts = await Promise.all(
      [server, other, server, other].map((each) => each.request('/ui/session', { body: { code } })),
    );
    const [opened, ...refused] = attempts.toSorted((a, b) => a.status - b.status);
    expect([opened?.status, ...refused.map(({ status }) => status)]).toEqual([200, 401, 401, 401]);
    const { csrf } = opened!.json as { csrf: string };
    const secret = /=([\w-]+)/.exec(String(opened!.headers['set-cookie']))?.[1] ?? '';
    for (const each of [server, other]) {
      const headers = { cookie: `loci_session_${String(each.port)}=${secret}`, 'x-loci-csrf': csrf };
      expect((await each.request(SEARCH, { headers })).status).toBe(200);
    }
  });

  it('cannot be guessed faster than the rate limit of an address', async () => {
    const server = await startServer({}, { limits: { requestsPerSecond: 2 } });
    const { cookie } = await openPage(server);
    const statusOf = (path: string, options: HttpRequestOptions) => async () =>
      (await server.request(path, options)).status;
    for (const [guess, refused] of [
      [statusOf('/ui/session', { body: { code: 'x' } }), 401],
      [statusOf(SEARCH, { headers: { cookie, 'x-loci-csrf': 'x' } }), 403],
    ] as const) {
      const statuses = await Promise.all(Array.from({ length: 20 }, guess));
      expect(statuses).toContain(429);
      expect(statuses.filter((status) => status === refused).length).toBeLessThan(10);
    }
  });

  it('is listed without its secrets, and ends when it is revoked or closed', async () => {
    const server = await startServer();
    const [revoked, closed] = [await openPage(server), await openPage(server)];
    const { tokens } = await lociJson<TokenListOutput>(['serve', 'token', 'list'], server);
    expect(tokens).toMatchObject([
      { kind: 'page_session', scopes: ['read', 'write', 'admin', 'operator'], revoked_at: null },
      { kind: 'page_session' },
    ]);
    for (const { cookie, csrf } of [revoked, closed])
      for (const secret of [csrf, cookie.split('=')[1]]) expect(JSON.stringify(tokens)).not.toContain(secret);
    expect((await revoked.request(SEARCH)).status).toBe(200);
    const { stdout } = await loci(['serve', 'token', 'revoke', tokens[0]!.id], server);
    expect(stdout).toMatch(/^The page session of .+ is revoked\.\n$/);
    await vi.waitFor(async () => expect((await revoked.request(SEARCH)).status).toBe(401), 100_000);
    const end = await closed.request('/ui/session', { method: 'DELETE' });
    expect([end.status, end.headers['set-cookie']]).toEqual([204, [expect.stringContaining('Max-Age=0')]]);
    expect((await closed.request(SEARCH)).status).toBe(401);
  });

  it('reads another namespace that exists, and refuses other names', async () => {
    const server = await startServer({ namespace: 'ada' });
    const token = await server.token('bérénice', 'read', 'write');
    await server.request('/api/v1/memory/write', { token, body: { content: 'A secret' } });
    const page = await openPage(server);
    const listed = await page.request('/api/v1/namespaces');
    expect(listed.json).toEqual({
      namespaces: [
        { namespace: 'ada', records: 0, configured: true },
        { namespace: 'bérénice', records: 1, configured: false },
      ],
      deleted: [],
    });
    const get = (name: string) =>
      page.request('/api/v1/memory/get?citation=record/1', { headers: { 'x-loci-namespace': name } });
    expect((await get(encodeURIComponent('bérénice'))).json).toMatchObject({ text: 'A secret' });
    expect((await get('ada')).problem.code).toBe('not_found');
    for (const [name, code] of [
      ['nobody', 'not_found'],
      ['', 'invalid_input'],
      ['%00', 'invalid_input'],
      ['%ff', 'invalid_input'],
      ['%0a', 'invalid_input'],
      ['../ada', 'not_found'],
      ['%27%20OR%201=1--', 'not_found'],
      ['x'.repeat(200), 'invalid_input'],
    ] as const)
      expect([name, (await get(name)).problem.code]).toEqual([name, code]);
    const asToken = await server.request('/api/v1/memory/get?citation=record/1', {
      token: await server.token('eve', 'operator'),
      headers: { 'x-loci-namespace': encodeURIComponent('bérénice') },
    });
    expect(asToken.status).toBe(404);
  });

  it('alone may call the operations that only the page has', async () => {
    const server = await startServer();
    const operator = await server.token('default', 'operator');
    const page = await openPage(server);
    const routes = (await routesOf(OPERATIONS)).filter(({ onPage }) => onPage);
    expect(
      routes
        .map(({ operation }) => operation.name)
        .sort()
        .join(' '),
    ).toBe(
      'inbox-keep inbox-list inbox-undo index namespaces record-image ' +
        'sources-approve sources-excluded sources-remove sources-show sources-test token-list token-revoke',
    );
    for (const { path } of routes) {
      expect([path, (await server.request(path, { body: {} })).status]).toEqual([path, 401]);
      const { status, problem } = await server.request(path, { token: operator, body: {} });
      expect([path, status, problem.detail]).toEqual([path, 403, 'only the page of the owner may call this']);
      expect([path, (await page.request(path, { body: {} })).status]).not.toEqual([path, 403]);
    }
    const { problem } = await page.request('/api/v1/sources/remove', { body: { id: 'todo' } });
    expect(problem.code).toBe('not_found');
    expect((await page.request('/api/v1/token/list')).json).toMatchObject({
      tokens: [{}, { kind: 'page_session' }],
    });
  });

  it('makes the server read a folder only on its machine, for the memory of the settings', async () => {
    const server = await startServer({ server: { hosts: ['memory.example.org'] } });
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'secret.md'), 'The vault code is 4711.');
    const body = { paths: [folder] };
    const page = await openPage(server);
    const host = `memory.example.org:${String(server.port)}`;
    const { cookie } = page;
    const operator = await server.token('default', 'operator');
    await server.request('/api/v1/memory/write', {
      token: await server.token('eve', 'write'),
      body: { content: 'x' },
    });
    for (const options of [
      {},
      { headers: { cookie } },
      { headers: { cookie, 'x-loci-csrf': 'x'.repeat(43) } },
      { token: operator },
      { token: operator, headers: { 'x-loci-csrf': page.csrf } },
    ] satisfies HttpRequestOptions[])
      expect((await server.request('/api/v1/index', { ...options, body })).status).toBeOneOf([401, 403]);
    expect(
      (await server.request('/ui/session', { headers: { cookie, 'x-loci-csrf': page.csrf, host } })).json,
    ).toMatchObject({ same_machine: false });
    for (const [headers, detail] of [
      [{ host }, 'only a page on the machine of Loci may name its files'],
      [{ 'x-loci-namespace': 'eve' }, 'the vaults of the settings belong to default'],
      [{ origin: 'https://evil.example' }, 'pages of "https://evil.example" may not call this server'],
    ] as const) {
      const { status, problem } = await page.request('/api/v1/index', { headers, body });
      expect([status, problem.detail]).toEqual([403, detail]);
    }
    expect((await server.request('/api/v1/memory/index', { token: operator, body })).status).toBe(404);
    expect(readFileSync(join(server.home, 'loci.yaml'), 'utf8')).not.toContain(folder);
    const found = await page.request('/api/v1/memory/search?query=vault+code');
    expect(found.json).toMatchObject({ results: [] });
    expect((await page.request('/api/v1/index', { body: { ...body, background: true } })).problem.code).toBe(
      'forbidden',
    );
    const { status, json } = await page.request('/api/v1/index', { body });
    expect([status, json]).toMatchObject([200, { vaults: [{ path: folder, seen: 1 }] }]);
    expect(readFileSync(join(server.home, 'loci.yaml'), 'utf8')).toContain(`path: ${folder}`);
  });
});

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/operations/operation.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { startServer, type TestServer } from './rest-server.ts';

const HOST = 'Host: localhost\r\n';

/**
 * Sends raw bytes. Returns everything that the server sends until it closes the connection. With `keepOpen`, the client
 * does not close its end.
 */
function sendRaw(port: number, parts: readonly string[], { hold: keepOpen = true } = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    for (const part of parts) socket.write(part);
    if (!keepOpen) socket.end();
  });
}

function openConnection(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket)).on('error', reject);
  });
}

async function expectHealthy(server: TestServer): Promise<void> {
  expect((await server.request('/healthz')).status).toBe(200);
}

describe('a server under attack', () => {
  it('refuses other host names and pages of other sites on every path', async () => {
    const server = await startServer();
    const paths = '/ /healthz /readyz /metrics /api/v1/openapi.json /api/v1/status /mcp /nope';
    for (const path of paths.split(' ')) {
      for (const headers of [
        { host: 'evil.example' },
        { host: `evil.example:${String(server.port)}` },
        { origin: 'http://evil.example' },
        { origin: 'http://localhost:1' },
        { 'sec-fetch-site': 'cross-site' },
      ]) {
        const response = await server.request(path, { headers });
        expect([path, headers, response.status, response.problem.code]).toEqual([
          path,
          headers,
          403,
          'forbidden',
        ]);
        expect(response.headers).not.toHaveProperty('access-control-allow-origin');
      }
    }
    const target = `GET http://evil.example/api/v1/status HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`;
    expect(await sendRaw(server.port, [target])).toMatch(/^HTTP\/1\.1 (400|403) /);
    const validHost = `Host: localhost:${String(server.port)}\r\n`;
    const twoHosts = `GET /healthz HTTP/1.1\r\n${validHost}Host: evil.example\r\nConnection: close\r\n\r\n`;
    expect(await sendRaw(server.port, [twoHosts])).toMatch(/^HTTP\/1\.1 400 [^]*more than one `Host`/);
  });

  it('sends CORS headers only to configured origins', async () => {
    const server = await startServer({ server: { origins: ['https://app.example.org'] } });
    const preflight = { method: 'OPTIONS', headers: { origin: 'https://app.example.org' } };
    const allowed = await server.request('/api/v1/memory/search', preflight);
    expect(allowed.status).toBe(204);
    expect(allowed.headers['access-control-allow-origin']).toBe('https://app.example.org');
    const refused = await server.request('/api/v1/memory/search', {
      ...preflight,
      headers: { origin: 'https://other.example.org' },
    });
    expect(refused.status).toBe(403);
  });

  it('refuses what is not a request of HTTP 1.1 for this host, and continues', async () => {
    const server = await startServer();
    for (const [name, request, expected] of [
      ['no HTTP', '\u0000\u0001garbage\r\n\r\n', /^HTTP\/1\.1 400 [^]*"code":"invalid_input"/],
      ['no host', 'GET /healthz HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400 /],
      ['an old protocol without a host', 'GET /healthz HTTP/1.0\r\n\r\n', /^HTTP\/1\.[01] 40[03] /],
      [
        'two lengths',
        `POST /api/v1/status HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`,
        /^HTTP\/1\.1 400 /,
      ],
      [
        'a length and chunks',
        `POST /x HTTP/1.1\r\n${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
        /^HTTP\/1\.1 400 /,
      ],
      [
        'headers of 20 KB',
        `GET /healthz HTTP/1.1\r\n${HOST}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
        /^HTTP\/1\.1 413 [^]*"code":"too_large"/,
      ],
      ['a folded header', `GET /healthz HTTP/1.1\r\n${HOST}X-A: b\r\n c\r\n\r\n`, /^HTTP\/1\.1 400 /],
    ] as const) {
      const response = await sendRaw(server.port, [request]);
      expect(response, name).toMatch(expected);
      expect(response, name).not.toMatch(/ at .*\.[jt]s|node:/);
    }
    await expectHealthy(server);
  });

  it('refuses invalid chunks and bodies that are too large', async () => {
    const server = await startServer({}, { limits: { maxBodyBytes: 10_000 } });
    const token = await server.token('alice', 'read');
    const head = `POST /api/v1/memory/search HTTP/1.1\r\n${HOST}Authorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(await sendRaw(server.port, [head, 'zz\r\nnonsense\r\n'])).toMatch(/^HTTP\/1\.1 400 /);
    const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`;
    expect(await sendRaw(server.port, [head, chunk, chunk, chunk, chunk])).toMatch(
      /^HTTP\/1\.1 413 [^]*"too_large"/,
    );
    const declared = head.replace('Transfer-Encoding: chunked', 'Content-Length: 999999999');
    expect(await sendRaw(server.port, [declared])).toMatch(/^HTTP\/1\.1 413 [^]*"too_large"/);
    await expectHealthy(server);
  });

  it('closes slow requests after a timeout, and answers others in the meantime', async () => {
    const server = await startServer({}, { limits: { headersTimeoutMs: 300, requestTimeoutMs: 900 } });
    const token = await server.token('alice', 'read');
    const head = `POST /api/v1/memory/search HTTP/1.1\r\n${HOST}Authorization: Bearer ${token}\r\n`;
    const body = `${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"query`;
    const slow = [sendRaw(server.port, [head]), sendRaw(server.port, [body]), sendRaw(server.port, ['G'])];
    await expectHealthy(server);
    for (const response of await Promise.all(slow)) expect(response).toMatch(/^(HTTP\/1\.1 408 |$)/);
    await expectHealthy(server);
  });

  it('says after a timeout that a change may have been made, but not of what only reads', async () => {
    const never: Operation['run'] = ({ signal }) => once(signal, 'abort') as Promise<never>;
    const entries = OPERATIONS.map((entry) => ({
      ...entry,
      load: async () => ({ ...(await entry.load()), run: never }),
    }));
    const server = await startServer({}, { entries, limits: { requestTimeoutMs: 50 } });
    const token = await server.token('alice', 'write');
    const hintOf = async (path: string, body: object) => {
      const { status, problem } = await server.request(path, { token, body });
      return [status, problem.code, problem.hint];
    };
    expect(await hintOf('/api/v1/memory/search', { query: 'oven' })).toEqual([
      504,
      'timed_out',
      'Try again.',
    ]);
    const late = 'Try again. The change may have been made nevertheless.';
    expect(await hintOf('/api/v1/memory/write', { content: 'gas' })).toEqual([504, 'timed_out', late]);
  });

  it('disconnects a client that does not read its answers', async () => {
    const server = await startServer({}, { limits: { requestTimeoutMs: 6000, maxConnections: 3 } });
    const token = await server.token('alice', 'write');
    const content = 'x '.repeat(500_000);
    expect((await server.request('/api/v1/memory/write', { token, body: { content } })).status).toBe(200);
    const path = '/api/v1/memory/get?citation=record/1';
    const requests = `GET ${path} HTTP/1.1\r\n${HOST}Authorization: Bearer ${token}\r\n\r\n`.repeat(12);
    const closed: Promise<unknown>[] = [];
    const sockets = await Promise.all([1, 2, 3].map(() => openConnection(server.port)));
    for (const socket of sockets) {
      socket
        .pause()
        .on('error', () => undefined)
        .write(requests);
      closed.push(once(socket, 'close'));
    }
    const healthStatus = (): Promise<number> =>
      server.request('/healthz').then(
        ({ status }) => status,
        () => 0,
      );
    expect(await healthStatus()).toBe(0);
    await expect.poll(healthStatus, { timeout: 100_000 }).toBe(200);
    for (const socket of sockets) socket.destroy();
    await Promise.all(closed);
  });

  it('limits the pipelined requests of a connection', async () => {
    const server = await startServer();
    const oneRequest = `GET /api/v1/openapi.json HTTP/1.1\r\n${HOST}\r\n`;
    const last = oneRequest.replace(HOST, `${HOST}Connection: close\r\n`);
    const few = await sendRaw(server.port, [oneRequest.repeat(7) + last]);
    expect(few.match(/HTTP\/1\.1 200 /g)).toHaveLength(8);
    const many = await sendRaw(server.port, [oneRequest.repeat(300) + last]);
    expect(many.match(/HTTP\/1\.1 200 /g) ?? []).not.toHaveLength(301);
    await expectHealthy(server);
  });

  it('answers on a half-closed connection, and continues after connections are closed early', async () => {
    const server = await startServer();
    const token = await server.token('alice', 'read', 'write');
    const searchRequest = `GET /api/v1/memory/search?query=x HTTP/1.1\r\n${HOST}Authorization: Bearer ${token}\r\nConnection: close\r\n\r\n`;
    expect(await sendRaw(server.port, [searchRequest], { hold: false })).toMatch(/^(HTTP\/1\.1 200 |$)/);
    for (let i = 0; i < 20; i++) {
      const socket = await openConnection(server.port);
      socket.write(searchRequest);
      socket.destroy();
    }
    await expectHealthy(server);
    expect(server.log.filter(({ code }) => code === 'internal')).toEqual([]);
  });

  it('limits the number of connections', async () => {
    const server = await startServer({}, { limits: { maxConnections: 3 } });
    const sockets = await Promise.all([1, 2, 3].map(() => openConnection(server.port)));
    expect(await sendRaw(server.port, [`GET /healthz HTTP/1.1\r\n${HOST}\r\n`])).toBe('');
    for (const socket of sockets) {
      const closed = once(socket, 'close');
      socket.destroy();
      await closed;
    }
    await expect
      .poll(() =>
        server.request('/healthz').then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);
  });

  it('runs the imports of a caller one after the other, and says when to send again those that would wait too long', async () => {
    const content = Array.from({ length: 300 }, (_, i) => `# Part ${String(i)}\n\nThe oven.\n`).join('\n');
    const send = async (server: TestServer) => {
      const token = await server.token('alice', 'write');
      const bodies = ['a', 'b', 'c'].map((name) => ({ files: [{ path: `memory/${name}.md`, content }] }));
      const sent = bodies.map((body) => server.request('/api/v1/memory/import', { token, body }));
      return (await Promise.all(sent)).sort((a, b) => a.status - b.status);
    };
    const done = await send(await startServer());
    expect(done.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [first, ...refused] = await send(await startServer({}, { limits: { callerWaitMs: 1 } }));
    expect(first!.status).toBe(200);
    for (const { status, headers, problem } of refused) {
      expect([status, problem.code, headers['retry-after']]).toEqual([429, 'rate_limited', '5']);
    }
  });

  it('limits the rate of each token, and of failed attempts', async () => {
    const server = await startServer({}, { limits: { requestsPerSecond: 2 } });
    const [alice, bob] = [await server.token('alice', 'read'), await server.token('bob', 'read')];
    const search = (token: string) => server.request('/api/v1/memory/search?query=x', { token });
    const responses = await Promise.all(Array.from({ length: 12 }, () => search(alice)));
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(4);
    for (const { headers, problem } of refused) {
      expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
      expect(problem.code).toBe('rate_limited');
    }
    expect((await search(bob)).status).toBe(200);
    const guesses = await Promise.all(Array.from({ length: 12 }, () => search('loci_guess')));
    expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([401, 429]));
  });
});

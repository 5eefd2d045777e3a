import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startServer, type TestServer } from './rest-server.ts';

const HOST = 'Host: localhost\r\n';

/** Sends raw bytes. Returns everything that the server sends until it closes. With `hold`, our end stays open. */
function raw(port: number, parts: readonly string[], { hold = true } = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    for (const part of parts) socket.write(part);
    if (!hold) socket.end();
  });
}

function opened(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket)).on('error', reject);
  });
}

async function isWell(server: TestServer): Promise<void> {
  expect((await server.ask('/healthz')).status).toBe(200);
}

describe('a server under attack', () => {
  it('refuses other host names and pages of other sites on every path', async () => {
    const server = await startServer();
    for (const path of [
      '/healthz',
      '/readyz',
      '/metrics',
      '/api/v1/openapi.json',
      '/api/v1/status',
      '/mcp',
      '/nope',
    ]) {
      for (const headers of [
        { host: 'evil.example' },
        { host: `evil.example:${String(server.port)}` },
        { origin: 'http://evil.example' },
        { origin: 'http://localhost:1' },
        { 'sec-fetch-site': 'cross-site' },
      ]) {
        const answer = await server.ask(path, { headers });
        expect([path, headers, answer.status, answer.problem.code]).toEqual([
          path,
          headers,
          403,
          'forbidden',
        ]);
        expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
      }
    }
    const target = `GET http://evil.example/api/v1/status HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`;
    expect(await raw(server.port, [target])).toMatch(/^HTTP\/1\.1 (400|403) /);
    const own = `Host: localhost:${String(server.port)}\r\n`;
    const two = `GET /healthz HTTP/1.1\r\n${own}Host: evil.example\r\nConnection: close\r\n\r\n`;
    expect(await raw(server.port, [two])).toMatch(/^HTTP\/1\.1 400 [^]*more than one `Host`/);
  });

  it('sends CORS headers only to configured origins', async () => {
    const server = await startServer({ server: { origins: ['https://app.example.org'] } });
    const asked = { method: 'OPTIONS', headers: { origin: 'https://app.example.org' } };
    const allowed = await server.ask('/api/v1/memory/search', asked);
    expect(allowed.status).toBe(204);
    expect(allowed.headers['access-control-allow-origin']).toBe('https://app.example.org');
    const refused = await server.ask('/api/v1/memory/search', {
      ...asked,
      headers: { origin: 'https://other.example.org' },
    });
    expect(refused.status).toBe(403);
  });

  it.each([
    ['no HTTP', ['\u0000\u0001garbage\r\n\r\n'], /^HTTP\/1\.1 400 [^]*"code":"invalid_input"/],
    ['no host', ['GET /healthz HTTP/1.1\r\n\r\n'], /^HTTP\/1\.1 400 /],
    ['an old protocol without a host', ['GET /healthz HTTP/1.0\r\n\r\n'], /^HTTP\/1\.[01] 40[03] /],
    [
      'two lengths',
      [`POST /api/v1/status HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`],
      /^HTTP\/1\.1 400 /,
    ],
    [
      'a length and chunks',
      [`POST /x HTTP/1.1\r\n${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
      /^HTTP\/1\.1 400 /,
    ],
    [
      'headers of 20 KB',
      [`GET /healthz HTTP/1.1\r\n${HOST}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`],
      /^HTTP\/1\.1 413 [^]*"code":"too_large"/,
    ],
    ['a folded header', [`GET /healthz HTTP/1.1\r\n${HOST}X-A: b\r\n c\r\n\r\n`], /^HTTP\/1\.1 400 /],
  ])('refuses %s and continues', async (_, parts, answer) => {
    const server = await startServer();
    const told = await raw(server.port, parts);
    expect(told).toMatch(answer);
    expect(told).not.toMatch(/ at .*\.[jt]s|node:/);
    await isWell(server);
  });

  it('refuses invalid chunks and bodies that are too large', async () => {
    const server = await startServer({}, { limits: { maxBodyBytes: 10_000 } });
    const token = await server.token('alice', 'read');
    const head = `POST /api/v1/memory/search HTTP/1.1\r\n${HOST}Authorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(await raw(server.port, [head, 'zz\r\nnonsense\r\n'])).toMatch(/^HTTP\/1\.1 400 /);
    const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`;
    expect(await raw(server.port, [head, chunk, chunk, chunk, chunk])).toMatch(
      /^HTTP\/1\.1 413 [^]*"too_large"/,
    );
    const declared = head.replace('Transfer-Encoding: chunked', 'Content-Length: 999999999');
    expect(await raw(server.port, [declared])).toMatch(/^HTTP\/1\.1 413 [^]*"too_large"/);
    await isWell(server);
  });

  it('closes slow requests after a timeout, and answers others in the meantime', async () => {
    const server = await startServer({}, { limits: { headersTimeoutMs: 300, requestTimeoutMs: 900 } });
    const token = await server.token('alice', 'read');
    const head = `POST /api/v1/memory/search HTTP/1.1\r\n${HOST}Authorization: Bearer ${token}\r\n`;
    const body = `${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"query`;
    const slow = [raw(server.port, [head]), raw(server.port, [body]), raw(server.port, ['G'])];
    await isWell(server);
    for (const answer of await Promise.all(slow)) expect(answer).toMatch(/^(HTTP\/1\.1 504 |$)/);
    await isWell(server);
  });

  it('disconnects a client that does not read its answers', async () => {
    const server = await startServer({}, { limits: { requestTimeoutMs: 6000, maxConnections: 3 } });
    const token = await server.token('alice', 'write');
    const content = 'x '.repeat(500_000);
    expect((await server.ask('/api/v1/memory/write', { token, body: { content } })).status).toBe(200);
    const path = '/api/v1/memory/get?citation=record/1';
    const asked = `GET ${path} HTTP/1.1\r\n${HOST}Authorization: Bearer ${token}\r\n\r\n`.repeat(12);
    const closed: Promise<unknown>[] = [];
    const sockets = await Promise.all([1, 2, 3].map(() => opened(server.port)));
    for (const socket of sockets) {
      socket
        .pause()
        .on('error', () => undefined)
        .write(asked);
      closed.push(once(socket, 'close'));
    }
    const isWellAgain = (): Promise<number> =>
      server.ask('/healthz').then(
        ({ status }) => status,
        () => 0,
      );
    expect(await isWellAgain()).toBe(0);
    await expect.poll(isWellAgain, { timeout: 20_000 }).toBe(200);
    for (const socket of sockets) socket.destroy();
    await Promise.all(closed);
  });

  it('limits the pipelined requests of a connection', async () => {
    const server = await startServer();
    const asked = `GET /api/v1/openapi.json HTTP/1.1\r\n${HOST}\r\n`;
    const last = asked.replace(HOST, `${HOST}Connection: close\r\n`);
    const few = await raw(server.port, [asked.repeat(7) + last]);
    expect(few.match(/HTTP\/1\.1 200 /g)).toHaveLength(8);
    const many = await raw(server.port, [asked.repeat(300) + last]);
    expect(many.match(/HTTP\/1\.1 200 /g) ?? []).not.toHaveLength(301);
    await isWell(server);
  });

  it('answers a half-closed connection, and forgets a closed one', async () => {
    const server = await startServer();
    const token = await server.token('alice', 'read', 'write');
    const asked = `GET /api/v1/memory/search?query=x HTTP/1.1\r\n${HOST}Authorization: Bearer ${token}\r\nConnection: close\r\n\r\n`;
    expect(await raw(server.port, [asked], { hold: false })).toMatch(/^(HTTP\/1\.1 200 |$)/);
    for (let i = 0; i < 20; i++) {
      const socket = await opened(server.port);
      socket.write(asked);
      socket.destroy();
    }
    await isWell(server);
    expect(server.log.filter(({ code }) => code === 'internal')).toEqual([]);
  });

  it('limits the number of connections', async () => {
    const server = await startServer({}, { limits: { maxConnections: 3 } });
    const held = await Promise.all([1, 2, 3].map(() => opened(server.port)));
    expect(await raw(server.port, [`GET /healthz HTTP/1.1\r\n${HOST}\r\n`])).toBe('');
    for (const socket of held) {
      const closed = once(socket, 'close');
      socket.destroy();
      await closed;
    }
    await expect
      .poll(() =>
        server.ask('/healthz').then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);
  });

  it('limits the rate of each token, and of failed attempts', async () => {
    const server = await startServer({}, { limits: { requestsPerSecond: 2 } });
    const [alice, bob] = [await server.token('alice', 'read'), await server.token('bob', 'read')];
    const search = (token: string) => server.ask('/api/v1/memory/search?query=x', { token });
    const answers = await Promise.all(Array.from({ length: 12 }, () => search(alice)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(4);
    for (const { headers, problem } of refused) {
      expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
      expect(problem.code).toBe('rate_limited');
    }
    expect((await search(bob)).status).toBe(200);
    const guesses = await Promise.all(Array.from({ length: 12 }, () => search('loci_guess')));
    expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([401, 429]));
  });
});

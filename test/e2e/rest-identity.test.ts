import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { toolName } from '../../src/operations/operation.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { newTokenText } from '../../src/secrets/token-text.ts';
import { loci, temporaryFolder } from './loci-command.ts';
import { startServer, type TestServer } from './rest-server.ts';

const SEARCH = '/api/v1/memory/search?query=oven';
const WRITE = '/api/v1/memory/write';
const SECRET = 'a shared secret of more than thirty-two characters';
const [ISSUER, AUDIENCE] = ['https://id.example.org', 'loci'];
const now = Math.floor(Date.now() / 1000);
const CLAIMS: JWTPayload = {
  sub: 'alice',
  iss: ISSUER,
  aud: AUDIENCE,
  exp: now + 300,
  nbf: now - 5,
  scope: 'openid write',
};

function signWithSecret(claims: JWTPayload, secret = SECRET, alg = 'HS256'): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret));
}

async function refusal(server: TestServer, token: string): Promise<[number, string]> {
  const { status, problem, headers } = await server.request(SEARCH, { token });
  expect(headers['www-authenticate']).toContain('error="invalid_token"');
  return [status, problem.code];
}

describe('authentication', () => {
  it('gives access to the memory of the token’s subject and to no other', async () => {
    const server = await startServer();
    const [alice, bob] = [await server.token('alice', 'write'), await server.token('bob', 'write')];
    const content = 'The spare key of the oven lies in the blue teapot.';
    const written = await server.request(WRITE, {
      token: alice,
      body: { content, category: 'hiding-places' },
    });
    expect(written.status).toBe(200);
    expect((await server.request(SEARCH, { token: alice })).json).toMatchObject({ results: [{ id: 1 }] });
    const responses = [
      await server.request(SEARCH, { token: bob }),
      await server.request('/api/v1/memory/get?citation=record/1', { token: bob }),
      await server.request('/api/v1/memory/search?query=teapot&category=hidden', { token: bob }),
      await server.request('/metrics', { token: bob }),
    ];
    for (const { text } of responses) expect(text).not.toMatch(/teapot lies|blue|hiding|alice/);
    expect(responses.map(({ status }) => status)).toEqual([200, 404, 200, 403]);
    const ofBob = await server.request(WRITE, { token: bob, body: { content: 'Bob has an oven too.' } });
    expect(ofBob.json).toMatchObject({ id: 1 });
  });

  it('tells a token without the scope admin nothing of the server, of its settings and of the memory of its owner', async () => {
    const home = temporaryFolder();
    writeFileSync(join(home, 'plan.md'), '# Cellar\n\nthe marble is in the cellar');
    const server = await startServer(
      {
        namespace: 'owner-of-all',
        vaults: [{ path: home, name: 'vault-of-owner' }],
        sources: [{ id: 'source-of-owner', command: ['node', '-e', '1'] }],
      },
      { home },
    );
    const owner = await server.token('owner-of-all', 'admin');
    const note = { content: 'the marble is in the cellar', category: 'category-of-owner' };
    for (let i = 0; i < 7; i++) await server.request(WRITE, { token: owner, body: note });
    const ofOwner = await server.request('/api/v1/status', { token: owner });
    expect(ofOwner.json).toMatchObject({ records: 7, store: { path: join(home, 'loci.db') } });
    const token = await server.token('tenant', 'write');
    const leaks = new RegExp(`${home}|-of-owner|owner-of-all|marble is`);
    let answered = 0;
    for (const { load } of OPERATIONS) {
      const operation = await load();
      if (operation.local === true) continue;
      const path = `/api/v1/${toolName(operation).replace('_', '/')}`;
      for (const { input } of operation.examples) {
        const { status, text } = await server.request(path, { token, body: input });
        expect(text, path).not.toMatch(leaks);
        if (['admin', 'operator'].includes(operation.scope)) expect([path, status]).toEqual([path, 403]);
        if (status === 200) answered++;
      }
    }
    expect(answered).toBeGreaterThan(10);
    const found = await server.request('/api/v1/memory/search?query=marble+cellar', { token });
    expect(found.json).toMatchObject({ results: [], nothing: { namespace: 'tenant', unread_vaults: [] } });
    expect((await server.request('/api/v1/memory/sources', { token })).json).toEqual({ sources: [] });
  });

  it('lets an administrator of a memory do and learn nothing of the others', async () => {
    const server = await startServer();
    const alice = await server.token('alice', 'write');
    await server.request(WRITE, { token: alice, body: { content: 'the marble is in the cellar' } });
    const admin = await server.token('tenant', 'admin');
    const refused = ['embed/backfill', 'embed/test', 'reindex', 'doctor'];
    for (const path of refused) {
      const { status, problem } = await server.request(`/api/v1/${path}`, { token: admin, body: {} });
      expect([path, status, problem.detail]).toEqual([
        path,
        403,
        'this needs the scope operator; the token has read, write, admin',
      ]);
    }
    expect((await server.request('/metrics', { token: admin })).status).toBe(403);
    const { json, text } = await server.request('/api/v1/status', { token: admin });
    expect(text).not.toContain('alice');
    expect(json).toMatchObject({
      namespace: 'tenant',
      records: 0,
      other_namespaces: null,
      store: { bytes: null },
    });
  });

  it('refuses missing, incomplete and revoked tokens', async () => {
    const server = await startServer();
    const bare = await server.request(SEARCH);
    expect([bare.status, bare.problem.code]).toEqual([401, 'unauthorized']);
    expect(bare.headers['www-authenticate']).toBe('Bearer realm="loci"');
    const token = await server.token('alice', 'read');
    for (const wrong of [newTokenText(), token.slice(0, -1), `${token}x`, 'x', 'a.b.c'])
      expect(await refusal(server, wrong)).toEqual([401, 'unauthorized']);
    for (const authorization of [token, `Basic ${token}`, 'Bearer', 'Bearer ', `Bearer ${token} ${token}`])
      expect((await server.request(SEARCH, { headers: { authorization } })).status).toBe(401);
    expect((await server.request(`${SEARCH}&access_token=${token}`)).status).toBe(401);
    expect((await server.request(SEARCH, { token })).status).toBe(200);
    expect((await loci(['serve', 'token', 'revoke', "alice's"], { home: server.home })).code).toBe(0);
    await expect
      .poll(() => server.request(SEARCH, { token }).then(({ status }) => status), { timeout: 100_000 })
      .toBe(401);
  });

  it('accepts a valid JSON Web Token that is signed with the shared secret', async () => {
    const jwt = { secret: SECRET, issuer: ISSUER, audience: AUDIENCE };
    const server = await startServer({ auth: { jwt } });
    const written = await server.request(WRITE, {
      token: await signWithSecret(CLAIMS),
      body: { content: 'An oven.' },
    });
    expect(written.status).toBe(200);
    const byToken = await server.request(SEARCH, { token: await server.token('alice', 'read') });
    expect(byToken.json).toMatchObject({ results: [{ id: 1 }] });
    const operator = await signWithSecret({ ...CLAIMS, scope: 'read operator' });
    expect((await server.request('/api/v1/doctor', { token: operator })).status).toBe(403);
    const reader = await signWithSecret({ ...CLAIMS, scope: 'read' });
    expect((await server.request(WRITE, { token: reader, body: { content: 'x' } })).status).toBe(403);
    const { exp: _, ...withoutExpiry } = CLAIMS;
    const wrong = [
      await signWithSecret({ ...CLAIMS, exp: now - 31 }),
      await signWithSecret({ ...CLAIMS, nbf: now + 600 }),
      await signWithSecret({ ...CLAIMS, iss: 'https://evil.example' }),
      await signWithSecret({ ...CLAIMS, aud: 'another' }),
      await signWithSecret(withoutExpiry),
      await signWithSecret({ ...CLAIMS, sub: '' }),
      await signWithSecret({ ...CLAIMS, sub: 'a\nb' }),
      await signWithSecret(CLAIMS, `${SECRET}!`),
      await signWithSecret(CLAIMS, SECRET.repeat(2), 'HS512'),
      new UnsecuredJWT(CLAIMS).encode(),
    ];
    for (const token of wrong) expect(await refusal(server, token)).toEqual([401, 'unauthorized']);
    const tolerated = await signWithSecret({ ...CLAIMS, exp: Math.floor(Date.now() / 1000) - 5 });
    expect((await server.request(SEARCH, { token: tolerated })).status).toBe(200);
  });

  it('verifies tokens with public keys, and never uses these as a shared secret', async () => {
    const home = temporaryFolder();
    const [trusted, untrusted] = [await generateKeyPair('ES256'), await generateKeyPair('ES256')];
    const key = { ...(await exportJWK(trusted.publicKey)), kid: 'k1', alg: 'ES256' };
    writeFileSync(join(home, 'keys.json'), JSON.stringify({ keys: [key] }));
    const keys = createServer((_, response) => response.end(JSON.stringify({ keys: [key] })));
    await once(keys.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void keys.close());
    const { port } = keys.address() as AddressInfo;
    const jwt = { issuer: ISSUER, audience: AUDIENCE };
    const byUrl = await startServer({
      auth: { jwt: { ...jwt, jwks: `http://127.0.0.1:${String(port)}/keys` } },
    });
    const server = await startServer({ auth: { jwt: { ...jwt, jwks: 'keys.json' } } }, { home });
    const sign = ({ privateKey }: typeof trusted) =>
      new SignJWT(CLAIMS).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(privateKey);
    for (const each of [server, byUrl]) {
      expect((await each.request(SEARCH, { token: await sign(trusted) })).status).toBe(200);
      expect(await refusal(each, await sign(untrusted))).toEqual([401, 'unauthorized']);
    }
    expect(await refusal(server, await signWithSecret(CLAIMS, JSON.stringify(key)))).toEqual([
      401,
      'unauthorized',
    ]);
  });

  it('refuses tokens while the keys are not available', async () => {
    const disconnected = Promise.withResolvers<undefined>();
    const keyServers: Record<string, (response: ServerResponse) => void> = {
      '/none': (response) => response.writeHead(500).end(),
      '/page': (response) => response.end('<html></html>'),
      '/endless': (response) => {
        response.on('close', () => disconnected.resolve(undefined));
        const more = (): void => {
          if (response.write(' '.repeat(65_536))) setImmediate(more);
          else response.once('drain', more);
        };
        more();
      },
    };
    const keys = createServer((request, response) => keyServers[request.url ?? '']?.(response));
    await once(keys.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void keys.close());
    const { port } = keys.address() as AddressInfo;
    const { privateKey } = await generateKeyPair('ES256');
    const token = await new SignJWT(CLAIMS).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(privateKey);
    for (const path of Object.keys(keyServers)) {
      const jwks = `http://127.0.0.1:${String(port)}${path}`;
      const server = await startServer({ auth: { jwt: { issuer: ISSUER, audience: AUDIENCE, jwks } } });
      const { status, json } = await server.request(SEARCH, { token });
      expect([path, status, (json as { detail: string }).detail]).toEqual([
        path,
        401,
        'the keys to verify the token are not available now',
      ]);
    }
    // The server has disconnected from the endless response.
    await disconnected.promise;
  });

  it('requires an issuer, an audience and secure keys, or the server does not start', async () => {
    for (const jwt of [
      { secret: SECRET },
      { secret: SECRET, issuer: ISSUER },
      { jwks: 'none.json', issuer: ISSUER, audience: AUDIENCE },
      // An attacker in the network could replace the keys.
      { jwks: 'http://keys.example/keys.json', issuer: ISSUER, audience: AUDIENCE },
    ])
      await expect(startServer({ auth: { jwt } })).rejects.toMatchObject({ code: 'invalid_config' });
  });
});

describe('a Unix socket', () => {
  it('can be opened only by its owner, and needs a token too', async () => {
    const folder = temporaryFolder();
    const socket = join(folder, 'loci.sock');
    const server = await startServer({}, { listenAt: { socket } });
    expect(server.address).toBe(`unix:${socket}`);
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    expect((await server.request(SEARCH)).status).toBe(401);
    const token = await server.token('alice', 'read');
    expect((await server.request(SEARCH, { token })).status).toBe(200);
    await expect(startServer({}, { listenAt: { socket } })).rejects.toMatchObject({ code: 'conflict' });
    if (process.getuid?.() === 0) {
      chmodSync(folder, 0o755);
      // Another user may be unable to start Node from a clone that is closed, so root starts it and then changes the user.
      const script = `process.setgroups([]); process.setgid(65534); process.setuid(65534);
        require('node:net').connect('${socket}').on('error', (e) => console.log(e.code)).on('connect', () => console.log('in'))`;
      const options = { env: {}, timeout: 5000 };
      expect((await promisify(execFile)(process.execPath, ['-e', script], options)).stdout).toBe('EACCES\n');
    }
    await server.close();
    expect(statSync(socket, { throwIfNoEntry: false })).toBeUndefined();
    writeFileSync(socket, 'a file');
    await expect(startServer({}, { listenAt: { socket } })).rejects.toMatchObject({ code: 'conflict' });
  });
});

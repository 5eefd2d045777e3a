import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './loci-command.ts';
import { webFolder } from './page-session.ts';
import { startServer, type TestServer } from './rest-server.ts';

const INDEX = '<!doctype html><title>Loci</title>';
const BROWSER = { accept: 'text/html,application/xhtml+xml', 'sec-fetch-site': 'none' };

function startWithPage(): Promise<TestServer> {
  const folder = webFolder({
    'index.html': INDEX,
    'icon.svg': '<svg/>',
    'assets/app-1a2b.js': 'import "./x.js"',
    'assets/app-1a2b.js.gz': gzipSync('import "./x.js"').toString('latin1'),
  });
  symlinkSync('/etc/passwd', join(folder, 'passwd.txt'));
  return startServer({}, { webFolder: folder });
}

describe('the files of the page', () => {
  it('are served with their types, and run nothing of other hosts or in frames', async () => {
    const server = await startWithPage();
    for (const [path, type, caching] of [
      ['/ui/', 'text/html; charset=utf-8', 'no-cache'],
      ['/ui/search?q=oven', 'text/html; charset=utf-8', 'no-cache'],
      ['/ui/records/12', 'text/html; charset=utf-8', 'no-cache'],
      ['/ui/icon.svg', 'image/svg+xml; charset=utf-8', 'no-cache'],
      ['/ui/assets/app-1a2b.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ]) {
      const { status, headers } = await server.request(path!, { headers: BROWSER });
      expect([path, status, headers['content-type'], headers['cache-control']]).toEqual([
        path,
        200,
        type,
        caching,
      ]);
      expect(headers).toMatchObject({
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; " +
          "font-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
          "require-trusted-types-for 'script'; trusted-types dompurify",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'x-frame-options': 'DENY',
      });
      expect(headers).not.toHaveProperty('set-cookie');
    }
    expect((await server.request('/ui/')).text).toBe(INDEX);
    const compressed = await server.request('/ui/assets/app-1a2b.js', {
      headers: { 'accept-encoding': 'gzip' },
    });
    expect(compressed.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'Accept-Encoding',
    });
  });

  it('are only those of the folder', async () => {
    const server = await startWithPage();
    for (const path of [
      ...[
        '/ui/passwd.txt',
        '/ui/missing.js',
        '/ui/assets/missing',
        '/ui/../loci.yaml',
        '/ui//etc/passwd.txt',
      ],
      ...['/ui/%2e%2e/%2e%2e/etc/passwd.txt', '/ui/..%2f..%2fpackage.json', '/ui/..%2f..%2fetc%2fpasswd'],
      ...['/ui/index.html%00.js', '/ui/assets/../../package.json'],
    ]) {
      const { status, text } = await server.request(path);
      expect([path, status]).toEqual([path, 404]);
      expect(text).not.toContain('root:');
    }
    expect((await server.request('/ui/%2fetc%2fpasswd')).text).toBe(INDEX);
    expect((await server.request('/ui/', { method: 'POST', body: {} })).status).toBe(404);
  });

  it('may be linked to by other sites, but not embedded or read by them', async () => {
    const server = await startWithPage();
    const link = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    for (const path of ['/ui/', '/ui/search'])
      expect((await server.request(path, { headers: link })).status).toBe(200);
    for (const headers of [
      { ...link, 'sec-fetch-dest': 'iframe' },
      { ...link, 'sec-fetch-mode': 'cors' },
      { ...link, origin: 'http://evil.example' },
      { ...link, host: 'evil.example' },
    ])
      expect([headers, (await server.request('/ui/', { headers })).status]).toEqual([headers, 403]);
    expect((await server.request('/api/v1/memory/list', { headers: link })).status).toBe(403);
    expect((await server.request('/ui/session', { headers: link })).status).toBe(401);
  });

  it('are where browsers are led, while programs get text', async () => {
    const server = await startWithPage();
    const { status, headers } = await server.request('/', { headers: BROWSER });
    expect([status, headers.location, headers.vary]).toEqual([302, '/ui/', 'Accept']);
    expect((await server.request('/', { headers: { accept: '*/*' } })).text).toMatch(/^Loci: memory/);
    expect((await server.request('/ui')).headers.location).toBe('/ui/');
  });

  it('are missed with a clear message', async () => {
    const server = await startServer({}, { webFolder: join(temporaryFolder(), 'missing') });
    const { status, problem } = await server.request('/ui/');
    expect([status, problem.detail]).toEqual([
      404,
      'this installation has no web page: the folder dist/web is missing',
    ]);
    expect((await server.request('/', { headers: BROWSER })).text).toMatch(/^Loci: memory/);
  });
});

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../e2e/loci-command.ts';
import { sendRequest } from '../e2e/rest-server.ts';
import { seriousFindings, testSite } from './site.ts';

const site = testSite({ ownSessions: true });

/** A page on another port of this machine, whose server sees what the browser sends. */
async function otherServer(html: string): Promise<{ address: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.setHeader('Content-Type', 'text/html').end(html);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { address: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, requests };
}

describe('the session in a browser', () => {
  it('is opened by a file that leads to the link, keeps the code out of the address, and hides the cookie', async () => {
    const before = await site.open('/');
    await before.context().clearCookies();
    await before.evaluate('localStorage.clear()');
    const page = await before.context().newPage();
    const url = await site.link();
    const file = join(temporaryFolder(), 'open.html');
    writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${url}">`);
    await page.goto(pathToFileURL(file).href);
    await page.waitForURL((address) => address.pathname === '/ui/' && address.hash === '');
    await page.waitForFunction(() => localStorage.getItem('loci-csrf') !== null);
    expect(await page.evaluate('document.cookie')).toBe('');
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
    await page.reload();
    await page.locator('nav').first().waitFor();
  });

  it('gives a page on another port the cookie, but nothing of the memory', async () => {
    const page = await site.open('/');
    const other = await otherServer(`<iframe src="${site.address}/ui/"></iframe>`);
    const evil = await page.context().newPage();
    await evil.goto(other.address);
    expect(other.requests[0]?.headers.cookie).toContain('loci_session_');
    const cookie = other.requests[0]?.headers.cookie ?? '';
    for (const path of ['/api/v1/memory/list', '/api/v1/events', '/ui/session'])
      expect([path, (await sendRequest(site.address, path, { headers: { cookie } })).status]).toEqual([
        path,
        403,
      ]);
    const answers = await evil.evaluate(async (address) => {
      const attempts = [
        fetch(`${address}/api/v1/memory/list`, { credentials: 'include' }),
        fetch(`${address}/api/v1/memory/list`, { credentials: 'include', headers: { 'X-Loci-Csrf': 'x' } }),
        fetch(`${address}/ui/session`, { method: 'POST', credentials: 'include', body: '{"code":"x"}' }),
        fetch(`${address}/ui/`, { credentials: 'include' }),
      ];
      return (await Promise.allSettled(attempts)).map(({ status }) => status);
    }, site.address);
    expect(answers).toEqual(Array<string>(4).fill('rejected'));
    const frame = evil.frames()[1];
    expect(await frame?.evaluate('document.body?.querySelector("nav") ?? null')).toBeNull();
    await evil.close();
  });

  it('needs no connection for events in a tab that is not seen', async () => {
    const page = await site.open('/');
    // The page with the session has ended its own stream before the next one is awaited.
    await page.goto('about:blank');
    await page.clock.install();
    const isOfEvents = (request: { url(): string }): boolean => request.url().endsWith('/api/v1/events');
    const first = page.waitForResponse(isOfEvents);
    await page.goto(`${site.address}/ui/receipts`);
    await first;
    const show = (hidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { value: ${String(hidden)}, configurable: true });
         document.dispatchEvent(new Event('visibilitychange'));`,
      );
    const given = page.waitForEvent('requestfailed', isOfEvents);
    await show(true);
    await page.clock.fastForward(31_000);
    await given;
    const again = page.waitForRequest(isOfEvents);
    const reloaded = page.waitForRequest((request) => request.url().includes('/api/v1/receipt/list'));
    await show(false);
    await again;
    await reloaded;
  });

  it('shows that the server has stopped until it answers again', async () => {
    const page = await site.open('/facts');
    await page.getByRole('heading', { name: 'Facts', exact: true }).waitFor();
    const banner = page.locator('.banner', { hasText: 'The server does not answer.' });
    expect(await banner.count()).toBe(0);
    const start = await site.stop();
    await banner.waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Records', exact: true }).click();
    await page.getByRole('heading', { name: 'This could not be loaded' }).waitFor();
    await start();
    await banner.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Records', exact: true }).waitFor();
  });

  it('ends on the page when it is revoked', async () => {
    const page = await site.open('/');
    const { tokens } = JSON.parse(await site.loci('serve', 'token', 'list', '--json')) as {
      tokens: { id: string }[];
    };
    for (const { id } of tokens) await site.loci('serve', 'token', 'revoke', id);
    const status = () =>
      page.evaluate(async () => {
        const csrf = localStorage.getItem('loci-csrf') ?? '';
        return (await fetch('/api/v1/memory/list', { headers: { 'X-Loci-Csrf': csrf } })).status;
      });
    await expect.poll(status, { timeout: 100_000 }).toBe(401);
  });
});

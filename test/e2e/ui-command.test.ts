import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { TokenListOutput } from '../../src/engine/access/tokens.ts';
import { userName } from '../../src/core/runtime.ts';
import {
  type CommandResult,
  loci,
  lociJson,
  type RunningLoci,
  startLoci,
  temporaryFolder,
} from './loci-command.ts';
import { sendRequest } from './rest-server.ts';
import { startServerProcess } from './server-process.ts';

interface Shown {
  readonly url: string;
  readonly address: string;
  readonly started: boolean;
  readonly opened: boolean;
  readonly tunnel: string;
}

/** Starts `loci ui --json` in a process of its own, and waits for the link. */
async function startUi(
  home: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<RunningLoci & { readonly shown: Shown; readonly stderr: () => string }> {
  const running = startLoci(['ui', '--json', '--home', home, ...args], { home, env });
  onTestFinished(() => void running.child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  running.child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const shown = await new Promise<Shown>((resolve, reject) => {
    running.child.stdout?.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      if (stdout.endsWith('}\n')) resolve(JSON.parse(stdout) as Shown);
    });
    void running.ended.then((result) => reject(new Error(result.stderr)));
  });
  return { ...running, shown, stderr: () => stderr };
}

async function redeem({ url, address }: Shown): Promise<number> {
  const code = new URL(url).hash.replace('#code=', '');
  return (await sendRequest(address, '/ui/session', { body: { code } })).status;
}

/** A home whose settings name a port, which is free unless something is said to listen there. */
async function homeWithPort(isTaken: boolean): Promise<{ home: string; port: number; seen: string[] }> {
  const seen: string[] = [];
  const other = createServer((socket) => void socket.on('data', (chunk) => seen.push(chunk.toString())));
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  if (isTaken) onTestFinished(() => void other.close());
  else await new Promise((resolve) => void other.close(resolve));
  const home = temporaryFolder();
  writeFileSync(join(home, 'loci.yaml'), `server:\n  port: ${String(port)}\n`);
  return { home, port, seen };
}

/** A PATH on which this browser is the default one, and the programs that open a link write it to a file. */
function pathWith(browser: string, received: string): string {
  const bin = temporaryFolder();
  for (const [name, script] of [
    ...['xdg-open', 'open'].map((each) => [each, `echo "$@" > '${received}'`] as const),
    ['xdg-settings', `echo ${browser}`] as const,
  ])
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return `${bin}:${process.env['PATH'] ?? ''}`;
}

/** The link that was opened. */
async function opened(received: string): Promise<string> {
  await vi.waitFor(
    () => expect(existsSync(received) && readFileSync(received, 'utf8')).toMatch(/\n$/),
    100_000,
  );
  return readFileSync(received, 'utf8').trim();
}

describe('loci ui', () => {
  it('starts a server on this machine, prints a link for it, and stops with it', async () => {
    const { home, port } = await homeWithPort(false);
    const { shown, child, ended } = await startUi(home, ['--print']);
    const address = `http://127.0.0.1:${String(port)}`;
    expect(shown).toMatchObject({
      url: expect.stringMatching(new RegExp(`^${address}/ui/#code=[\\w-]{43}$`)) as string,
      address,
      started: true,
      opened: false,
      tunnel: `ssh -N -L ${String(port)}:127.0.0.1:${String(port)} ${userName()}@${hostname()}`,
    });
    expect(await redeem(shown)).toBe(200);
    expect(await redeem(shown)).toBe(401);
    child.kill('SIGINT');
    expect((await ended).code).toBe(0);
  });

  it('opens the page of a server of this home, and ends', async () => {
    const home = temporaryFolder();
    const server = await startServerProcess(home);
    const { shown, ended } = await startUi(home, ['--print']);
    expect(shown).toMatchObject({ address: server.address, started: false });
    expect((await ended).code).toBe(0);
    expect(await redeem(shown)).toBe(200);
  });

  it('opens the page after a server was killed while it answered to codes', async () => {
    const home = temporaryFolder();
    const server = await startServerProcess(home);
    const code = new URL((await startUi(home, ['--print'])).shown.url).hash.replace('#code=', '');
    const attempts = Array.from({ length: 8 }, () =>
      sendRequest(server.address, '/ui/session', { body: { code } }).catch(() => null),
    );
    await Promise.race(attempts);
    server.child.kill('SIGKILL');
    await Promise.all([server.ended, ...attempts]);
    const { tokens } = await lociJson<TokenListOutput>(['serve', 'token', 'list'], { home });
    expect(tokens.length).toBeLessThanOrEqual(1);
    const again = await startUi(home, ['--print'], { LOCI_SERVER_PORT: '0' });
    expect(await redeem(again.shown)).toBe(200);
    expect((await loci(['doctor'], { home })).code).toBe(0);
  });

  it('gives nothing to another program that has the port, and takes a free one', async () => {
    const { home, port, seen } = await homeWithPort(true);
    const { shown, stderr } = await startUi(home, ['--print']);
    expect(shown.address).not.toContain(`:${String(port)}`);
    expect(stderr()).toContain(
      `another program uses port ${String(port)}; the page is at port ${new URL(shown.address).port}`,
    );
    expect(await redeem(shown)).toBe(200);
    expect(seen).toEqual([]);
  });

  it('asks no process at a socket that other users could have made', async () => {
    const home = temporaryFolder();
    const server = await startServerProcess(home);
    chmodSync(join(home, 'run'), 0o770);
    const { shown } = await startUi(home, ['--print'], { LOCI_SERVER_PORT: '0' });
    expect(shown.started).toBe(true);
    expect(shown.address).not.toBe(server.address);
  });

  it('stays on loopback whatever the address of the server is', async () => {
    const home = temporaryFolder();
    writeFileSync(join(home, 'loci.yaml'), 'server:\n  port: 0\n  host: 0.0.0.0\n');
    const { shown, stderr } = await startUi(home, ['--print']);
    expect(shown.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(stderr()).toContain('server.host is 0.0.0.0; the page is only on this machine, at 127.0.0.1');
    expect(await redeem(shown)).toBe(200);
  });

  it('opens the browser without a shell, and without the code in what other users can see', async () => {
    const home = temporaryFolder();
    await startServerProcess(home);
    const received = join(temporaryFolder(), 'received');
    const env = { PATH: pathWith('firefox.desktop', received), DISPLAY: ':0' };
    const { shown } = await startUi(home, [], env);
    expect(shown.opened).toBe(true);
    const file = fileURLToPath(await opened(received));
    expect(file).toBe(join(home, 'run', 'open.html'));
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain(`content="0;url=${shown.url}"`);
  });

  it('opens the link itself where the browser cannot read the folder, and only prints it without a screen', async () => {
    const home = temporaryFolder();
    await startServerProcess(home);
    const received = join(temporaryFolder(), 'received');
    const PATH = pathWith('firefox_firefox.desktop', received);
    const { shown } = await startUi(home, [], { PATH, WAYLAND_DISPLAY: 'wayland-0' });
    expect(await opened(received)).toBe(shown.url);
    const { stdout }: CommandResult = await loci(['ui', '--home', home], { home, env: { PATH } });
    expect(stdout).toMatch(
      /^Open this link in your browser within a minute; it works once:\n\n {2}http:\S+\n/,
    );
    expect(stdout).toContain('ssh -N -L ');
  });
});

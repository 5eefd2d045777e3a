import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
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

  it.each([
    ['before', false],
    ['after', true],
  ])('opens the page after a server was killed %s it answered to a code', async (_, answered) => {
    const home = temporaryFolder();
    const server = await startServerProcess(home);
    const code = new URL((await startUi(home, ['--print'])).shown.url).hash.replace('#code=', '');
    const attempts = Array.from({ length: 8 }, () =>
      sendRequest(server.address, '/ui/session', { body: { code } }).catch(() => null),
    );
    if (answered) await Promise.race(attempts);
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

  it.each([
    ['socket: loci.sock', 'a browser cannot open server.socket'],
    ['host: 0.0.0.0', 'server.host is 0.0.0.0; the page is only on this machine, at 127.0.0.1'],
  ])('stays on loopback with server.%s', async (setting, message) => {
    const home = temporaryFolder();
    writeFileSync(join(home, 'loci.yaml'), `server:\n  port: 0\n  ${setting}\n`);
    const { shown, stderr } = await startUi(home, ['--print']);
    expect(shown.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(stderr()).toContain(message);
    expect(await redeem(shown)).toBe(200);
  });

  it('opens the browser without a shell, and without the code in what other users can see', async () => {
    const home = temporaryFolder();
    await startServerProcess(home);
    const bin = temporaryFolder();
    const received = join(bin, 'received');
    const program = (name: string, script: string): void => {
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(bin, name), 0o755);
    };
    const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, DISPLAY: ':0' };
    for (const name of ['xdg-open', 'open']) program(name, `echo "$@" > '${received}'`);
    program('xdg-settings', 'echo firefox.desktop');
    const { shown } = await startUi(home, [], env);
    expect(shown.opened).toBe(true);
    await vi.waitFor(
      () => expect(existsSync(received) && readFileSync(received, 'utf8')).toMatch(/\n$/),
      100_000,
    );
    const file = fileURLToPath(readFileSync(received, 'utf8').trim());
    expect(file).toBe(join(home, 'run', 'open.html'));
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain(`content="0;url=${shown.url}"`);
  });

  it('opens the link itself where the browser cannot read the folder, and only prints it without a screen', async () => {
    const home = temporaryFolder();
    await startServerProcess(home);
    const bin = temporaryFolder();
    const received = join(bin, 'received');
    mkdirSync(bin, { recursive: true });
    for (const [name, script] of [
      ['xdg-settings', 'echo firefox_firefox.desktop'],
      ['xdg-open', `echo "$@" > '${received}'`],
    ] as const) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    const PATH = `${bin}:${process.env['PATH'] ?? ''}`;
    const { shown } = await startUi(home, [], { PATH, WAYLAND_DISPLAY: 'wayland-0' });
    await vi.waitFor(
      () => expect(existsSync(received) && readFileSync(received, 'utf8')).toMatch(/\n$/),
      100_000,
    );
    expect(readFileSync(received, 'utf8').trim()).toBe(shown.url);
    const { stdout }: CommandResult = await loci(['ui', '--home', home], { home, env: { PATH } });
    expect(stdout).toMatch(
      /^Open this link in your browser within a minute; it works once:\n\n {2}http:\S+\n/,
    );
    expect(stdout).toContain('ssh -N -L ');
  });
});

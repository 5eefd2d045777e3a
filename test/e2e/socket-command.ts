import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, vi } from 'vitest';
import { type CommandResult, ROOT } from './loci-command.ts';

/** The result of a command in a process of its own. */
export interface ProcessResult extends CommandResult {
  /** Whether the process opened the store itself, instead of being answered. */
  readonly openedStore: boolean;
}

/** Makes a process tell at its end, at file descriptor 3, whether it has loaded SQLite. */
const REPORT_SQLITE = `
  import { writeSync } from 'node:fs';
  process.on('exit', () => writeSync(3, String(process.moduleLoadList.includes('NativeModule sqlite'))));`;

/** Runs `bin/loci.js`, which asks running processes first. */
export async function runBin(
  args: readonly string[],
  { home, env, cwd }: { readonly home: string; readonly env?: NodeJS.ProcessEnv; readonly cwd?: string },
): Promise<ProcessResult> {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const preload = `data:text/javascript,${encodeURIComponent(REPORT_SQLITE)}`;
  const child = spawn(process.execPath, ['--import', preload, join(ROOT, 'bin/loci.js'), ...args], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, LOCI_HOME: home, LOCI_EMBEDDING_PROVIDER: 'none', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    ...(cwd !== undefined && { cwd }),
  });
  const [, stdoutPipe, stderrPipe, report] = child.stdio;
  const [[code], stdout, stderr, sqlite] = await Promise.all([
    once(child, 'close') as Promise<[number | null]>,
    text(stdoutPipe as Readable),
    text(stderrPipe as Readable),
    text(report as Readable),
  ]);
  return { code, stdout, stderr, openedStore: sqlite === 'true' };
}

/** Runs a command that no running process must answer. */
const MAX_ATTEMPTS = 10;

/** Runs a command that a running process answers. On a busy machine it may take longer than the command waits: then once more. */
export async function runAnswered(
  args: readonly string[],
  options: Parameters<typeof runBin>[1],
): Promise<ProcessResult> {
  for (let i = 0; i < MAX_ATTEMPTS; i++) {
    const result = await runBin(args, options);
    if (!result.openedStore) return result;
  }
  throw new Error(`no running process has answered ${args.join(' ')}`);
}

export async function runUnanswered(
  args: readonly string[],
  options: Parameters<typeof runBin>[1],
): Promise<ProcessResult> {
  const result = await runBin(args, options);
  expect(result.openedStore).toBe(true);
  return result;
}

/** The output without durations, and without the size of the store, which running processes change. */
export function comparable({ code, stdout, stderr }: CommandResult): CommandResult {
  const stable = stdout
    .replaceAll(/"(took_ms|bytes)": ?\d+/g, '"$1":0')
    .replaceAll(/ in \d+ ms/g, ' in 0 ms')
    .replaceAll(/\bjust now\b|\b\d+(?:s|min|h) ago/g, 'now')
    .replaceAll(/\(sqlite, [^,]+,/g, '(sqlite,');
  return { code, stdout: stable, stderr };
}

/** The paths of the sockets in a home. */
export function socketsOf(home: string): string[] {
  try {
    const folder = join(home, 'run');
    return readdirSync(folder)
      .filter((name) => name.endsWith('.sock'))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** Waits until as many processes listen. Returns the paths of their sockets. */
export function waitForSockets(home: string, count = 1): Promise<string[]> {
  return vi.waitFor(
    () => {
      const paths = socketsOf(home);
      if (paths.length !== count) throw new Error(`${String(paths.length)} sockets`);
      return paths;
    },
    { timeout: 100_000, interval: 20 },
  );
}

/** A request that a server of this home answers; `changes` replaces fields of what has to be the same in both processes. */
export function requestFor(
  home: string,
  argv: readonly string[],
  changes: object = {},
  terminals: readonly (number | null)[] = [null, null],
): object {
  const { mtimeMs, size } = statSync(join(ROOT, 'dist/bundle/main.js'));
  const { PATH, HOME, TZ = null } = process.env;
  const build = `${String(mtimeMs)}:${String(size)}`;
  return {
    argv,
    same: { build, node: process.version, home, HOME, TZ, ...changes },
    cwd: process.cwd(),
    env: { PATH, HOME, LOCI_HOME: home, LOCI_EMBEDDING_PROVIDER: 'none' },
    terminals,
  };
}

/** Sends bytes to a socket. Returns the lines that come back until the other side closes it. */
export async function sendLine(path: string, line: string): Promise<string[]> {
  const socket = connect(path);
  socket.on('error', () => undefined);
  socket.write(line);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks)
    .toString()
    .split('\n')
    .filter((each) => each !== '');
}

/** Sends a request. Returns the messages of the server. */
export async function sendRequestTo(path: string, request: object): Promise<unknown[]> {
  const lines = await sendLine(path, `${JSON.stringify(request)}\n`);
  return lines.map((line) => JSON.parse(line) as unknown);
}

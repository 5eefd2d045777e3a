import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { statSync, unlinkSync } from 'node:fs';
import { chmod, readdir, rename, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Config } from '../../../config/schema.ts';
import { ERROR_TABLE } from '../../../core/errors.ts';
import { systemErrorCode } from '../../../core/fs/file-errors.ts';
import { parseJson } from '../../../core/json.ts';
import type { OpenContext } from '../../../operations/context.ts';
import { locateStore } from '../../../store/registry.ts';
import type { Io } from '../../shared/io.ts';
import type { MakePageLink } from '../../shared/run-standalone.ts';
import type { OpenSession } from '../run-command.ts';
import { LINK_REQUEST, privateFolder } from './page-link.ts';

/** Runs a command line in this process. */
export type RunCommandLine = (argv: readonly string[], io: Io, openSession: OpenSession) => Promise<number>;

/** The shortest limit of a socket's path is that of macOS. */
const MAX_PATH_BYTES = 103;
const MAX_REQUEST_BYTES = 64 * 1024;
const MAX_CONNECTIONS = 8;
/** How long a request may take to arrive, and its answer to be read. */
const IDLE_MS = 10_000;

/**
 * Listens at a Unix socket in the home, so that commands of the same user need not open the store themselves. It neither keeps
 * the process alive nor delays its end. The engine of `context` must be open.
 * @param makeLink answers `loci ui`, if the process serves the web page
 * @returns a function that stops it. Where no private socket can be made, nothing listens.
 */
export async function listenForCommands(
  context: OpenContext,
  run: RunCommandLine,
  makeLink?: MakePageLink,
): Promise<() => void> {
  if (process.platform === 'win32' || context.env['LOCI_COMMAND_SOCKET'] === 'off') return () => undefined;
  const { server, close } = commandServer(context, run, makeLink);
  try {
    const folder = await privateFolder(context.home);
    if (folder === null) return () => undefined;
    const path = await listen(server, folder);
    const remove = (): void => removeSocket(path);
    process.once('exit', remove);
    void removeDeadSockets(folder);
    return () => {
      process.off('exit', remove);
      remove();
      close();
    };
  } catch {
    // Commands open the store themselves.
    close();
    return () => undefined;
  }
}

/** Every process has a socket of its own. It gets its name when it accepts connections. */
async function listen(server: Server, folder: string): Promise<string> {
  const name = randomBytes(4).toString('hex');
  const path = join(folder, `${name}.sock`);
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw new Error('the path is too long for a socket');
  const unfinished = join(folder, `${name}.new`);
  server.listen(unfinished).unref();
  await once(server, 'listening');
  server.on('error', () => undefined);
  await chmod(unfinished, 0o600);
  await rename(unfinished, path);
  return path;
}

function removeSocket(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Somebody has removed it.
  }
}

/** Removes the sockets of processes that were killed. */
async function removeDeadSockets(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => each.endsWith('.sock'))) {
    const path = join(folder, name);
    const probe = connect(path);
    probe.unref();
    probe.on('connect', () => probe.destroy());
    probe.on('error', (error) => {
      if (systemErrorCode(error) === 'ECONNREFUSED') void rm(path, { force: true });
    });
  }
}

interface CommandServer {
  readonly server: Server;
  readonly close: () => void;
}

/** A server that answers one request on each connection. */
function commandServer(context: OpenContext, run: RunCommandLine, makeLink?: MakePageLink): CommandServer {
  const open = new Set<Socket>();
  const declines = declining(context);
  const answer = async (line: string, socket: Socket, signal: AbortSignal): Promise<void> => {
    try {
      if (makeLink !== undefined && line === LINK_REQUEST) {
        socket.end(message(await makeLink()));
        return;
      }
      const asked = request.parse(parseJson(line));
      if (await declines(asked)) {
        const { settingsProblem: problem } = await context.loci();
        socket.end(message({ declined: true, ...(problem !== null && { problem, process: process.pid }) }));
        return;
      }
      // The asking process does not wait long for this, and then for the answer.
      socket.write(message({ accepted: true }));
      const answered = await answerCommand(context, asked, run, signal);
      if (!ANSWERED_EXIT_CODES.includes(answered.exitCode)) throw new Error('the command failed here');
      socket.end(message(answered));
    } catch {
      // The asking process runs the command itself.
      socket.destroy();
    }
  };
  const server = createServer((socket) => {
    const gone = new AbortController();
    const chunks: Buffer[] = [];
    let bytes = 0;
    open.add(socket.unref());
    socket.on('error', () => undefined);
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    socket.on('close', () => {
      open.delete(socket);
      gone.abort();
    });
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_REQUEST_BYTES) socket.destroy();
      if (socket.destroyed || chunk.at(-1) !== LINE_FEED) return;
      // Further data is ignored, but the end of the connection has to be noticed.
      socket.off('data', onData).resume();
      void answer(Buffer.concat(chunks).toString(), socket, gone.signal);
    };
    socket.on('data', onData);
  });
  server.maxConnections = MAX_CONNECTIONS;
  const close = (): void => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  return { server, close };
}

const LINE_FEED = 10;

/** Other errors may be those of this process alone. */
const ANSWERED_EXIT_CODES: readonly number[] = [
  0,
  ERROR_TABLE.invalid_input.exit,
  ERROR_TABLE.not_found.exit,
];

function message(content: object): string {
  return `${JSON.stringify(content)}\n`;
}

/** The width of a terminal; `null` for a file or a pipe. */
const terminal = z.int().nullable();

const request = z.strictObject({
  argv: z.array(z.string()),
  /** What has to be the same in both processes, by name; see `whatIsSame`. */
  same: z.record(z.string(), z.unknown()),
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
  terminals: z.tuple([terminal, terminal]),
});

/** A command line, which `bin/command-socket.js` sends only if it only reads, and everything else that determines its output. */
type SocketRequest = z.infer<typeof request>;

/** What determines the output and is not sent. `build` changes with a new build or an update. */
function whatIsSame(home: string): Readonly<Record<string, unknown>> {
  const file = fileURLToPath(new URL('../../../../dist/bundle/main.js', import.meta.url));
  const found = statSync(file, { throwIfNoEntry: false });
  const { HOME = null, TZ = null, PATH = null } = process.env;
  const build = found === undefined ? null : `${String(found.mtimeMs)}:${String(found.size)}`;
  return { build, home, HOME, TZ, PATH, node: process.version };
}

/** Returns a function that tells whether the asking process must run a command itself, because the output may differ. */
function declining(context: OpenContext): (asked: SocketRequest) => Promise<boolean> {
  const own = whatIsSame(context.home);
  const opened = context.loci().then(
    ({ config }) => locateStore(config.store).identity(),
    () => null,
  );
  return async ({ same, env, cwd }) => {
    if (Object.entries(same).some(([name, value]) => own[name] !== value)) return true;
    const { config: settings } = await context.loci();
    // A command that finds wrong settings reports them itself.
    const loaded = await context
      .forCall({ env, cwd })
      .loadConfig()
      .catch(() => null);
    if (loaded === null || !isDeepStrictEqual(usedSettings(loaded.values), usedSettings(settings)))
      return true;
    const { connectionString, directConnectionString, replicaConnectionString } = settings.store;
    for (const place of [connectionString, directConnectionString, replicaConnectionString])
      if (place?.startsWith('env:') === true && env[place.slice(4)] !== process.env[place.slice(4)])
        return true;
    const identity = await locateStore(settings.store).identity();
    return identity === null || identity !== (await opened);
  };
}

/** The settings without those that no answered command uses. An agent may start its server with others. */
function usedSettings({ writes: _w, server: _s, auth: _a, mcp: _m, startup: _t, ...used }: Config): object {
  return used;
}

interface CommandAnswer {
  readonly exitCode: number;
  /** What was written, in order: the file descriptor, 1 or 2, and the text. */
  readonly output: readonly (readonly [fd: number, text: string])[];
}

/** Runs a command with the open engine and returns what it prints. @param signal aborted when nobody waits for the answer */
async function answerCommand(
  context: OpenContext,
  { argv, cwd, env, terminals }: SocketRequest,
  run: RunCommandLine,
  signal: AbortSignal,
): Promise<CommandAnswer> {
  const output: [number, string][] = [];
  const [stdout, stderr] = terminals.map((columns, i): Io['stdout'] => {
    const write = (text: string | Buffer, _encoding: string, done: () => void): void => {
      output.push([i + 1, text.toString()]);
      done();
    };
    const stream = new Writable({ decodeStrings: false, write });
    return Object.assign(stream, columns !== null && { isTTY: true, columns });
  }) as [Io['stdout'], Io['stdout']];
  const { dropCaches } = await import('../../../engine/reading/configured/configured-sources.ts');
  dropCaches(await context.loci());
  const exitCode = await run(argv, { stdin: Readable.from([]), stdout, stderr, env }, (options) => ({
    context: context.forCall({ ...options, cwd, signal }),
    explain: (error) => error,
    end: () => Promise.resolve(),
  }));
  return { exitCode, output };
}

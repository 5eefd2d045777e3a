import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { unlinkSync } from 'node:fs';
import { chmod, readdir, rename, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { ERROR_TABLE } from '../../../core/errors.ts';
import { systemErrorCode } from '../../../core/fs/file-errors.ts';
import type { OpenContext } from '../../../operations/context.ts';
import type { MakePageLink } from '../../shared/run-standalone.ts';
import { answerCommand, type RunCommandLine } from './answer.ts';
import { privateFolder } from './folder.ts';
import { LINK_REQUEST } from './page-link.ts';
import { parseRequest, RequestCheck } from './request.ts';

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
  const answerer = new Answerer(context, new RequestCheck(context), run, makeLink);
  try {
    const folder = await privateFolder(context.home);
    if (folder === null) return () => undefined;
    const path = await listen(answerer.server, folder);
    const remove = (): void => removeSocket(path);
    process.once('exit', remove);
    void removeDeadSockets(folder);
    return () => {
      process.off('exit', remove);
      remove();
      answerer.close();
    };
  } catch {
    // Commands open the store themselves.
    answerer.close();
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

/** Answers one request on each connection. */
class Answerer {
  readonly server: Server;
  readonly #context: OpenContext;
  readonly #check: RequestCheck;
  readonly #run: RunCommandLine;
  readonly #makeLink: MakePageLink | undefined;
  readonly #open = new Set<Socket>();

  constructor(context: OpenContext, check: RequestCheck, run: RunCommandLine, makeLink?: MakePageLink) {
    this.#context = context;
    this.#check = check;
    this.#run = run;
    this.#makeLink = makeLink;
    this.server = createServer((socket) => this.#serve(socket));
    this.server.maxConnections = MAX_CONNECTIONS;
  }

  close(): void {
    this.server.close();
    for (const socket of this.#open) socket.destroy();
  }

  #serve(socket: Socket): void {
    const gone = new AbortController();
    const chunks: Buffer[] = [];
    let bytes = 0;
    this.#open.add(socket.unref());
    socket.on('error', () => undefined);
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    socket.on('close', () => {
      this.#open.delete(socket);
      gone.abort();
    });
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_REQUEST_BYTES) socket.destroy();
      if (socket.destroyed || chunk.at(-1) !== LINE_FEED) return;
      // Further data is ignored, but the end of the connection has to be noticed.
      socket.off('data', onData).resume();
      void this.#answer(Buffer.concat(chunks).toString(), socket, gone.signal);
    };
    socket.on('data', onData);
  }

  async #answer(line: string, socket: Socket, signal: AbortSignal): Promise<void> {
    try {
      if (this.#makeLink !== undefined && line === LINK_REQUEST) {
        socket.end(message(await this.#makeLink()));
        return;
      }
      const asked = parseRequest(line);
      if (asked === null) throw new Error('this is not a request');
      const declined = await this.#check.reasonToDecline(asked);
      if (declined !== null) {
        const { settingsProblem: problem } = await this.#context.loci();
        socket.end(message({ declined, ...(problem !== null && { problem, process: process.pid }) }));
        return;
      }
      // The asking process does not wait long for this, and then for the answer.
      socket.write(message({ accepted: true }));
      const answer = await answerCommand(this.#context, asked, this.#run, signal);
      if (!ANSWERED_EXIT_CODES.includes(answer.exitCode)) throw new Error('the command failed here');
      socket.end(message(answer));
    } catch {
      // The asking process runs the command itself.
      socket.destroy();
    }
  }
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

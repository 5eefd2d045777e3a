import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { once } from 'node:events';
import { chmod, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { type ErrorCode, LociError, messageOf } from '../../core/errors.ts';
import type { Metrics } from './monitoring.ts';
import { PROBLEM_TYPE, problemOf, rawProblem, SECURITY_HEADERS } from './problem.ts';
import { systemErrorCode } from '../../core/fs/file-errors.ts';

/** Limits that protect the server from clients that send too much or too slowly. */
export const SERVER_LIMITS = {
  /** The largest body of a request. */
  maxBodyBytes: 2_000_000,
  /** How long the headers of a request may take to arrive. */
  headersTimeoutMs: 10_000,
  /** How long a request may take to arrive, and then how long its answer may take. */
  requestTimeoutMs: 30_000,
  /** How long an operation waits for others of its caller. The rest of the time that a request may take is left for its own work. */
  callerWaitMs: 10_000,
  /** How long requests may take to end when the server stops. Docker kills a container after 10 seconds. */
  shutdownTimeoutMs: 8000,
  /** Connections at the same time; further ones are closed. */
  maxConnections: 1000,
  /** Requests a second for each token, in bursts of up to twice as many; 0 sets no limit. */
  requestsPerSecond: 2000,
};
export type ServerLimits = Readonly<typeof SERVER_LIMITS>;

/** Limit of the request line and the headers together. */
const MAX_HEADER_BYTES = 16 * 1024;
/** How often slow connections are looked for. */
const CHECK_INTERVAL_MS = 500;
const KEEP_ALIVE_MS = 5000;
/** Pipelined requests of one connection: each holds its answer in memory until the client has read those before it. */
const MAX_PIPELINED = 16;

type Fetch = Parameters<typeof getRequestListener>[0];

interface ListenerOptions {
  readonly limits: ServerLimits;
  readonly metrics: Metrics;
  readonly fetch: Fetch;
  /** Lets the adapter replace the global `Request` and `Response` by lighter ones, which saves a third of the work. */
  readonly ownsProcess: boolean;
}

/** An HTTP server with limits for untrusted connections. */
interface Listener {
  readonly server: Server;
  /** Accepts no more connections and waits for running requests; after the timeout, their connections are closed. */
  end(timeoutMs: number): Promise<void>;
}

export function httpListener({ limits, metrics, fetch, ownsProcess }: ListenerOptions): Listener {
  const pending = new PendingResponses();
  const { headersTimeoutMs, requestTimeoutMs } = limits;
  let ending = false;
  const answer = getRequestListener(fetch, {
    errorHandler: invalidRequest,
    overrideGlobalObjects: ownsProcess,
  });
  const listen: RequestListener = (request, response) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    response.shouldKeepAlive &&= !ending;
    if (!pending.add(response, request.socket)) {
      request.socket.destroy();
      return;
    }
    // A client that does not read its answer is disconnected.
    response.once('prefinish', () => request.socket.setTimeout(requestTimeoutMs));
    void answer(request, response);
  };
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
    },
    listen,
  );
  server.maxConnections = limits.maxConnections;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    metrics.countInvalidRequest();
    rejectRequest(error, socket);
  });
  const end = async (timeoutMs: number): Promise<void> => {
    ending = true;
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    for (const response of pending.responses) if (!response.headersSent) response.shouldKeepAlive = false;
    server.closeIdleConnections();
    const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
    await closed;
    clearTimeout(timer);
  };
  return { server, end };
}

/** The answers that are not sent yet. */
class PendingResponses {
  readonly responses = new Set<ServerResponse>();
  readonly #waiting = new WeakMap<Socket, Set<ServerResponse>>();

  /** Returns false if the connection has too many already. */
  add(response: ServerResponse, socket: Socket): boolean {
    const waiting = this.#waitingOf(socket);
    if (waiting.size >= MAX_PIPELINED) return false;
    waiting.add(response);
    this.responses.add(response);
    response.once('close', () => {
      waiting.delete(response);
      this.responses.delete(response);
    });
    return true;
  }

  #waitingOf(socket: Socket): Set<ServerResponse> {
    const existing = this.#waiting.get(socket);
    if (existing !== undefined) return existing;
    const waiting = new Set<ServerResponse>();
    this.#waiting.set(socket, waiting);
    // Responses that have not started emit no `close` when the connection ends.
    socket.once('close', () => {
      for (const response of waiting) this.responses.delete(response);
    });
    return waiting;
  }
}

/** The answer to a request without a valid host or path, which never reaches the application. */
function invalidRequest(): Response {
  const id = randomUUID();
  const problem = problemOf(new LociError('invalid_input', 'the request has no valid path or host'), id);
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { 'Content-Type': PROBLEM_TYPE, 'X-Request-Id': id },
  });
}

function rejectRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, detail] = CLIENT_ERRORS[error.code ?? ''] ?? [
    'invalid_input',
    'this is not a valid HTTP request',
  ];
  socket.end(rawProblem(code, detail, randomUUID()));
  // A client that does not read the answer is disconnected.
  setTimeout(() => socket.destroy(), CHECK_INTERVAL_MS).unref();
}

const CLIENT_ERRORS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['too_large', `the headers are larger than ${String(MAX_HEADER_BYTES)} bytes`],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'the request did not arrive in time'],
};

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** The path of a Unix socket; when it is set, host and port are ignored. */
  readonly socket?: string | undefined;
}

/**
 * Starts to listen and returns the address as text: `http://127.0.0.1:8737` or `unix:/path`.
 * @throws LociError `conflict` when the address is in use, `unreadable` when the server cannot listen on it
 */
export async function bind(server: Server, { host, port, socket }: ListenAddress): Promise<string> {
  if (socket !== undefined) {
    await bindSocket(server, socket);
    return `unix:${socket}`;
  }
  await listen(server, { host, port }, `${host}:${String(port)}`);
  const { address, family, port: bound } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${String(bound)}`;
}

/** Removes the Unix socket of a server that has closed. */
export async function unbind({ socket }: ListenAddress): Promise<void> {
  if (socket !== undefined) await rm(socket, { force: true });
}

/**
 * Creates the socket in a temporary folder that only its owner may enter, sets its mode to 0600, and then moves it to its
 * path. So no other user can connect at any moment.
 */
async function bindSocket(server: Server, path: string): Promise<void> {
  await assertFree(path);
  const folder = await mkdtemp(join(dirname(path), '.loci-')).catch((error: unknown) => {
    throw cannotListen(error, path);
  });
  try {
    const temporary = join(folder, 's');
    await listen(server, { path: temporary }, path);
    await chmod(temporary, 0o600);
    await rename(temporary, path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A socket that a dead server left behind counts as free. @throws LociError `conflict` */
async function assertFree(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null) return;
  if (!found.isSocket())
    throw new LociError('conflict', `${path} exists already and is not a socket`, {
      hint: 'Set server.socket to another path.',
    });
  if (await accepts(path)) throw inUse(path, 'set server.socket to another path');
}

/** Whether a server accepts connections at this socket. */
function accepts(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (accepted: boolean) => () => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', end(true)).once('error', end(false));
  });
}

async function listen(
  server: Server,
  options: { readonly host: string; readonly port: number } | { readonly path: string },
  address: string,
): Promise<void> {
  try {
    server.listen(options);
    await once(server, 'listening');
  } catch (error) {
    const isInUse = systemErrorCode(error) === 'EADDRINUSE' && 'port' in options;
    throw isInUse ? inUse(address, 'choose another port with --port') : cannotListen(error, address);
  }
}

function inUse(address: string, alternative: string): LociError {
  return new LociError('conflict', `${address} is already in use`, {
    hint: `Stop the server that listens there, or ${alternative}.`,
  });
}

function cannotListen(error: unknown, address: string): LociError {
  return new LociError('unreadable', `cannot listen at ${address}: ${messageOf(error)}`, {
    hint: 'Check server.host, server.port or server.socket.',
    cause: error,
  });
}

import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import type { ErrorCode } from '../../../core/errors.ts';
import { LociError } from '../../../core/errors.ts';
import type { ServerLimits } from '../limits.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import { PROBLEM_TYPE, problemOf, rawProblem, SECURITY_HEADERS } from './problem.ts';

/** Bytes of the line and the headers of a request together. */
const MAX_HEADER_BYTES = 16 * 1024;
/** How often connections that are too slow are looked for, in milliseconds. */
const CHECK_EVERY = 500;
const KEEP_ALIVE = 5000;
/** Requests of one connection that are not answered yet: each keeps its answer until those before it are read. */
const MAX_WAITING = 16;

type Fetch = Parameters<typeof getRequestListener>[0];

export interface ListenerOptions {
  readonly limits: ServerLimits;
  readonly metrics: Metrics;
  readonly fetch: Fetch;
  /** Lets the adapter put lighter `Request` and `Response` in place of the global ones: a third less work a request. */
  readonly ownsProcess: boolean;
}

/** A server of Node's that trusts no connection, and how it ends. */
export interface Listener {
  readonly server: Server;
  /** Takes no more connections; resolves when all answers are given, or the time (ms) is over and the rest is cut off. */
  end(deadline: number): Promise<void>;
}

export function httpListener({ limits, metrics, fetch, ownsProcess }: ListenerOptions): Listener {
  const running = new Running();
  const { headersTimeoutMs, requestTimeoutMs } = limits;
  let ending = false;
  const answer = getRequestListener(fetch, { errorHandler: unreadable, overrideGlobalObjects: ownsProcess });
  const listen: RequestListener = (request, response) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    response.shouldKeepAlive &&= !ending;
    if (!running.add(response, request.socket)) {
      request.socket.destroy();
      return;
    }
    // Whoever does not read an answer holds the connection no longer than one that is slow to ask.
    response.once('prefinish', () => request.socket.setTimeout(requestTimeoutMs));
    void answer(request, response);
  };
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: KEEP_ALIVE,
      connectionsCheckingInterval: CHECK_EVERY,
    },
    listen,
  );
  server.maxConnections = limits.maxConnections;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    metrics.broken();
    refuse(error, socket);
  });
  const end = async (deadline: number): Promise<void> => {
    ending = true;
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    for (const response of running.responses) if (!response.headersSent) response.shouldKeepAlive = false;
    server.closeIdleConnections();
    const timer = setTimeout(() => server.closeAllConnections(), deadline);
    await closed;
    clearTimeout(timer);
  };
  return { server, end };
}

/** Answers that are not sent yet. */
class Running {
  readonly responses = new Set<ServerResponse>();
  readonly #waiting = new WeakMap<Socket, Set<ServerResponse>>();

  /** False where a connection has too many of them already. */
  add(response: ServerResponse, socket: Socket): boolean {
    const waiting = this.#waitingOf(socket);
    if (waiting.size >= MAX_WAITING) return false;
    waiting.add(response);
    this.responses.add(response);
    response.once('close', () => {
      waiting.delete(response);
      this.responses.delete(response);
    });
    return true;
  }

  #waitingOf(socket: Socket): Set<ServerResponse> {
    const known = this.#waiting.get(socket);
    if (known !== undefined) return known;
    const waiting = new Set<ServerResponse>();
    this.#waiting.set(socket, waiting);
    // What never had its turn is not told that the connection has ended.
    socket.once('close', () => {
      for (const response of waiting) this.responses.delete(response);
    });
    return waiting;
  }
}

/** What never becomes a request of the application: no host, an impossible path. */
function unreadable(): Response {
  const id = randomUUID();
  const problem = problemOf(new LociError('invalid_input', 'the request has no readable path or host'), id);
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { 'Content-Type': PROBLEM_TYPE, 'X-Request-Id': id },
  });
}

function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, detail] = FAULTS[error.code ?? ''] ?? ['invalid_input', 'this is no HTTP request'];
  socket.end(rawProblem(code, detail, randomUUID()));
  // Whoever does not read it holds the connection no longer.
  setTimeout(() => socket.destroy(), CHECK_EVERY).unref();
}

const FAULTS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['too_large', `the headers are larger than ${String(MAX_HEADER_BYTES)} bytes`],
  ERR_HTTP_REQUEST_TIMEOUT: ['timed_out', 'the request did not arrive in time'],
};

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

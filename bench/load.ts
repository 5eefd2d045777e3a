import { setMaxListeners } from 'node:events';
import { Agent, request } from 'node:http';

/** One request of the load. */
export interface LoadRequest {
  readonly path: string;
  readonly token: string;
  readonly body: string;
}

export interface LoadResult {
  /** Milliseconds from the time at which each request was due, not sent, so that waiting counts. */
  readonly times: readonly number[];
  /** Number of requests whose status was not 200. */
  readonly failed: number;
  /** From the first request to the last response. */
  readonly seconds: number;
}

/** Maximum number of connections: as many as a few dozen agents have. */
const MAX_CONNECTIONS = 64;
/** The time from the last due request until all requests without a response have failed. */
const RESPONSE_TIMEOUT_MS = 3000;
/** The interval between two checks for due requests. */
const CHECK_INTERVAL_MS = 2;

/** Sends requests at a constant rate and does not wait for responses. */
export async function applyLoad(
  port: number,
  perSecond: number,
  requests: readonly LoadRequest[],
): Promise<LoadResult> {
  const controller = new AbortController();
  // Each request adds a listener.
  setMaxListeners(0, controller.signal);
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS });
  const times: number[] = [];
  let failed = 0;
  const started = performance.now();
  const responses: Promise<void>[] = [];
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(requests.length, Math.floor(((performance.now() - started) / 1000) * perSecond));
      while (responses.length < due) {
        const dueAt = started + (responses.length / perSecond) * 1000;
        const response = send({ agent, port, signal: controller.signal }, requests[responses.length]!).then(
          (status) => {
            if (status !== 200) failed += 1;
            times.push(performance.now() - dueAt);
          },
        );
        responses.push(response);
      }
      if (due < requests.length) return;
      clearInterval(timer);
      resolve();
    }, CHECK_INTERVAL_MS);
  });
  const timeout = setTimeout(() => controller.abort(), RESPONSE_TIMEOUT_MS);
  await Promise.all(responses);
  clearTimeout(timeout);
  agent.destroy();
  return { times, failed, seconds: (performance.now() - started) / 1000 };
}

/** Sends a request. Returns the status, or 0 without a response. */
function send(
  connection: { readonly agent: Agent; readonly port: number; readonly signal: AbortSignal },
  { path, token, body }: LoadRequest,
): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((resolve) => {
    const outgoing = request(
      { ...connection, host: '127.0.0.1', path, method: 'POST', headers },
      (response) => {
        response
          .resume()
          .on('end', () => {
            resolve(response.statusCode ?? 0);
          })
          .on('error', () => {
            resolve(0);
          });
      },
    );
    outgoing.on('error', () => {
      resolve(0);
    });
    outgoing.end(body);
  });
}

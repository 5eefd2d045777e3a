import { setMaxListeners } from 'node:events';
import { Agent, request } from 'node:http';

/** One request of the load. */
export interface LoadRequest {
  readonly path: string;
  readonly token: string;
  readonly body: string;
}

export interface LoadResult {
  /** Milliseconds from the time each request was due, not from when it was sent, so that waiting counts. */
  readonly times: readonly number[];
  /** Number of answers other than 200. */
  readonly failed: number;
  /** From the first request to the last answer. */
  readonly seconds: number;
}

/** Maximum number of connections: as many as a few dozen agents have. */
const CONNECTIONS = 64;
/** Milliseconds after the last request was due. A request without an answer by then has failed. */
const PATIENCE = 3000;
/** Milliseconds between two checks for due requests. */
const TICK = 2;

/** Sends requests at a constant rate, whether or not earlier ones were answered. */
export async function applyLoad(
  port: number,
  perSecond: number,
  requests: readonly LoadRequest[],
): Promise<LoadResult> {
  const over = new AbortController();
  // Each request adds a listener.
  setMaxListeners(0, over.signal);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const times: number[] = [];
  let failed = 0;
  const started = performance.now();
  const answers: Promise<void>[] = [];
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(requests.length, Math.floor(((performance.now() - started) / 1000) * perSecond));
      while (answers.length < due) {
        const at = started + (answers.length / perSecond) * 1000;
        const answered = send({ agent, port, signal: over.signal }, requests[answers.length]!).then(
          (status) => {
            if (status !== 200) failed += 1;
            times.push(performance.now() - at);
          },
        );
        answers.push(answered);
      }
      if (due < requests.length) return;
      clearInterval(timer);
      resolve();
    }, TICK);
  });
  const patience = setTimeout(() => over.abort(), PATIENCE);
  await Promise.all(answers);
  clearTimeout(patience);
  agent.destroy();
  return { times, failed, seconds: (performance.now() - started) / 1000 };
}

/** Returns the status, or 0 without an answer. */
function send(
  to: { readonly agent: Agent; readonly port: number; readonly signal: AbortSignal },
  { path, token, body }: LoadRequest,
): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((resolve) => {
    const sent = request({ ...to, host: '127.0.0.1', path, method: 'POST', headers }, (response) => {
      response
        .resume()
        .on('end', () => {
          resolve(response.statusCode ?? 0);
        })
        .on('error', () => {
          resolve(0);
        });
    });
    sent.on('error', () => {
      resolve(0);
    });
    sent.end(body);
  });
}

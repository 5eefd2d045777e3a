import type { IncomingMessage, ServerResponse } from 'node:http';
import { LociError } from '../../core/errors.ts';
import { CHANGE_KINDS, type ChangeKind, ChangeWatch } from '../../engine/changes/change-watch.ts';
import type { EngineContext } from '../../engine/context.ts';
import type { Identity } from './authenticate.ts';
import { escapeControlJson } from '../shared/escape-control.ts';
import type { Progress } from '../../core/progress.ts';
import type { ProblemDetails } from './problem.ts';

/** Connections of one caller. A browser has at most six to a server without TLS. */
const MAX_CONNECTIONS = 16;
/** How often a caller is authenticated again. */
const CHECK_INTERVAL_MS = 1000;

interface EventsOptions {
  readonly loci: () => Promise<EngineContext>;
  /** @throws LociError `unauthorized`, `forbidden` when the request would no longer be answered */
  readonly identify: (request: IncomingMessage) => Promise<Identity>;
}

/** Tells callers what changes in their namespace, as server-sent events. */
export class Events {
  readonly #options: EventsOptions;
  readonly #connections = new Map<string, number>();

  constructor(options: EventsOptions) {
    this.#options = options;
  }

  /** @throws LociError `rate_limited` for too many connections of the caller, and what the store throws */
  async open(
    request: IncomingMessage,
    response: ServerResponse,
    { caller, key }: Identity,
  ): Promise<Response> {
    const open = this.#connections.get(key) ?? 0;
    if (open >= MAX_CONNECTIONS)
      throw new LociError('rate_limited', `${String(open)} connections for events are open already`, {
        hint: 'Close one of them.',
      });
    this.#connections.set(key, open + 1);
    const stream = new EventStream(response);
    const pending = new Set<ChangeKind>();
    const send = (): void => {
      if (pending.size === 0 || stream.isFull) return;
      stream.send('change', JSON.stringify({ kinds: [...pending] }));
      pending.clear();
    };
    const check = setInterval(() => void this.#check(request, stream), CHECK_INTERVAL_MS).unref();
    stream.signal.addEventListener('abort', () => {
      clearInterval(check);
      this.#release(key);
    });
    const watch = (await this.#options.loci()).shared(ChangeWatch);
    const stop = await watch.watch(caller.namespace, {
      onChange: (kinds) => {
        for (const kind of kinds) pending.add(kind);
        send();
      },
      onEnd: () => stream.end(),
    });
    stream.signal.addEventListener('abort', stop);
    if (stream.signal.aborted) stop();
    // Of what happened before, the client knows nothing.
    stream.send('ready', JSON.stringify({ kinds: CHANGE_KINDS }));
    return stream.response;
  }

  async #check(request: IncomingMessage, stream: EventStream): Promise<void> {
    await this.#options.identify(request).catch((error: unknown) => {
      // A store that is busy says nothing about the caller.
      if (error instanceof LociError && ['unauthorized', 'forbidden'].includes(error.code)) stream.end();
    });
  }

  #release(key: string): void {
    const open = (this.#connections.get(key) ?? 1) - 1;
    if (open === 0) this.#connections.delete(key);
    else this.#connections.set(key, open);
  }
}

export const EVENT_STREAM_TYPE = 'text/event-stream';
/** A comment this often shows that the connection works. */
const HEARTBEAT_MS = 20_000;
/** Events that wait for the client. */
const MAX_WAITING = 8;

/** An answer of server-sent events (HTML Living Standard, section 9.2), until it is ended or the client has gone. */
export class EventStream {
  readonly #body: ReadableStream<Uint8Array>;
  readonly #encoder = new TextEncoder();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #ended = new AbortController();
  #controller!: ReadableStreamDefaultController<Uint8Array>;

  constructor(response: ServerResponse, heartbeatMs: number = HEARTBEAT_MS) {
    // A client that reads nothing for so long, not even the last event, is disconnected.
    response.socket?.setTimeout(2 * heartbeatMs);
    this.#body = new ReadableStream(
      {
        start: (controller) => void (this.#controller = controller),
        // The server gives the body up when the client has gone, which may be before the answer is closed.
        cancel: () => this.#stop(),
      },
      { highWaterMark: MAX_WAITING },
    );
    this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs).unref();
    response.once('close', () => this.#stop());
  }

  /** The connection is closed afterwards, because a server that stops does not wait for it. */
  get response(): Response {
    return new Response(this.#body, {
      headers: { 'Content-Type': EVENT_STREAM_TYPE, Connection: 'close', 'X-Accel-Buffering': 'no' },
    });
  }

  /** Aborted when it was ended or the client has gone. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Whether the client does not read what was sent. */
  get isFull(): boolean {
    return (this.#controller.desiredSize ?? 0) <= 0;
  }

  /** @param json one line */
  send(event: string, json: string): void {
    this.#write(`event: ${event}\ndata: ${escapeControlJson(json).replaceAll('\n', ' ')}\n\n`);
  }

  end(): void {
    if (this.signal.aborted) return;
    this.#stop();
    this.#controller.close();
  }

  #beat(): void {
    if (!this.isFull) this.#write(': \n\n');
  }

  #write(text: string): void {
    if (!this.signal.aborted) this.#controller.enqueue(this.#encoder.encode(text));
  }

  #stop(): void {
    clearInterval(this.#heartbeat);
    this.#ended.abort();
  }
}

/** Between two events of one stage. */
const INTERVAL_MS = 200;

interface StreamedWork {
  /** Returns the output as JSON. It is aborted when the client disconnects. */
  readonly run: (signal: AbortSignal, onProgress: (progress: Progress) => void) => Promise<string>;
  /** Describes an error of the work. */
  readonly problemOf: (error: unknown) => ProblemDetails;
}

/** Answers with events while work runs: `progress`, as often as it tells something, and at last `result` or `problem`. */
export function streamOperation(response: ServerResponse, { run, problemOf }: StreamedWork): Response {
  const stream = new EventStream(response);
  const gone = new AbortController();
  stream.signal.addEventListener('abort', () => {
    gone.abort(new LociError('aborted', 'the client has disconnected'));
  });
  const work = run(gone.signal, progressEvents(stream)).then(
    (json) => stream.send('result', json),
    (error: unknown) => stream.send('problem', JSON.stringify(problemOf(error))),
  );
  void work.finally(() => stream.end());
  return stream.response;
}

/** Reports progress as events. A client that reads slowly gets fewer. */
function progressEvents(stream: EventStream): (progress: Progress) => void {
  let current = '';
  let sentAt = Number.NEGATIVE_INFINITY;
  return ({ stage, subject, done, total }) => {
    const now = performance.now();
    const isNew = current !== `${stage} ${subject}`;
    if (stream.isFull || !(isNew || done === total || now - sentAt >= INTERVAL_MS)) return;
    current = `${stage} ${subject}`;
    sentAt = now;
    stream.send('progress', JSON.stringify({ stage, subject, done, total }));
  };
}

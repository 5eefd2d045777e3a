import type { ServerResponse } from 'node:http';
import { escapeControlJson } from '../../shared/escape-control.ts';

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

import { type Readable, Transform, type Writable } from 'node:stream';
import type {
  JSONRPCMessage,
  RequestId,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/** A record may have 1 MiB, and its JSON form at most six times as much. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/**
 * MCP on standard input and output. When its input ends, the transport of the library drops requests that are not answered
 * yet; this one answers them first, so that no write is interrupted and `echo REQUEST | loci mcp` works.
 */
export class DrainingStdioTransport implements Transport {
  onclose?: NonNullable<Transport['onclose']>;
  onerror?: NonNullable<Transport['onerror']>;
  onmessage?: NonNullable<Transport['onmessage']>;
  /** Resolves when either side has closed it. */
  readonly ended: Promise<void>;
  readonly #end: () => void;
  readonly #input: Readable;
  readonly #gate: Transform;
  readonly #wire: StdioServerTransport;
  readonly #afterFirstAnswer: () => void;
  readonly #openRequests = new Set<RequestId>();
  #hasAnswered = false;
  #whenDrained: (() => void) | null = null;

  constructor(input: Readable, output: Writable, afterFirstAnswer: () => void) {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.ended = promise;
    this.#end = () => resolve(undefined);
    this.#input = input;
    this.#afterFirstAnswer = afterFirstAnswer;
    this.#gate = new Transform({
      transform: (chunk: Buffer, _encoding, done) => done(null, chunk),
      flush: (done) => {
        this.#whenDrained = done;
        // The requests in the last chunk reach the server after this turn of the event loop.
        setImmediate(() => this.#endIfDrained());
      },
    });
    this.#wire = new StdioServerTransport(this.#gate, output, { maxBufferSize: MAX_MESSAGE_BYTES });
  }

  async start(): Promise<void> {
    this.#wire.onclose = () => {
      this.#input.destroy();
      this.onclose?.();
      this.#end();
    };
    this.#wire.onerror = (error) => this.onerror?.(error);
    this.#wire.onmessage = (message) => {
      if ('method' in message && 'id' in message) this.#openRequests.add(message.id);
      if ('method' in message && message.method === 'notifications/cancelled') {
        this.#openRequests.delete(message.params?.['requestId'] as RequestId);
        this.#endIfDrained();
      }
      this.onmessage?.(message);
    };
    await this.#wire.start();
    this.#input.on('error', (error) => this.onerror?.(error)).pipe(this.#gate);
  }

  async send(message: JSONRPCMessage, _options?: TransportSendOptions): Promise<void> {
    await this.#wire.send(message);
    if ('method' in message) return;
    if (message.id !== undefined) this.#openRequests.delete(message.id);
    if (!this.#hasAnswered) setImmediate(this.#afterFirstAnswer);
    this.#hasAnswered = true;
    this.#endIfDrained();
  }

  /** Stops reading, answers the open requests, then closes. */
  drain(): void {
    this.#input.unpipe(this.#gate);
    this.#gate.end();
  }

  async close(): Promise<void> {
    await this.#wire.close();
  }

  #endIfDrained(): void {
    if (this.#openRequests.size > 0 || this.#whenDrained === null) return;
    const done = this.#whenDrained;
    this.#whenDrained = null;
    done();
  }
}

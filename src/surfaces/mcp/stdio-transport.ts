import { type Readable, Transform, type Writable } from 'node:stream';
import type {
  JSONRPCMessage,
  RequestId,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/** Bytes of the longest message: a record of 1 MiB takes at most six times as much as JSON. */
const MAX_MESSAGE = 16 * 1024 * 1024;

/**
 * Standard input and output. The library's own transport drops whatever is not yet answered when its input ends; here
 * the end waits for the answers, so that no write is cut off and `echo REQUEST | loci mcp` answers.
 */
export class DrainingStdioTransport implements Transport {
  onclose?: NonNullable<Transport['onclose']>;
  onerror?: NonNullable<Transport['onerror']>;
  onmessage?: NonNullable<Transport['onmessage']>;
  /** Resolves when it is closed, from either side. */
  readonly ended: Promise<void>;
  readonly #end: () => void;
  readonly #input: Readable;
  readonly #gate: Transform;
  readonly #wire: StdioServerTransport;
  readonly #afterFirstAnswer: () => void;
  readonly #open = new Set<RequestId>();
  #answered = false;
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
        // What the last chunk asked is on its way to the server.
        setImmediate(() => this.#endIfDrained());
      },
    });
    this.#wire = new StdioServerTransport(this.#gate, output, { maxBufferSize: MAX_MESSAGE });
  }

  async start(): Promise<void> {
    this.#wire.onclose = () => {
      this.#input.destroy();
      this.onclose?.();
      this.#end();
    };
    this.#wire.onerror = (error) => this.onerror?.(error);
    this.#wire.onmessage = (message) => {
      if ('method' in message && 'id' in message) this.#open.add(message.id);
      if ('method' in message && message.method === 'notifications/cancelled') {
        this.#open.delete(message.params?.['requestId'] as RequestId);
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
    if (message.id !== undefined) this.#open.delete(message.id);
    if (!this.#answered) setImmediate(this.#afterFirstAnswer);
    this.#answered = true;
    this.#endIfDrained();
  }

  /** Reads no more, answers what is open, then closes. */
  drain(): void {
    this.#input.unpipe(this.#gate);
    this.#gate.end();
  }

  async close(): Promise<void> {
    await this.#wire.close();
  }

  #endIfDrained(): void {
    if (this.#open.size > 0 || this.#whenDrained === null) return;
    const done = this.#whenDrained;
    this.#whenDrained = null;
    done();
  }
}

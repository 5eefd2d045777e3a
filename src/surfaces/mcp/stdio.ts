import { randomUUID } from 'node:crypto';
import { type Readable, Transform, type Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type {
  JSONRPCMessage,
  RequestId,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/server';
import { ERROR_TABLE, LociError, messageOf } from '../../core/errors.ts';
import type { ContextOptions, OpenContext } from '../../operations/context.ts';
import { commandWords } from '../shared/command-names.ts';
import { escapeControl } from '../shared/escape-control.ts';
import type { Io } from '../shared/io.ts';
import type { AnswerCommands, RunStandalone } from '../shared/run-standalone.ts';
import { STOP_SIGNALS } from '../shared/stop-signals.ts';
import { mcpServer, withoutNullArguments } from './server.ts';
import type { McpSession } from './session.ts';

/** A client starts a process for each of its sessions. */
const CALLER = { surface: 'mcp', trust: 'agent', session: randomUUID() } as const;

/** Runs `loci mcp`: serves one client on standard input and output, until either is closed. */
export const serveMcp: RunStandalone = async ({ home }, io, { answerCommands }) => {
  const interruption = new AbortController();
  const ended = new AbortController();
  const context = lazyContext({
    caller: CALLER,
    env: io.env,
    onWarning: (message) => log(`warning: ${message}`, io),
    ...(home !== undefined && { home }),
  });
  const session: McpSession = {
    context,
    scopes: new Set(['read', 'write']),
    forbiddenHint: ({ name }) =>
      `Only the owner can do this, on the command line: \`loci ${commandWords(name).join(' ')}\`.`,
    signal: interruption.signal,
    callerOf: (client) => ({ ...CALLER, ...(client !== undefined && { actor: client }) }),
  };
  const transport = new DrainingStdioTransport(
    io.stdin,
    io.stdout as Writable,
    () => void warmUp({ open: context, answerCommands, io, ended: ended.signal }),
  );
  const stop = (): void => {
    if (interruption.signal.aborted) process.exit(ERROR_TABLE.aborted.exit);
    interruption.abort(new LociError('aborted', 'the server was stopped'));
    transport.drain();
  };
  for (const signal of STOP_SIGNALS) process.on(signal, stop);
  if ('isTTY' in io.stdin && io.stdin.isTTY === true)
    log('this command is for agents, which speak MCP; see `loci mcp config CLIENT`', io);
  try {
    serveStdio(() => mcpServer(session), { transport, onerror: (error) => log(reasonOf(error), io) });
    await transport.ended;
  } finally {
    ended.abort();
    await (await context()).close();
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
  }
  return 0;
};

/** The modules of a context load after `initialize` has been answered. */
function lazyContext(options: ContextOptions): McpSession['context'] {
  let context: Promise<OpenContext> | undefined;
  return () => {
    context ??= import('../../operations/context.ts').then(({ createContext }) => createContext(options));
    return context;
  };
}

const RETRY_INTERVAL_MS = 5000;

interface WarmUpOptions {
  readonly open: McpSession['context'];
  readonly answerCommands: AnswerCommands;
  readonly io: Io;
  readonly ended: AbortSignal;
}

/**
 * Opens the store and loads the tools before the first call needs them, and keeps sources fresh. While there is no store,
 * or it cannot be opened, this is tried again: the owner, or the first record that the agent writes, may resolve it.
 */
async function warmUp(server: WarmUpOptions): Promise<void> {
  const { io, ended } = server;
  const logged = new Set<string>();
  const logOnce = (message: string): void => {
    if (!logged.has(message)) log(message, io);
    logged.add(message);
  };
  while (!(await tryToWarmUp(server, logOnce))) {
    await delay(RETRY_INTERVAL_MS, undefined, { ref: false, signal: ended }).catch(() => undefined);
  }
}

/** Returns whether nothing is left to do. */
async function tryToWarmUp(
  { open, answerCommands, io, ended }: WarmUpOptions,
  logOnce: (message: string) => void,
): Promise<boolean> {
  try {
    const context = await open();
    const { values, warnings } = await context.loadConfig();
    if (values.log.level !== 'error') for (const warning of warnings) logOnce(`warning: ${warning}`);
    // A store that is opened after the end would never be closed.
    if (ended.aborted) return true;
    const { loadToolbox } = await import('./toolbox.ts');
    const [loci] = await Promise.all([context.loci(), loadToolbox()]);
    const { keepFresh } = await import('../../engine/reading/sources.ts');
    keepFresh(loci, {
      onEvent: (event) => {
        if (event.kind === 'failed' || event.kind === 'waiting') log(event.error.message, io);
      },
    });
    const listening = answerCommands(context);
    ended.addEventListener('abort', () => void listening.then((stop) => stop()), { once: true });
    return true;
  } catch (error) {
    const isMissing = error instanceof LociError && error.code === 'store_not_found';
    // The client may close its input before the store is open.
    if (!isMissing && !ended.aborted) logOnce(messageOf(error));
    return ended.aborted;
  }
}

/** The library describes an invalid message by every form that a message can have, which fills a screen. */
function reasonOf({ name, message }: Error): string {
  return name === 'ZodError' ? 'the client sent a message that is not MCP' : message;
}

/** Standard output belongs to the protocol. */
function log(message: string, io: Io): void {
  io.stderr.write(`loci: ${escapeControl(message)}\n`);
}

/** A record may have 1 MiB, and its JSON form at most six times as much. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const LINE_FEED = 10;

/**
 * MCP on standard input and output. When its input ends, the transport of the library drops requests that are not answered
 * yet; this one answers them first, so that no write is interrupted and `echo REQUEST | loci mcp` works.
 */
class DrainingStdioTransport implements Transport {
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
  #lastByte: number | undefined = LINE_FEED;
  #whenDrained: (() => void) | null = null;

  constructor(input: Readable, output: Writable, afterFirstAnswer: () => void) {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.ended = promise;
    this.#end = () => resolve(undefined);
    this.#input = input;
    this.#afterFirstAnswer = afterFirstAnswer;
    this.#gate = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.#lastByte = chunk.at(-1);
        done(null, chunk);
      },
      flush: (done) => {
        // The last line may have no line break, as with `printf REQUEST | loci mcp`.
        if (this.#input.readableEnded && this.#lastByte !== LINE_FEED) this.#gate.push('\n');
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
      this.onmessage?.(withoutNullArguments(message));
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

import { randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { ERROR_TABLE, LociError, messageOf } from '../../core/errors.ts';
import type { ContextOptions, OpenContext } from '../../operations/context.ts';
import { commandWords } from '../shared/command-names.ts';
import { escapeControl } from '../shared/escape-control.ts';
import type { Io } from '../shared/io.ts';
import type { AnswerCommands, RunStandalone } from '../shared/run-standalone.ts';
import { STOP_SIGNALS } from '../shared/stop-signals.ts';
import { mcpServer } from './server.ts';
import type { McpSession } from './session.ts';
import { DrainingStdioTransport } from './stdio-transport.ts';

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
    const { loadToolbox } = await import('./answers.ts');
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

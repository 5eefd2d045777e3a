import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { ERROR_TABLE, LociError, messageOf } from '../../core/errors.ts';
import type { ContextOptions, OpenContext } from '../../operations/context.ts';
import type { Io } from '../shared/io.ts';
import { escapeControl } from '../shared/escape-control.ts';
import type { RunServer } from '../shared/run-server.ts';
import { commandWords } from '../shared/command-names.ts';
import { mcpServer } from './server.ts';
import type { McpSession } from './session.ts';
import { DrainingStdioTransport } from './stdio-transport.ts';
import { loadToolbox } from './toolbox.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
const CALLER: ContextOptions['caller'] = { surface: 'mcp', trust: 'agent' };

/** `loci mcp`: serves whoever holds the other ends of standard input and output, until either is closed. */
export const serveMcp: RunServer = async ({ home }, io) => {
  const interruption = new AbortController();
  const over = new AbortController();
  const context = lazyContext({ caller: CALLER, env: io.env, ...(home !== undefined && { home }) });
  const session: McpSession = {
    context,
    scopes: new Set(['read', 'write']),
    hintBeyond: ({ name }) =>
      `It is the owner’s alone, on the command line: \`loci ${commandWords(name).join(' ')}\`.`,
    signal: interruption.signal,
    callerOf: (client) => ({ ...CALLER, ...(client !== undefined && { actor: client }) }),
  };
  const transport = new DrainingStdioTransport(
    io.stdin,
    io.stdout as Writable,
    () => void keepPrepared(context, io, over.signal),
  );
  const stop = (): void => {
    if (interruption.signal.aborted) process.exit(ERROR_TABLE.aborted.exit);
    interruption.abort(new LociError('aborted', 'the server was stopped'));
    transport.drain();
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  if ('isTTY' in io.stdin && io.stdin.isTTY === true)
    log('an agent is to speak MCP here; `loci mcp config CLIENT` says how one starts this', io);
  try {
    serveStdio(() => mcpServer(session), { transport, onerror: (error) => log(error.message, io) });
    await transport.ended;
  } finally {
    over.abort();
    await (await context()).close();
    for (const signal of SIGNALS) process.off(signal, stop);
  }
  return 0;
};

/** Loaded after `initialize` has been answered. */
function lazyContext(options: ContextOptions): McpSession['context'] {
  let context: Promise<OpenContext> | undefined;
  return () => {
    context ??= import('../../operations/context.ts').then(({ createContext: openContext }) =>
      openContext(options),
    );
    return context;
  };
}

/** Milliseconds between two looks whether there is a store by now. */
const LOOK = 5000;

/**
 * Does what the first call would wait for while nobody waits, and keeps sources fresh. Where there is no store yet, or what
 * there is cannot be opened, that is tried again: the owner, or the agent's first record, puts it right.
 */
async function keepPrepared(open: McpSession['context'], io: Io, over: AbortSignal): Promise<void> {
  const told = new Set<string>();
  const tell = (message: string): void => {
    if (!told.has(message)) log(message, io);
    told.add(message);
  };
  while (!(await isPrepared(open, io, over, tell))) {
    await delay(LOOK, undefined, { ref: false, signal: over }).catch(() => undefined);
  }
}

/** Whether nothing is left to do. Whatever fails here fails again where it can be told. */
async function isPrepared(
  open: McpSession['context'],
  io: Io,
  over: AbortSignal,
  tell: (message: string) => void,
): Promise<boolean> {
  try {
    const context = await open();
    const { values, warnings } = await context.loadConfig();
    if (values.log.level !== 'error') for (const warning of warnings) tell(`warning: ${warning}`);
    // What is opened after the end nobody would close.
    if (over.aborted) return true;
    const [loci] = await Promise.all([context.loci(), loadToolbox()]);
    loci.sources.keepFresh({
      onEvent: (event) => {
        if (event.kind === 'failed' || event.kind === 'waiting') log(event.error.message, io);
      },
    });
    return true;
  } catch (error) {
    const nothingYet = error instanceof LociError && error.code === 'store_not_found';
    if (!nothingYet) tell(messageOf(error));
    return over.aborted;
  }
}

/** Standard output is the protocol's. */
function log(what: string, io: Io): void {
  io.stderr.write(`loci: ${escapeControl(what)}\n`);
}

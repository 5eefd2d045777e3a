import type { DestinationStream, Logger } from 'pino';
import { LociError } from '../../core/errors.ts';
import { type OperationEntry, OPERATIONS } from '../../operations/registry.ts';
import type {
  AnswerCommands,
  MakePageLink,
  PageLink,
  RunStandalone,
  StandaloneCall,
} from '../shared/run-standalone.ts';
import { exitOnStop, waitForStop } from '../shared/stop-signals.ts';
import { type McpEndpoint, mcpHandler } from '../mcp/server.ts';
import {
  bind,
  httpListener,
  type ListenAddress,
  SERVER_LIMITS,
  type ServerLimits,
  unbind,
} from './listener.ts';
import type { RefreshEvent } from '../../engine/reading/refresh-scheduler.ts';
import { CallerLimit } from '../../operations/caller-limit.ts';
import { createContext, type OpenContext } from '../../operations/context.ts';
import { restApp } from './app.ts';
import { Authenticator, RateLimit } from './authenticate.ts';
import { HostGuard } from './hosts.ts';
import { jwtVerifier } from './jwt.ts';
import { onSlowStatement } from '../../store/sql/calls/activity.ts';
import { logSlowStatement, Metrics, openLog, Readiness } from './monitoring.ts';
import { PageSessions } from './page-sessions.ts';
import { routesOf } from './request-input.ts';
import { WebFiles } from './web.ts';

/** Runs `loci serve` until it receives a stop signal; a second one stops it at once. */
export const serveRest: RunStandalone = async (call, io, { answerCommands }) => {
  const starting = exitOnStop();
  const running = await serve({
    home: call.home,
    env: io.env,
    entries: OPERATIONS,
    listenAt: listenAddressOf(call),
    ownsProcess: true,
    mcp: mcpHandler,
    answerCommands,
  });
  starting[Symbol.dispose]();
  io.stderr.write(`Loci listens at ${running.address}; Ctrl-C stops it.\n`);
  await waitForStop();
  await running.close();
  return 0;
};

/** @throws LociError `invalid_input` */
function listenAddressOf({ options }: StandaloneCall): Partial<ListenAddress> {
  const { host, port, socket } = options;
  if (typeof port === 'string' && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535))
    throw new LociError(
      'invalid_input',
      `--port must be a whole number from 0 to 65535, not ${JSON.stringify(port)}`,
    );
  // A host or port on the command line overrides a socket in the settings.
  const usesTcp = typeof host === 'string' || typeof port === 'string';
  return {
    ...(typeof host === 'string' && { host }),
    ...(typeof port === 'string' && { port: Number(port) }),
    ...(usesTcp && { socket: undefined }),
    ...(typeof socket === 'string' && { socket }),
  };
}

export interface ServeOptions {
  readonly home?: string | undefined;
  readonly env?: NodeJS.ProcessEnv;
  /** The operations to serve. */
  readonly entries: readonly OperationEntry[];
  /** Overrides the settings. */
  readonly listenAt?: Partial<ListenAddress>;
  /** Overrides the default limits, for tests. */
  readonly limits?: Partial<ServerLimits>;
  /** See `OpenOptions`. Default false. A test starts a server in half the time with it. */
  readonly inlineStore?: boolean;
  /** Default: standard error. */
  readonly logTo?: DestinationStream;
  /** Whether the server may replace global classes, because nothing else runs in this process. */
  readonly ownsProcess?: boolean;
  /** The folder of the built web page, for tests. Default: that of the package. */
  readonly webFolder?: string;
  /** Creates the endpoint for `/mcp`. */
  readonly mcp?: (context: OpenContext) => McpEndpoint;
  /** Answers commands of the owner with the open engine. */
  readonly answerCommands?: AnswerCommands;
}

export interface RunningServer {
  /** `http://127.0.0.1:8737`, or `unix:` and a path. */
  readonly address: string;
  readonly log: Logger;
  readonly makeLink: MakePageLink;
  /** Waits for running requests, then closes the store. */
  close(): Promise<void>;
}

/**
 * Serves the operations over HTTP until the server is closed. Creates the store if there is none.
 * @throws LociError `invalid_config`, `conflict` if the address is in use, and what opening the store throws
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { home, env = process.env, entries, listenAt = {}, ownsProcess = false, mcp } = options;
  const caller = { surface: 'rest', trust: 'agent' } as const;
  const limits = { ...SERVER_LIMITS, ...options.limits };
  const limit = new CallerLimit(limits.callerWaitMs);
  const { inlineStore = false } = options;
  const log = openLog('warn', options.logTo);
  const context = createContext({
    caller,
    env,
    limit,
    inlineStore,
    keptSettings: ['server', 'auth', 'log'],
    onWarning: (message) => log.warn(message),
    ...(home !== undefined && { home }),
  });
  try {
    const config = (await context.loadConfig()).values;
    log.level = config.log.level;
    const loci = await context.loci({ create: true });
    const address = { ...config.server, ...listenAt };
    const readiness = new Readiness(() => context.loci());
    const metrics = new Metrics();
    const stopListening = onSlowStatement((statement) => logSlowStatement(log, statement));
    const { keepFresh } = await import('../../engine/reading/sources.ts');
    keepFresh(loci, { onEvent: (event) => logSourceEvent(event, log) });
    const endpoint = mcp?.(context);
    const app = restApp({
      limits,
      context,
      routes: await routesOf(entries),
      authenticator: new Authenticator({
        loci: () => context.loci(),
        jwt: await jwtVerifier(config.auth.jwt, context.home),
      }),
      sessions: new PageSessions(() => context.loci()),
      web: await WebFiles.list(options.webFolder),
      hosts: new HostGuard({ ...config.server, host: address.host }),
      limit: new RateLimit(limits.requestsPerSecond),
      metrics,
      readiness,
      log,
      mcp: endpoint,
    });
    const listener = httpListener({ limits, metrics, fetch: app.fetch, ownsProcess });
    const url = await bind(listener.server, address);
    const makeLink = () => pageLink(url, context);
    const isReached = address.socket === undefined;
    const stopAnswering = await options.answerCommands?.(context, isReached ? makeLink : undefined);
    log.info({ address: url }, 'listening');
    if (isExposed(address)) log.warn({ address: url }, EXPOSED);
    const close = async (): Promise<void> => {
      stopAnswering?.();
      readiness.drain();
      metrics.close();
      stopListening();
      const ended = listener.end(limits.shutdownTimeoutMs);
      // Commands of sources may run for minutes. Requests that wait for them end when they are stopped.
      await loci.stop();
      await endpoint?.close();
      await ended;
      await unbind(address);
      await context.close();
      log.info('stopped');
    };
    return { address: url, log, makeLink, close };
  } catch (error) {
    await context.close();
    throw error;
  }
}

/** A link for the user of this process. A server that listens everywhere is reached on loopback. */
async function pageLink(address: string, context: OpenContext): Promise<PageLink> {
  const owner = context.forCall({ caller: { surface: 'cli', trust: 'operator' } });
  const { createPageCode } = await import('../../engine/access/sessions.ts');
  const loopback = address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
  return { address: loopback, ...(await createPageCode(await owner.loci())) };
}

function logSourceEvent(event: RefreshEvent, log: Logger): void {
  switch (event.kind) {
    case 'failed':
    case 'waiting':
      log.warn({ source: event.source, code: event.error.code }, event.error.message);
      return;
    case 'refreshed': {
      const { added, updated, removed } = event.report;
      log.info({ source: event.source, added, updated, removed }, 'refreshed');
      return;
    }
    case 'settings':
      log.info('the settings of loci.yaml have changed, and are in force');
      return;
    case 'begun':
    case 'left':
    case 'embedded':
      log.debug(event, event.kind);
  }
}

const EXPOSED = 'reachable from other machines: without a TLS proxy in front, tokens can be intercepted';

function isExposed({ host, socket }: ListenAddress): boolean {
  return socket === undefined && !/^(localhost|127\.[\d.]+|::1)$/i.test(host);
}

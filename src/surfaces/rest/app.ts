import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import { METHOD_NAME_ALL } from 'hono/router';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Logger } from 'pino';
import { type ErrorCode, LociError } from '../../core/errors.ts';
import { type Authenticator, countRequest, type Env, type Identity, type RateLimit } from './authenticate.ts';
import { EVENT_STREAM_TYPE, Events, streamOperation } from './events.ts';
import type { Progress } from '../../core/progress.ts';
import { runOperation } from '../../operations/run.ts';
import type { OpenContext } from '../../operations/context.ts';
import { parseInput } from '../../operations/shared/input.ts';
import { withSynonyms } from '../../operations/shared/lenient-input.ts';
import { isSession, type Scope } from '../../core/caller.ts';
import type { McpEndpoint } from '../mcp/server.ts';
import { escapeControlJson } from '../shared/escape-control.ts';
import { type HostGuard, isFromThisMachine } from './hosts.ts';
import { logRequest, type Metrics, type Readiness } from './monitoring.ts';
import { openApi, overview } from './openapi.ts';
import { API, outputJson, PROBLEM_TYPE, type ProblemDetails, problemOf } from './problem.ts';
import type { PageSessions } from './page-sessions.ts';
import { jsonBody, readBody, requestInput, type Route } from './request-input.ts';
import type { ServerLimits } from './listener.ts';
import { addPageRoutes, UI, type WebFiles } from './web.ts';

interface AppParts {
  readonly limits: ServerLimits;
  readonly context: OpenContext;
  readonly routes: readonly Route[];
  readonly authenticator: Authenticator;
  readonly hosts: HostGuard;
  readonly sessions: PageSessions;
  readonly web: WebFiles;
  readonly limit: RateLimit;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly log: Logger;
  /** The endpoint for `/mcp`, if there is one. */
  readonly mcp?: McpEndpoint | undefined;
}

/** The routes of the server. Every answer, including errors, passes through `observed` and `guarded`. */
export function restApp(parts: AppParts): Hono<Env> {
  const { context, routes, metrics, readiness, mcp } = parts;
  const app = new Hono<Env>();
  app.use(observed(parts), guarded(parts));
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.get('/readyz', async (c) => {
    const problem = await readiness.problem();
    if (problem === null) return c.json({ status: 'ready' });
    // The problem is only logged, because this route needs no token.
    parts.log.warn({ problem }, 'not ready');
    return c.json({ status: 'not ready' }, 503);
  });
  const text = overview(routes, mcp !== undefined);
  app.get(API, (c) => c.text(text));
  const authenticated = authenticatedBy(parts, 'tokens');
  const onPage = authenticatedBy(parts, 'sessions');
  app.on(['GET', 'DELETE'], '/ui/session', onPage, requirePage);
  addPageRoutes(app, { files: parts.web, sessions: parts.sessions, limit: parts.limit, text });
  app.use('/metrics', authenticatedBy(parts, 'stale tokens'), allowing('operator'));
  app.get('/metrics', async (c) => {
    const figures = await metrics.text(context.loci());
    return c.body(figures, 200, { 'Content-Type': metrics.type });
  });
  const description = openApi(routes);
  app.get(`${API}/openapi.json`, (c) => c.json(description));
  app.use('/api/*', onPage);
  const events = new Events({
    loci: () => context.loci(),
    identify: (request) => identify(parts, request, 'sessions'),
  });
  app.get(`${API}/events`, allowing('read'), (c) => {
    const { incoming, outgoing } = c.env;
    return events.open(incoming, outgoing, c.get('identity'));
  });
  for (const route of routes) addRoute(app, route, parts);
  if (mcp !== undefined) app.all('/mcp', authenticated, answeringMcp(mcp, parts));
  app.notFound((c) => answerProblem(c, problemOf(noRoute(c, methodsAt(app, c.req.path)), c.get('id'))));
  app.onError((error, c) => {
    if (error instanceof LociError && error.retryAfterS !== undefined)
      c.env.outgoing.setHeader('Retry-After', String(error.retryAfterS));
    return answerProblem(c, loggedProblem(error, c.get('id'), parts.log));
  });
  return app;
}

function addRoute(app: Hono<Env>, route: Route, { limits, context, log }: AppParts): void {
  const { operation, path, onPage } = route;
  const methods = operation.kind === 'read' ? ['POST', 'GET'] : ['POST'];
  const allowed = onPage ? [requirePage] : [allowing(operation.scope)];
  if (operation.onPageHere === true) allowed.push(requireThisMachine);
  app.on(methods, [path], ...allowed, async (c) => {
    const { incoming, outgoing } = c.env;
    const body = incoming.method === 'POST' ? await readBody(incoming, limits.maxBodyBytes) : '';
    const input = parseInput(operation, withSynonyms(operation, requestInput(incoming, route, body)));
    const { caller, session } = c.get('identity');
    const run = async (signal: AbortSignal, onProgress?: (progress: Progress) => void): Promise<string> => {
      const call = { caller, isOwner: session !== undefined, signal, ...(onProgress && { onProgress }) };
      return outputJson(operation.name, await runOperation(operation, context.forCall(call), input));
    };
    if (incoming.method === 'POST' && incoming.headers.accept === EVENT_STREAM_TYPE)
      return streamOperation(outgoing, { run, problemOf: (error) => loggedProblem(error, c.get('id'), log) });
    const json = await withinTime(
      limits.requestTimeoutMs,
      outgoing,
      run,
      operation.kind === 'read' ? {} : LATE_WRITE,
    );
    return c.body(json, 200, { 'Content-Type': 'application/json' });
  });
}

const LATE_WRITE = { hint: 'Try again. The change may have been made nevertheless.' };

/** An error that no caller can act on is logged. */
function loggedProblem(error: unknown, id: string, log: Logger): ProblemDetails {
  if (!(error instanceof LociError)) log.error({ request_id: id, err: error }, 'internal');
  return problemOf(error, id);
}

/** MCP, with the same limits as the operations on the size and depth of a body, and on the rate of requests. */
function answeringMcp(mcp: McpEndpoint, { limits, limit }: AppParts): (c: Context<Env>) => Promise<Response> {
  return async (c) => {
    const { incoming } = c.env;
    const { caller, key, scopes } = c.get('identity');
    const body =
      incoming.method === 'POST'
        ? jsonBody(incoming, await readBody(incoming, limits.maxBodyBytes))
        : undefined;
    // Each message of a batch counts as a request; the first one is counted already.
    if (Array.isArray(body)) for (const _ of body.slice(1)) countRequest(c.env.outgoing, limit, key);
    return mcp.handle(c.req.raw, { caller: { ...caller, surface: 'mcp' }, scopes }, body);
  };
}

/** Gives each request an id, and records it in the log and the metrics. */
function observed({ metrics, log }: AppParts): MiddlewareHandler<Env> {
  return async (c, next) => {
    const started = performance.now();
    const id = requestId(c.env.incoming);
    c.set('id', id);
    c.env.outgoing.setHeader('X-Request-Id', id);
    metrics.begin();
    await next();
    const ms = performance.now() - started;
    const { method } = c.req;
    const route = routeOf(c);
    const { status } = c.res;
    metrics.end(method, route, status, ms / 1000);
    const code = c.get('code') as ErrorCode | undefined;
    const line = { request_id: id, method, route, status, ms: Math.round(ms * 100) / 100 };
    logRequest(log, code === undefined ? line : { ...line, code });
  };
}

const VALID_REQUEST_ID = /^[\w.:-]{1,64}$/;

function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && VALID_REQUEST_ID.test(given) ? given : randomUUID();
}

/** The path of the route; `none` if no route matches, so that labels of metrics stay few. */
function routeOf(c: Context<Env>): string {
  const path = routePath(c, -1);
  return path.includes('*') ? 'none' : path;
}

function guarded({ hosts }: AppParts): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { incoming, outgoing } = c.env;
    // Node reads the first one, while a proxy may have read another (RFC 9112, section 3.2).
    if ((incoming.headersDistinct['host']?.length ?? 0) > 1)
      throw new LociError('invalid_input', 'the request has more than one `Host`');
    hosts.check(incoming.headers, isPage(incoming));
    const { origin } = incoming.headers;
    if (hosts.allowsOrigin(origin)) {
      for (const [name, value] of Object.entries(CORS_HEADERS)) outgoing.setHeader(name, value);
      outgoing.setHeader('Access-Control-Allow-Origin', origin ?? '');
      if (incoming.method === 'OPTIONS') return c.body(null, 204);
    }
    await next();
    return undefined;
  };
}

/** Whether a request asks for a page, which has no data of anybody. */
function isPage({ method, url = '' }: IncomingMessage): boolean {
  return method === 'GET' && (url === '/' || url.startsWith(UI));
}

const CORS_HEADERS: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Methods': 'GET, POST',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Idempotency-Key, X-Loci-Session, X-Request-Id',
  'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id',
  'Access-Control-Max-Age': '600',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  Vary: 'Origin',
};

/**
 * Who may send a request: those who have a token; also the page of the owner, with its session; or those whose token was valid when the
 * store could be read last.
 */
type Accepted = 'tokens' | 'sessions' | 'stale tokens';

function authenticatedBy(parts: AppParts, accepted: Accepted): MiddlewareHandler<Env> {
  const { limit } = parts;
  return async (c, next) => {
    const { incoming, outgoing } = c.env;
    const identity = await identify(parts, incoming, accepted).catch((error: unknown) => {
      if (!(error instanceof LociError) || !REFUSED.has(error.code)) throw error;
      // Failed attempts share a rate limit by address.
      countRequest(outgoing, limit, `address ${incoming.socket.remoteAddress ?? ''}`);
      const challenge = incoming.headers.authorization === undefined ? '' : ', error="invalid_token"';
      if (error.code === 'unauthorized')
        outgoing.setHeader('WWW-Authenticate', `Bearer realm="loci"${challenge}`);
      throw error;
    });
    countRequest(outgoing, limit, identity.key);
    c.set('identity', withSession(identity, incoming));
    await next();
  };
}

/** The session that an agent names. @throws LociError `invalid_input` */
function withSession(identity: Identity, { headers }: IncomingMessage): Identity {
  const session = headers['x-loci-session'];
  if (session === undefined || identity.caller.trust !== 'agent') return identity;
  if (typeof session !== 'string' || !isSession(session))
    throw new LociError(
      'invalid_input',
      '`X-Loci-Session` is 1 to 512 characters without control characters, and does not begin with `undo:`',
    );
  return { ...identity, caller: { ...identity.caller, session } };
}

async function identify(
  { authenticator, sessions, log }: AppParts,
  request: IncomingMessage,
  accepted: Accepted,
): Promise<Identity> {
  const isOfPage = accepted === 'sessions' && request.headers.authorization === undefined;
  try {
    const identity = isOfPage ? await sessions.identify(request) : null;
    return identity ?? (await authenticator.identify(request, accepted === 'stale tokens'));
  } catch (error) {
    if (!(error instanceof LociError) || error.status < 500) throw error;
    // Its message may name the server of the store, and nobody knows yet who asks.
    log.warn({ code: error.code, problem: error.message }, 'the store cannot be read');
    throw new LociError(error.code, 'the store cannot be read now', { hint: 'Try again later.' });
  }
}

const REFUSED: ReadonlySet<ErrorCode> = new Set(['unauthorized', 'forbidden']);

const requirePage: MiddlewareHandler<Env> = async (c, next) => {
  if (c.get('identity').session === undefined)
    throw new LociError('forbidden', 'only the page of the owner may call this', {
      hint: '`loci ui` opens the page.',
    });
  await next();
};

const requireThisMachine: MiddlewareHandler<Env> = async (c, next) => {
  if (!isFromThisMachine(c.env.incoming))
    throw new LociError('forbidden', 'only a page on the machine of Loci may name its files', {
      hint: '`loci index PATH` reads a folder there.',
    });
  await next();
};

function allowing(scope: Scope): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { scopes } = c.get('identity');
    if (!scopes.has(scope))
      throw new LociError(
        'forbidden',
        `this needs the scope ${scope}; the token has ${[...scopes].join(', ') || 'none'}`,
      );
    await next();
  };
}

/** When to try again after `rate_limited`, in seconds, unless the answer says it. */
const RETRY_AFTER_S = 5;

function answerProblem(c: Context<Env>, problem: ProblemDetails): Response {
  c.set('code', problem.code);
  const { outgoing } = c.env;
  if (problem.code === 'rate_limited' && !outgoing.hasHeader('Retry-After'))
    outgoing.setHeader('Retry-After', String(RETRY_AFTER_S));
  return c.body(escapeControlJson(JSON.stringify(problem)), problem.status as ContentfulStatusCode, {
    'Content-Type': PROBLEM_TYPE,
  });
}

/** The methods that a path supports; empty if there is no such path. */
function methodsAt(app: Hono<Env>, path: string): string[] {
  const declared = app.routes.filter((route) => route.path === path && route.method !== METHOD_NAME_ALL);
  return [...new Set(declared.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : method)))];
}

function noRoute(c: Context<Env>, methods: readonly string[]): LociError {
  const { method, path } = c.req;
  if (methods.length === 0)
    return new LociError('not_found', 'there is nothing at this path', {
      hint: `GET ${API}/openapi.json lists all paths.`,
    });
  c.env.outgoing.setHeader('Allow', methods.join(', '));
  const names = methods.filter((name) => name !== 'HEAD').join(' or ');
  return new LociError('method_not_allowed', `${path} supports ${names}, not ${method}`);
}

/**
 * Runs work for a request, and aborts it after a time limit or when the client disconnects.
 * @param options the hint of `timed_out`, unless to try again is enough
 * @throws LociError `timed_out`, `aborted`, and what the work throws
 */
export async function withinTime<Result>(
  limitMs: number,
  response: ServerResponse,
  work: (signal: AbortSignal) => Promise<Result>,
  options: { readonly hint?: string } = {},
): Promise<Result> {
  const controller = new AbortController();
  const { signal } = controller;
  using _timer = setTimeout(() => {
    controller.abort(new LociError('timed_out', `no answer within ${String(limitMs)} ms`, options));
  }, limitMs);
  const onClose = (): void => controller.abort(new LociError('aborted', 'the client has disconnected'));
  response.once('close', onClose);
  try {
    return await Promise.race([work(signal), once(signal, 'abort') as Promise<never>]);
  } finally {
    response.off('close', onClose);
    // Nobody waits for what the work does after that.
    signal.throwIfAborted();
  }
}

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import { METHOD_NAME_ALL } from 'hono/router';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Logger } from 'pino';
import { withinTime } from './http/deadline.ts';
import { type ErrorCode, LociError } from '../../core/errors.ts';
import { runOperation } from '../../operations/run.ts';
import type { OpenContext } from '../../operations/context.ts';
import { parseInput } from '../../operations/shared/input.ts';
import { withSynonyms } from '../../operations/shared/lenient-input.ts';
import type { Scope } from '../../core/caller.ts';
import type { McpEndpoint } from '../mcp/http.ts';
import { escapeControlJson } from '../shared/escape-control.ts';
import type { Authenticator, Identity } from './access/authenticate.ts';
import type { HostGuard } from './access/hosts.ts';
import { logRequest } from './monitoring/log.ts';
import type { Metrics } from './monitoring/metrics.ts';
import { openApi, overview, OVERVIEW_PATHS } from './openapi.ts';
import { API, outputJson } from './http/paths.ts';
import { PROBLEM_TYPE, problemOf } from './http/problem.ts';
import type { RateLimit } from './access/rate-limit.ts';
import type { Readiness } from './monitoring/readiness.ts';
import { jsonBody, readBody, requestInput } from './http/request-input.ts';
import type { ServerLimits } from './limits.ts';
import type { Route } from './routes.ts';

interface AppParts {
  readonly limits: ServerLimits;
  readonly context: OpenContext;
  readonly routes: readonly Route[];
  readonly authenticator: Authenticator;
  readonly hosts: HostGuard;
  readonly limit: RateLimit;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly log: Logger;
  /** The endpoint for `/mcp`, if there is one. */
  readonly mcp?: McpEndpoint | undefined;
}

interface Env {
  Bindings: HttpBindings;
  Variables: { id: string; identity: Identity; code: ErrorCode };
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
  for (const path of OVERVIEW_PATHS) app.get(path, (c) => c.text(text));
  const authenticated = authenticatedBy(parts);
  app.use('/metrics', authenticated, allowing('operator'));
  app.get('/metrics', async (c) => {
    const figures = await metrics.text(context.loci());
    return c.body(figures, 200, { 'Content-Type': metrics.type });
  });
  const description = openApi(routes);
  app.get(`${API}/openapi.json`, (c) => c.json(description));
  app.use('/api/*', authenticated);
  for (const route of routes) addRoute(app, route, parts);
  if (mcp !== undefined) app.all('/mcp', authenticated, answeringMcp(mcp, parts));
  app.notFound((c) => answerProblem(c, noRoute(c, methodsAt(app, c.req.path))));
  app.onError((error, c) => {
    if (!(error instanceof LociError)) parts.log.error({ request_id: c.get('id'), err: error }, 'internal');
    return answerProblem(c, error);
  });
  return app;
}

function addRoute(app: Hono<Env>, route: Route, { limits, context }: AppParts): void {
  const { operation, path } = route;
  app.on(operation.readOnly ? ['POST', 'GET'] : ['POST'], [path], allowing(operation.scope), async (c) => {
    const { incoming, outgoing } = c.env;
    const body = incoming.method === 'POST' ? await readBody(incoming, limits.maxBodyBytes) : '';
    const input = parseInput(operation, withSynonyms(operation, requestInput(incoming, route, body)));
    const { caller } = c.get('identity');
    const output = await withinTime(limits.requestTimeoutMs, outgoing, (signal) =>
      runOperation(operation, context.forCall({ caller, signal }), input),
    );
    return c.body(outputJson(operation.name, output), 200, { 'Content-Type': 'application/json' });
  });
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
    if (Array.isArray(body)) for (const _ of body.slice(1)) count(c, limit, key);
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
    hosts.check(incoming.headers);
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

const CORS_HEADERS: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Methods': 'GET, POST',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key, X-Request-Id',
  'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id',
  'Access-Control-Max-Age': '600',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  Vary: 'Origin',
};

function authenticatedBy({ authenticator, limit }: AppParts): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { incoming } = c.env;
    const identity = await authenticator.identify(incoming).catch((error: unknown) => {
      if (!(error instanceof LociError) || error.code !== 'unauthorized') throw error;
      // Failed attempts share a rate limit by address.
      count(c, limit, `address ${incoming.socket.remoteAddress ?? ''}`);
      const challenge = incoming.headers.authorization === undefined ? '' : ', error="invalid_token"';
      c.env.outgoing.setHeader('WWW-Authenticate', `Bearer realm="loci"${challenge}`);
      throw error;
    });
    count(c, limit, identity.key);
    c.set('identity', identity);
    await next();
  };
}

function count(c: Context<Env>, limit: RateLimit, key: string): void {
  const wait = limit.take(key);
  if (wait === 0) return;
  c.env.outgoing.setHeader('Retry-After', String(wait));
  throw new LociError('rate_limited', `too many requests; try again in ${String(wait)} s`);
}

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

function answerProblem(c: Context<Env>, error: unknown): Response {
  const problem = problemOf(error, c.get('id'));
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

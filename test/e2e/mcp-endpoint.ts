import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { onTestFinished } from 'vitest';
import { createContext } from '../../src/operations/context.ts';
import type { Scope } from '../../src/core/caller.ts';
import { mcpHandler } from '../../src/surfaces/mcp/server.ts';
import { serverEnvironment } from './mcp-session.ts';

interface EndpointOptions {
  readonly home: string;
  readonly scopes?: readonly Scope[];
  /** Maps the header `x-subject` of a request to a namespace. Without this function, the namespace is `default`. */
  readonly namespaceOf?: (subject: string | null) => string;
}

/** Starts a real HTTP server on a free port that serves MCP at every path. Returns its URL. */
export async function startEndpoint({
  home,
  scopes = ['read', 'write'],
  namespaceOf,
}: EndpointOptions): Promise<URL> {
  const context = createContext({
    home,
    inlineStore: true,
    env: serverEnvironment({ home }),
    caller: { surface: 'mcp', trust: 'agent' },
  });
  const endpoint = mcpHandler(context);
  const fetch = (request: Request): Promise<Response> => {
    const namespace = namespaceOf?.(request.headers.get('x-subject')) ?? 'default';
    const caller = { namespace, actor: 'a token', surface: 'mcp', trust: 'agent' } as const;
    return endpoint.handle(request, { caller, scopes: new Set(scopes) });
  };
  const { promise, resolve } = Promise.withResolvers<AddressInfo>();
  // Other tests in this thread use the global classes.
  const options = { fetch, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false };
  const server = serve(options, resolve);
  onTestFinished(async () => {
    await endpoint.close();
    await new Promise((closed) => {
      server.close(closed);
      if ('closeAllConnections' in server) server.closeAllConnections();
    });
    await context.close();
  });
  const { port } = await promise;
  return new URL(`http://127.0.0.1:${String(port)}/mcp`);
}

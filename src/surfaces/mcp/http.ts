import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Caller } from '../../core/caller.ts';
import type { OpenContext } from '../../operations/context.ts';
import type { Scope } from '../../operations/operation.ts';
import { mcpServer } from './server.ts';

/** Bytes of the longest request: a record of 1 MiB takes at most six times as much as JSON. */
const MAX_REQUEST = 16 * 1024 * 1024;

/** Who sends a request, as the HTTP layer has found out: it checks tokens, `Host` and `Origin` before it asks here. */
export interface McpAuth {
  readonly caller: Caller;
  readonly scopes: ReadonlySet<Scope>;
}

export interface McpEndpoint {
  /**
   * Answers one request; no session is kept, so that any of many servers may answer the next.
   * @param body of a POST, where it is read and parsed already
   */
  handle(request: Request, auth: McpAuth, body?: unknown): Promise<Response>;
  /** Ends the requests that are being answered. The context stays open. */
  close(): Promise<void>;
}

/** MCP over streamable HTTP, as one address of an HTTP server: MCP 2026-07-28, and older versions without sessions. */
export function mcpHandler(context: OpenContext): McpEndpoint {
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const auth = authInfo?.extra?.['loci'] as McpAuth | undefined;
      if (auth === undefined) throw new Error('a request came without its caller');
      return mcpServer({ context: async () => context, scopes: auth.scopes, callerOf: () => auth.caller });
    },
    { maxRequestBodySize: MAX_REQUEST },
  );
  return {
    handle: (request, auth, body) => {
      const { caller, scopes } = auth;
      const extra = { loci: auth };
      return handler.fetch(request, {
        authInfo: { token: '', clientId: caller.actor, scopes: [...scopes], extra },
        ...(body !== undefined && { parsedBody: body }),
      });
    },
    close: () => handler.close(),
  };
}

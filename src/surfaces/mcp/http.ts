import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Caller, Scope } from '../../core/caller.ts';
import type { OpenContext } from '../../operations/context.ts';
import { withoutNullArguments } from './null-arguments.ts';
import { mcpServer } from './server.ts';

/** A record may have 1 MiB, and its JSON form at most six times as much. */
const MAX_REQUEST_BYTES = 16 * 1024 * 1024;

/** The caller of a request. The HTTP server has already checked the token, `Host` and `Origin`. */
interface McpAuth {
  readonly caller: Caller;
  readonly scopes: ReadonlySet<Scope>;
}

export interface McpEndpoint {
  /**
   * Answers one request. There are no sessions, so that another server may answer the next request.
   * @param body of a POST, if it has been read and parsed
   */
  handle(request: Request, auth: McpAuth, body?: unknown): Promise<Response>;
  /** Ends the requests in progress. The context stays open. */
  close(): Promise<void>;
}

/** MCP over streamable HTTP, for a path of an HTTP server: MCP 2026-07-28, and older versions without sessions. */
export function mcpHandler(context: OpenContext): McpEndpoint {
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const auth = authInfo?.extra?.['loci'] as McpAuth | undefined;
      if (auth === undefined) throw new Error('the request has no caller');
      return mcpServer({ context: async () => context, scopes: auth.scopes, callerOf: () => auth.caller });
    },
    { maxRequestBodySize: MAX_REQUEST_BYTES },
  );
  return {
    handle: (request, auth, body) => {
      const { caller, scopes } = auth;
      const extra = { loci: auth };
      return handler.fetch(request, {
        authInfo: { token: '', clientId: caller.actor, scopes: [...scopes], extra },
        ...(body !== undefined && { parsedBody: messagesIn(body) }),
      });
    },
    close: () => handler.close(),
  };
}

/** The messages of a body, which may be a batch. */
function messagesIn(body: unknown): unknown {
  return Array.isArray(body) ? body.map(withoutNullArguments) : withoutNullArguments(body);
}

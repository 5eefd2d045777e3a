import type { ServerContext } from '@modelcontextprotocol/server';
import type { Caller } from '../../core/caller.ts';
import type { Progress } from '../../core/long-call.ts';
import type { OpenContext } from '../../operations/context.ts';
import type { OperationContext } from '../../operations/operation.ts';
import type { Permission } from './permission.ts';
import { progressTeller } from './progress.ts';

/** For whom a server works, and what they may do. */
export interface McpSession extends Permission {
  /** Asked for at the first request that needs it: settings take a while to load. */
  readonly context: () => Promise<OpenContext>;
  /** Ends every call, when the server is told to stop. */
  readonly signal?: AbortSignal;
  /** `client` is the name that a client gives itself, if it does. */
  callerOf(client: string | undefined): Pick<Caller, 'surface' | 'trust'> & Partial<Caller>;
}

/** What a verb is lent for one request: its caller, its cancellation and its progress. */
export async function contextOf(
  session: McpSession,
  request: ServerContext,
  client: string | undefined,
): Promise<OperationContext> {
  const { mcpReq } = request;
  const context = await session.context();
  const token = mcpReq._meta?.progressToken;
  const onProgress: ((progress: Progress) => void) | undefined =
    token === undefined ? undefined : progressTeller(token, (notification) => mcpReq.notify(notification));
  return context.forCall({
    caller: session.callerOf(client),
    signal: session.signal === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, session.signal]),
    ...(onProgress !== undefined && { onProgress }),
  });
}

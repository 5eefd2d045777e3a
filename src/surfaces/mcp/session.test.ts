import type { ServerContext } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { createContext } from '../../operations/context.ts';
import { requestContext, type McpSession } from './session.ts';

const caller = { surface: 'mcp', trust: 'agent' } as const;

/** A request with only the given parts. */
function requestWith(mcpReq: Partial<ServerContext['mcpReq']>): ServerContext {
  return { mcpReq } as unknown as ServerContext;
}

describe('requestContext', () => {
  const shutdown = new AbortController();
  const session: McpSession = {
    context: async () => createContext({ home: '/nowhere', env: {}, caller }),
    scopes: new Set(['read']),
    signal: shutdown.signal,
    callerOf: () => caller,
  };

  it('aborts when the client cancels, and when the server stops', async () => {
    const cancelled = new AbortController();
    const first = await requestContext(session, requestWith({ signal: cancelled.signal }), undefined);
    const second = await requestContext(
      session,
      requestWith({ signal: new AbortController().signal }),
      undefined,
    );
    cancelled.abort();
    expect([first.signal.aborted, second.signal.aborted]).toEqual([true, false]);
    shutdown.abort();
    expect(second.signal.aborted).toBe(true);
  });

  it('reports progress only to a client that sent a progress token', async () => {
    const notifications: unknown[] = [];
    const notify = async (notification: unknown): Promise<void> => void notifications.push(notification);
    const { signal } = new AbortController();
    const progress = { stage: 'reading', subject: 'notes', done: 1, total: 2 } as const;
    const silent = await requestContext(session, requestWith({ signal, notify }), undefined);
    silent.onProgress(progress);
    expect(notifications).toEqual([]);
    const requestWithToken = requestWith({ signal, notify, _meta: { progressToken: 'p' } });
    const reporting = await requestContext(session, requestWithToken, undefined);
    reporting.onProgress(progress);
    expect(notifications).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'p', progress: 1, total: 2 } },
    ]);
  });
});

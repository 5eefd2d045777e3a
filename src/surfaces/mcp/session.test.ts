import type { ServerContext } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { createContext } from '../../operations/context.ts';
import { contextOf, type McpSession } from './session.ts';

const caller = { surface: 'mcp', trust: 'agent' } as const;

/** The parts of a request that a verb gets something of. */
function requestWith(mcpReq: Partial<ServerContext['mcpReq']>): ServerContext {
  return { mcpReq } as unknown as ServerContext;
}

describe('what a verb is lent for a request', () => {
  const ending = new AbortController();
  const session: McpSession = {
    context: async () => createContext({ home: '/nowhere', env: {}, caller }),
    scopes: new Set(['read']),
    signal: ending.signal,
    callerOf: () => caller,
  };

  it('ends when the client cancels, and when the server stops', async () => {
    const cancelled = new AbortController();
    const lent = await contextOf(session, requestWith({ signal: cancelled.signal }), undefined);
    const other = await contextOf(session, requestWith({ signal: new AbortController().signal }), undefined);
    cancelled.abort();
    expect([lent.signal.aborted, other.signal.aborted]).toEqual([true, false]);
    ending.abort();
    expect(other.signal.aborted).toBe(true);
  });

  it('tells its progress to a client that asked for it, and to no other', async () => {
    const told: unknown[] = [];
    const notify = async (notification: unknown): Promise<void> => void told.push(notification);
    const { signal } = new AbortController();
    const progress = { stage: 'reading', subject: 'notes', done: 1, total: 2 } as const;
    const silent = await contextOf(session, requestWith({ signal, notify }), undefined);
    silent.onProgress(progress);
    expect(told).toEqual([]);
    const asked = requestWith({ signal, notify, _meta: { progressToken: 'p' } });
    const telling = await contextOf(session, asked, undefined);
    telling.onProgress(progress);
    expect(told).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'p', progress: 1, total: 2 } },
    ]);
  });
});

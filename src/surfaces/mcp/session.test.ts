import type { ProgressNotification, ServerContext } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { createContext } from '../../operations/context.ts';
import { type McpSession, progressNotifier, requestContext } from './session.ts';

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

describe('progressNotifier', () => {
  it('increases through all stages, and never exceeds the total', () => {
    const sent: ProgressNotification['params'][] = [];
    let now = 0;
    const notify = async ({ params }: ProgressNotification): Promise<void> => void sent.push(params);
    const report = progressNotifier('token', notify, () => (now += 1000));
    const stages = [
      { stage: 'reading', subject: 'notes', total: 3 },
      { stage: 'embedding', subject: '', total: 2 },
    ] as const;
    for (const { total, ...stage } of stages)
      for (let done = 0; done <= total; done++) report({ ...stage, done, total });
    expect(sent.map(({ progress }) => progress)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(sent.map(({ total }) => total)).toEqual([3, 3, 3, 3, 5, 5]);
    expect(sent.map(({ message }) => message)).toContain('reading notes: 3 of 3');
  });

  it('notifies at most ten times a second, and at the end of each stage', () => {
    const sent: number[] = [];
    let now = 0;
    const notify = async ({ params }: ProgressNotification): Promise<void> => void sent.push(params.progress);
    const report = progressNotifier(1, notify, () => now);
    for (let done = 1; done <= 1000; done++, now += 1)
      report({ stage: 'embedding', subject: '', done, total: 1000 });
    expect(sent).toHaveLength(11);
    expect(sent.at(-1)).toBe(1000);
  });
});

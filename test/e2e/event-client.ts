import { type IncomingMessage, request } from 'node:http';
import { onTestFinished, vi } from 'vitest';

export interface SentEvent {
  readonly event: string;
  readonly data: never;
}

/** A connection that gets events. */
export interface EventClient {
  readonly status: number;
  readonly response: IncomingMessage;
  readonly events: SentEvent[];
  readonly ended: Promise<void>;
  /** Waits for an event of this name, after so many events. */
  next(event: string, after?: number): Promise<SentEvent>;
  disconnect(): void;
}

/** Asks for events, with POST if there is a body. */
export async function openEvents(
  address: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<EventClient> {
  const outgoing = request(new URL(path, address), {
    method: body === undefined ? 'GET' : 'POST',
    agent: false,
    headers: {
      accept: 'text/event-stream',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  onTestFinished(() => void outgoing.destroy());
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve).on('error', reject);
  });
  const events: SentEvent[] = [];
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const blocks = (text + chunk).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
      if (event !== undefined && data !== undefined) events.push({ event, data: JSON.parse(data) as never });
    }
  });
  response.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => void response.once('close', resolve));
  const next = (event: string, after = 0): Promise<SentEvent> =>
    vi.waitUntil(() => events.slice(after).find((each) => each.event === event), {
      timeout: 100_000,
      interval: 20,
    });
  return {
    status: response.statusCode ?? 0,
    response,
    events,
    ended,
    next,
    disconnect: () => void outgoing.destroy(),
  };
}

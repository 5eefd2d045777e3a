import { useEffect, useRef } from 'preact/hooks';
import { send } from './client.ts';
import { onConnection } from './connection.ts';

/** What changed in the memory that the page shows. */
export interface ChangeEvent {
  readonly kinds: readonly string[];
}

const listeners = new Set<(change: ChangeEvent) => void>();
let reading = false;
/** How long to wait before the stream is opened again, in milliseconds: doubled at each failure. */
const RETRY_MS = { first: 1000, longest: 60_000 };

/** Calls `onChange` when somebody else changed the memory: an agent, a source, the command line. */
export function useChanges(onChange: (change: ChangeEvent) => void): void {
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    const listener = (change: ChangeEvent): void => latest.current(change);
    listeners.add(listener);
    if (!reading) void readEvents();
    return () => {
      listeners.delete(listener);
    };
  }, []);
}

/** Reads `GET /api/v1/events` while the page is seen. EventSource cannot send the header that each request needs. */
async function readEvents(): Promise<void> {
  reading = true;
  let wait = RETRY_MS.first;
  let isFirst = true;
  for (;;) {
    await whenVisible();
    const hidden = abortWhenHidden();
    try {
      const { signal } = hidden;
      const answer = await send('/api/v1/events', { headers: { Accept: 'text/event-stream' }, signal });
      wait = RETRY_MS.first;
      for await (const event of serverSentEvents(answer.body!)) {
        const isMissed = event.type === 'ready' && !isFirst;
        isFirst = false;
        if (event.type !== 'change' && !isMissed) continue;
        const change = JSON.parse(event.data) as ChangeEvent;
        for (const listener of listeners) listener(change);
      }
    } catch {
      wait = Math.min(wait * 2, RETRY_MS.longest);
    } finally {
      hidden.stop();
    }
    if (!hidden.signal.aborted) await pause(wait);
  }
}

/** Waits, but no longer than until a server that had stopped answers again. */
async function pause(milliseconds: number): Promise<void> {
  const ended = Promise.withResolvers<undefined>();
  const end = (): void => ended.resolve(undefined);
  const timer = setTimeout(end, milliseconds);
  const stop = onConnection((isUp) => {
    if (isUp) end();
  });
  await ended.promise;
  clearTimeout(timer);
  stop();
}

/** A browser has six connections to a server in all its tabs, so that a tab in the background gives its own up after a while. */
const HIDDEN_MS = 30_000;

function abortWhenHidden(): { readonly signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onChange = (): void => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => controller.abort(), HIDDEN_MS);
  };
  document.addEventListener('visibilitychange', onChange);
  return {
    signal: controller.signal,
    stop: () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onChange);
    },
  };
}

async function whenVisible(): Promise<void> {
  while (document.hidden)
    await new Promise((resolve) => {
      document.addEventListener('visibilitychange', resolve, { once: true });
    });
}

/** An event of a stream in the format `text/event-stream`. */
export interface ServerSentEvent {
  readonly type: string;
  readonly data: string;
}

/** The events of a stream. Lines that begin with a colon are ignored; they keep the connection open. */
export async function* serverSentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let rest = '';
  let type = 'message';
  let data: string[] = [];
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { type, data: data.join('\n') };
        type = 'message';
        data = [];
      } else if (line.startsWith('event:')) type = line.slice(6).trim();
      else if (line.startsWith('data:')) data.push(line.slice(5).trimStart());
    }
  }
}

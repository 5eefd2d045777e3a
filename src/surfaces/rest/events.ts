import type { IncomingMessage, ServerResponse } from 'node:http';
import { LociError } from '../../core/errors.ts';
import { CHANGE_KINDS, type ChangeKind, ChangeWatch } from '../../engine/changes/change-watch.ts';
import type { EngineContext } from '../../engine/context.ts';
import type { Identity } from './access/authenticate.ts';
import { EventStream } from './http/event-stream.ts';

/** Connections of one caller. A browser has at most six to a server without TLS. */
const MAX_CONNECTIONS = 16;
/** How often a caller is authenticated again. */
const CHECK_INTERVAL_MS = 1000;

interface EventsOptions {
  readonly loci: () => Promise<EngineContext>;
  /** @throws LociError `unauthorized`, `forbidden` when the request would no longer be answered */
  readonly identify: (request: IncomingMessage) => Promise<Identity>;
}

/** Tells callers what changes in their namespace, as server-sent events. */
export class Events {
  readonly #options: EventsOptions;
  readonly #connections = new Map<string, number>();

  constructor(options: EventsOptions) {
    this.#options = options;
  }

  /** @throws LociError `rate_limited` for too many connections of the caller, and what the store throws */
  async open(
    request: IncomingMessage,
    response: ServerResponse,
    { caller, key }: Identity,
  ): Promise<Response> {
    const open = this.#connections.get(key) ?? 0;
    if (open >= MAX_CONNECTIONS)
      throw new LociError('rate_limited', `${String(open)} connections for events are open already`, {
        hint: 'Close one of them.',
      });
    this.#connections.set(key, open + 1);
    const stream = new EventStream(response);
    const pending = new Set<ChangeKind>();
    const send = (): void => {
      if (pending.size === 0 || stream.isFull) return;
      stream.send('change', JSON.stringify({ kinds: [...pending] }));
      pending.clear();
    };
    const check = setInterval(() => void this.#check(request, stream), CHECK_INTERVAL_MS).unref();
    stream.signal.addEventListener('abort', () => {
      clearInterval(check);
      this.#release(key);
    });
    const watch = (await this.#options.loci()).shared(ChangeWatch);
    const stop = await watch.watch(caller.namespace, {
      onChange: (kinds) => {
        for (const kind of kinds) pending.add(kind);
        send();
      },
      onEnd: () => stream.end(),
    });
    stream.signal.addEventListener('abort', stop);
    if (stream.signal.aborted) stop();
    // Of what happened before, the client knows nothing.
    stream.send('ready', JSON.stringify({ kinds: CHANGE_KINDS }));
    return stream.response;
  }

  async #check(request: IncomingMessage, stream: EventStream): Promise<void> {
    await this.#options.identify(request).catch((error: unknown) => {
      // A store that is busy says nothing about the caller.
      if (error instanceof LociError && ['unauthorized', 'forbidden'].includes(error.code)) stream.end();
    });
  }

  #release(key: string): void {
    const open = (this.#connections.get(key) ?? 1) - 1;
    if (open === 0) this.#connections.delete(key);
    else this.#connections.set(key, open);
  }
}

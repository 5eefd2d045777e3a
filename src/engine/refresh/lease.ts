import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { LociError } from '../../core/errors.ts';
import type { EngineContext } from '../context.ts';

/** Milliseconds that a process which does not renew its lease is still taken to be at work. */
const LEASE = 10_000;
const RENEW = 3000;
const LOOK_AGAIN = 250;

/** What the holder of a lease may write with. */
export interface LeaseHandle {
  readonly lease: string;
  readonly token: number;
}

export interface LeaseOptions {
  /** Waits until nobody else does it; else a lease that is held is a `conflict`. */
  readonly waits?: boolean;
  /** Takes it from whoever holds it, whose work is ended, and whose writes are refused. */
  readonly takesOver?: boolean;
  /** Called again and again while another process does it. */
  readonly onWait?: () => void;
  /** Called when it is held. */
  readonly onHeld?: () => void;
  readonly signal?: AbortSignal;
}

/**
 * Does what only one process should do at a time. The lease is renewed while it is done; once it is lost, the signal that
 * the work gets fires, and the store refuses what it writes with its token.
 * @throws LociError `conflict` when another process does it; `aborted`; what the work throws
 */
export async function withLease<Result>(
  context: EngineContext,
  name: string,
  work: (held: LeaseHandle, signal: AbortSignal) => Promise<Result>,
  { waits = false, takesOver = false, onWait, onHeld, signal }: LeaseOptions = {},
): Promise<Result> {
  const { store, now } = context;
  const holder = randomUUID();
  const take = (how: { readonly takesOver?: boolean } = {}): Promise<number | null> =>
    store.takeLease({ name, holder, now: now(), until: now() + LEASE, ...how });
  let token = await take({ takesOver });
  while (token === null) {
    if (!waits) throw inUse(name);
    onWait?.();
    await wait(LOOK_AGAIN, undefined, signal === undefined ? {} : { signal }).catch(() => {
      throw new LociError('aborted', `waiting for ${name} was stopped`);
    });
    token = await take();
  }
  const lost = new AbortController();
  const renewal = setInterval(() => {
    // What fails now is tried the next time; the fence holds whatever happens.
    take().then(
      (renewed) => renewed !== token && lost.abort(inUse(name)),
      () => undefined,
    );
  }, RENEW).unref();
  try {
    onHeld?.();
    const both = signal === undefined ? lost.signal : AbortSignal.any([signal, lost.signal]);
    return await work({ lease: name, token }, both);
  } finally {
    clearInterval(renewal);
    await store.dropLease(name, holder);
  }
}

function inUse(name: string): LociError {
  return new LociError('conflict', `another process is at work on ${name}`, {
    hint: 'It is done there; look again in a moment.',
  });
}

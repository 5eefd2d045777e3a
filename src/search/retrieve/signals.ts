import { channel } from 'node:diagnostics_channel';

/** One ranking of passages. */
export type Signal = 'vector' | 'text' | 'trigram' | 'recency';

/** How long a signal took to answer one search. */
export interface SignalTime {
  readonly signal: Signal;
  readonly milliseconds: number;
}

const times = channel('loci:signal-time');

/** Does the work, and tells whoever listens how long it took. */
export async function timed<Result>(signal: Signal, work: () => Promise<Result>): Promise<Result> {
  if (!times.hasSubscribers) return work();
  const began = performance.now();
  try {
    return await work();
  } finally {
    times.publish({ signal, milliseconds: performance.now() - began } satisfies SignalTime);
  }
}

/** Hears of every signal of every search in this process, until what it answers is called. */
export function onSignalTime(listen: (time: SignalTime) => void): () => void {
  const hear = (message: unknown): void => {
    listen(message as SignalTime);
  };
  times.subscribe(hear);
  return () => times.unsubscribe(hear);
}

import { setImmediate } from 'node:timers/promises';

/** Milliseconds that the event loop may be held in one piece. */
const MOST_HELD = 5;

/** What is called between the steps of a long piece of work: it lets others have the event loop from time to time. */
export function pacer(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < MOST_HELD) return;
    await setImmediate();
    since = performance.now();
  };
}

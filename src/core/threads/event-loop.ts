import { setImmediate } from 'node:timers/promises';

const MAX_BLOCKING_MS = 5;

/** A function to await between the steps of a long task: it yields to the event loop when the task has blocked it for 5 ms. */
export function eventLoopYielder(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < MAX_BLOCKING_MS) return;
    await setImmediate();
    since = performance.now();
  };
}

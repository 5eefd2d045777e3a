import { ERROR_TABLE } from '../../core/errors.ts';

/** SIGHUP is a terminal that was closed, SIGQUIT Ctrl-\\. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;

/**
 * Keeps the process until a signal says to stop. A second one ends it at once, by an exit and not by the signal: so the
 * commands of sources that still run are taken along.
 */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    // Timers and handlers of signals keep no process alive.
    const awake = setInterval(() => undefined, 2 ** 30);
    const stop = (): void => {
      clearInterval(awake);
      for (const signal of SIGNALS) process.off(signal, stop).on(signal, exit);
      resolve();
    };
    for (const signal of SIGNALS) process.on(signal, stop);
  });
}

function exit(): void {
  process.exit(ERROR_TABLE.aborted.exit);
}

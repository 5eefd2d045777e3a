import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { ERROR_TABLE } from '../../core/errors.ts';
import { errorCode } from '../../core/fs/file-errors.ts';

/** SIGHUP is a terminal that was closed, SIGQUIT Ctrl-\\. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;
/** Milliseconds between two looks whether an output is still read. */
const LOOK = 1000;

/**
 * Keeps the process until a signal says to stop. A second one ends it at once, by an exit and not by the signal: so the
 * commands of sources that still run are taken along.
 * @param output says to stop too, once nobody reads it any more: `loci watch | head -1`
 */
export function untilStopped(output?: NodeJS.WritableStream & { readonly fd?: number }): Promise<void> {
  return new Promise((resolve) => {
    // Timers and handlers of signals keep no process alive.
    const awake = setInterval(() => {
      if (output?.fd !== undefined && isUnread(output.fd)) stop();
    }, LOOK);
    const onError = (error: unknown): void => {
      if (errorCode(error) === 'EPIPE') stop();
    };
    const stop = (): void => {
      clearInterval(awake);
      output?.off('error', onError);
      for (const signal of SIGNALS) process.off(signal, stop).on(signal, exit);
      resolve();
    };
    for (const signal of SIGNALS) process.on(signal, stop);
    output?.on('error', onError);
  });
}

/** Whether it is a pipe without a reader, as far as the system can tell before anything is written: on Linux. */
function isUnread(fd: number): boolean {
  try {
    if (!fstatSync(fd).isFIFO()) return false;
    closeSync(openSync(`/proc/self/fd/${String(fd)}`, constants.O_WRONLY | constants.O_NONBLOCK));
    return false;
  } catch (error) {
    return errorCode(error) === 'ENXIO';
  }
}

function exit(): void {
  process.exit(ERROR_TABLE.aborted.exit);
}

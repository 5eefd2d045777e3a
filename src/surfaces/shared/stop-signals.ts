import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { ERROR_TABLE } from '../../core/errors.ts';
import { systemErrorCode } from '../../core/fs/file-errors.ts';

/** The signals that stop a command. SIGHUP is sent when a terminal closes, SIGQUIT by Ctrl-\\. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
const POLL_INTERVAL_MS = 1000;

/**
 * Keeps the process running until it receives a stop signal. A second signal makes the process exit at once. It calls
 * `process.exit`, whose handlers kill commands of sources that are still running.
 * @param output if given, the wait also ends when this pipe has no reader any more, as in `loci sources watch | head -1`
 */
export function waitForStop(output?: NodeJS.WritableStream & { readonly fd?: number }): Promise<void> {
  return new Promise((resolve) => {
    // The timer also keeps the process alive: signal handlers alone do not.
    const timer = setInterval(() => {
      if (output?.fd !== undefined && hasNoReader(output.fd)) stop();
    }, POLL_INTERVAL_MS);
    const onError = (error: unknown): void => {
      if (systemErrorCode(error) === 'EPIPE') stop();
    };
    const stop = (): void => {
      clearInterval(timer);
      output?.off('error', onError);
      for (const signal of STOP_SIGNALS) process.off(signal, stop).on(signal, exitAborted);
      resolve();
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
    output?.on('error', onError);
  });
}

/** Makes a stop signal end the process at once, until this is disposed. Process 1 of a container ignores signals without a handler. */
export function exitOnStop(): Disposable {
  for (const signal of STOP_SIGNALS) process.on(signal, exitAborted);
  return {
    [Symbol.dispose]: () => {
      for (const signal of STOP_SIGNALS) process.off(signal, exitAborted);
    },
  };
}

/** Whether this is a pipe without a reader. Only Linux can detect this before something is written. */
function hasNoReader(fd: number): boolean {
  try {
    if (!fstatSync(fd).isFIFO()) return false;
    closeSync(openSync(`/proc/self/fd/${String(fd)}`, constants.O_WRONLY | constants.O_NONBLOCK));
    return false;
  } catch (error) {
    return systemErrorCode(error) === 'ENXIO';
  }
}

function exitAborted(): void {
  process.exit(ERROR_TABLE.aborted.exit);
}

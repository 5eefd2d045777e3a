import type { ServerResponse } from 'node:http';
import { LociError } from '../../../core/errors.ts';

/**
 * Runs work for a request, and aborts it after a time limit or when the client disconnects.
 * @throws LociError `timed_out`, `aborted`, and what the work throws
 */
export function withinTime<Result>(
  limitMs: number,
  response: ServerResponse,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  return new Promise((resolve, reject) => {
    const stop = (error: LociError): void => {
      controller.abort(error);
      reject(error);
    };
    const timer = setTimeout(() => {
      stop(new LociError('timed_out', `no answer within ${String(limitMs)} ms`));
    }, limitMs);
    const onClose = (): void => {
      stop(new LociError('aborted', 'the client has disconnected'));
    };
    response.once('close', onClose);
    void work(controller.signal)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer);
        response.off('close', onClose);
      });
  });
}

import type { ServerResponse } from 'node:http';
import { LociError } from '../../../core/errors.ts';

/**
 * Does something until it is done, its time is over, or whoever asked has gone; what it is given then says so.
 * @param limit in milliseconds
 * @throws LociError `timed_out`, `aborted`, and what the work throws
 */
export function withinTime<Result>(
  limit: number,
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
      stop(new LociError('timed_out', `no answer within ${String(limit)} ms`));
    }, limit);
    const onClose = (): void => {
      stop(new LociError('aborted', 'whoever asked has gone'));
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

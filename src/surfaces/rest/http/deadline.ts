import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { LociError } from '../../../core/errors.ts';

/**
 * Runs work for a request, and aborts it after a time limit or when the client disconnects.
 * @param options the hint of `timed_out`, unless to try again is enough
 * @throws LociError `timed_out`, `aborted`, and what the work throws
 */
export async function withinTime<Result>(
  limitMs: number,
  response: ServerResponse,
  work: (signal: AbortSignal) => Promise<Result>,
  options: { readonly hint?: string } = {},
): Promise<Result> {
  const controller = new AbortController();
  const { signal } = controller;
  using _timer = setTimeout(() => {
    controller.abort(new LociError('timed_out', `no answer within ${String(limitMs)} ms`, options));
  }, limitMs);
  const onClose = (): void => controller.abort(new LociError('aborted', 'the client has disconnected'));
  response.once('close', onClose);
  try {
    return await Promise.race([work(signal), once(signal, 'abort') as Promise<never>]);
  } finally {
    response.off('close', onClose);
    // Nobody waits for what the work does after that.
    signal.throwIfAborted();
  }
}

import { parentPort, workerData } from 'node:worker_threads';
import { serveRequests } from '../../core/threads/serve-requests.ts';
import { callNamed, type CallName } from '../sql/calls/calls.ts';
import { Session, type SessionOptions } from './session.ts';

/** A call, whose first parameter is a namespace, or what is done once: `open` checks that the file can be opened, and `close` ends the thread. */
export type ThreadRequest =
  { readonly call: CallName; readonly parameters: readonly unknown[] } | 'open' | 'close';

const session = new Session(workerData as SessionOptions);

async function handle(request: ThreadRequest): Promise<unknown> {
  if (typeof request === 'object') return session.run(request.call, request.parameters);
  if (request === 'open') return session.open();
  await session.close();
  // After the answer is posted.
  setImmediate(() => parentPort?.close());
  return null;
}

serveRequests((message) => handle(message as ThreadRequest), {
  // A namespace that makes many calls does not make another one wait for all of them.
  ownerOf: (message) => {
    const request = message as ThreadRequest;
    return typeof request === 'object' ? String(request.parameters[0]) : '';
  },
  mayShareMessage: (message) => {
    const request = message as ThreadRequest;
    return typeof request === 'object' && callNamed(request.call).isFlat === true;
  },
});

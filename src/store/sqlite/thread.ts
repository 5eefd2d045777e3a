import { parentPort } from 'node:worker_threads';
import { serveRequests } from '../../core/threads/serve-requests.ts';
import type { StoreCall } from '../sql/calls/calls.ts';
import { Session, type SessionOptions } from './session.ts';

/** `open` comes first and `close` last. Only a call has an answer. */
export type ThreadRequest =
  | { readonly open: SessionOptions }
  | { readonly call: StoreCall; readonly parameters: readonly unknown[] }
  | { readonly close: true };

/** Calls whose results may share a message. Another result may be nested too deeply to be decoded, so it is sent alone. */
const FLAT_ANSWERS: ReadonlySet<StoreCall> = new Set<StoreCall>([
  'search.terms',
  'search.retrieve',
  'search.readPassages',
  'records.count',
  'records.bounds',
]);

let session: Session | null = null;

async function handle(request: ThreadRequest): Promise<unknown> {
  if ('open' in request) {
    session = new Session(request.open);
    await session.open();
    return null;
  }
  if ('close' in request) {
    await session?.close();
    // After the answer is posted.
    setImmediate(() => parentPort?.close());
    return null;
  }
  if (session === null) throw new Error('The store is not open.');
  return session.run(request.call, request.parameters);
}

serveRequests((message) => handle(message as ThreadRequest), {
  // Every call has a namespace first. One that makes many calls does not make another wait for all of them.
  ownerOf: (message) => {
    const request = message as ThreadRequest;
    return 'call' in request ? String(request.parameters[0]) : '';
  },
  mayShareMessage: (message) => {
    const request = message as ThreadRequest;
    return 'call' in request && FLAT_ANSWERS.has(request.call);
  },
});

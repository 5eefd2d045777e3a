import { statSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { LociError } from '../../core/errors.ts';
import { serveRequests } from '../../core/threads/serve-requests.ts';
import { storeCalls, type StoreCall, type StoreCalls } from './calls.ts';
import { Database } from './database/database.ts';
import { migrate } from './database/migrate.ts';
import { guarded } from './database/store-error.ts';

export interface ThreadOptions {
  readonly path: string;
  readonly busyTimeoutMs: number;
  /** Inode of the file at the time the store was opened. */
  readonly inode: number;
}

/** `open` comes first and `close` last. Only a call has an answer. */
export type ThreadRequest =
  | { readonly open: ThreadOptions }
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

/** Two connections must not open two different files. */
function assertNotReplaced(path: string, inode: number): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.ino === inode) return;
  const [code, what] =
    found === undefined
      ? (['store_not_found', 'is gone'] as const)
      : (['store_failed', 'was replaced by another file'] as const);
  throw new LociError(code, `${path} ${what} since it was opened`, { hint: 'Open the store again.' });
}

function open({ path, busyTimeoutMs, inode }: ThreadOptions): Database {
  assertNotReplaced(path, inode);
  const db = new Database(path, { busyTimeoutMs });
  try {
    guarded(path, () => {
      migrate(db);
    });
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

type Run = (...parameters: readonly unknown[]) => unknown;

function callNamed(calls: StoreCalls, call: StoreCall): Run {
  const [role = '', name = ''] = call.split('.');
  return (calls as unknown as Readonly<Record<string, Readonly<Record<string, Run>>>>)[role]![name]!;
}

/** The open database and its calls. */
let opened: { readonly db: Database; readonly calls: StoreCalls } | null = null;

function handle(request: ThreadRequest): unknown {
  if ('open' in request) {
    const db = open(request.open);
    opened = { db, calls: storeCalls(db) };
    return null;
  }
  if ('close' in request) {
    opened?.db.close();
    // In a microtask, so that the answer is posted first.
    queueMicrotask(() => parentPort?.close());
    return null;
  }
  if (opened === null) throw new Error('The store is not open.');
  const { db, calls } = opened;
  return guarded(db.path, () => callNamed(calls, request.call)(...request.parameters));
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

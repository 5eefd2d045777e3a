import { statSync, type Stats } from 'node:fs';
import { LociError } from '../../core/errors.ts';
import { withoutAsyncPauses } from '../../core/threads/slices.ts';
import { MAX_YOUNG_HEAP_MB, WorkerClient } from '../../core/threads/worker-client.ts';
import { workerModule } from '../../core/threads/worker-module.ts';
import { traced } from '../sql/calls/activity.ts';
import type { OpenStoreOptions, Store } from '../store.ts';
import type { ConnectedDriver } from '../sql/driver.ts';
import { type CallName, createStore } from '../sql/calls/calls.ts';
import type { Route } from '../sql/calls/define-call.ts';
import type { Session, SessionOptions } from './session.ts';
import type { ThreadRequest } from './thread.ts';
import { fileAccess, guarded } from './database/store-file.ts';

interface SqliteOptions extends OpenStoreOptions {
  readonly path: string;
  /** How long a call waits for another process that writes to the store. Default 5 seconds. */
  readonly busyTimeoutMs?: number;
}

const BUSY_TIMEOUT_MS = 5000;

/** The reader keeps what it needs in caches of its own; a larger one did not make searches of a million passages faster. */
const READER_CACHE_KIB = 8 * 1024;
/** A batch of writes changes thousands of pages, which SQLite writes twice if they do not fit. */
const WRITER_CACHE_KIB = 32 * 1024;

/** @throws LociError `store_not_found`, `store_newer`, `store_corrupt`, `store_full`, `unreadable` */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const shared = await sessionOptions(options);
  const connect = options.inline === true ? await inThisThread() : inThread;
  // The caches of the reader notice the writes of other connections only, so that the writer has its own.
  const connections: Readonly<Record<Route, Connection>> = {
    reader: connect({ ...shared, cacheKib: READER_CACHE_KIB }),
    writer: connect({ ...shared, cacheKib: WRITER_CACHE_KIB }),
  };
  await connections.reader.open();
  let closed: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    // The last connection to close checkpoints the WAL.
    await connections.reader.close();
    await connections.writer.close();
  };
  return {
    ...createStore(
      traced({ 'db.system.name': 'sqlite' }, async (call, route, parameters) => {
        if (closed !== null) throw new LociError('store_failed', `${options.path}: is closed`);
        return withoutAsyncPauses(await connections[route].run(call, parameters));
      }),
    ),
    close: () => (closed ??= close()),
    capabilities: {
      name: 'sqlite',
      location: options.path,
      isRemote: false,
      readOnly: shared.access !== 'write',
    },
  };
}

/** Opens a connection in this thread, for work that reads or writes all of a store. */
export async function connectSqlite(options: SqliteOptions): Promise<ConnectedDriver> {
  const { openDatabase, sqliteDriver } = await import('./session.ts');
  const db = await openDatabase({ ...(await sessionOptions(options)), cacheKib: WRITER_CACHE_KIB });
  return {
    driver: sqliteDriver(db),
    close: async () => {
      db.close();
    },
  };
}

/** The options of sessions of the file, which is created if there is none and it may be. */
async function sessionOptions(options: SqliteOptions): Promise<Omit<SessionOptions, 'cacheKib'>> {
  const { path, busyTimeoutMs = BUSY_TIMEOUT_MS } = options;
  const file =
    guarded(path, () => existingFile(options)) ?? (await import('./database/database.ts')).createFile(path);
  return { path, busyTimeoutMs, inode: file.ino, access: guarded(path, () => fileAccess(path)) };
}

/** A session, in this thread or in another one. */
type Connection = Pick<Session, 'open' | 'run' | 'close'>;

/** With threads, this thread does not need the modules of a session, which take as long to load as the store takes to open. */
async function inThisThread(): Promise<(options: SessionOptions) => Connection> {
  const { Session } = await import('./session.ts');
  return (options) => new Session(options);
}

function inThread(options: SessionOptions): Connection {
  return new StoreThread(options);
}

/**
 * A session in a thread of its own: SQLite's calls are synchronous and must not block the host's event loop. After a failure of the
 * thread, the next call starts another one, which opens the file again.
 */
class StoreThread implements Connection {
  readonly #client: WorkerClient;
  readonly #calls = new Set<Promise<unknown>>();

  constructor(options: SessionOptions) {
    this.#client = new WorkerClient({
      module: workerModule(import.meta.url, 'thread'),
      name: 'loci-store',
      data: options,
      resourceLimits: { maxYoungGenerationSizeMb: MAX_YOUNG_HEAP_MB },
      failure: (reason, cause) => new LociError('store_failed', `${options.path}: ${reason}`, { cause }),
    });
  }

  /** Resolves when the store is open and has the current schema. */
  async open(): Promise<void> {
    try {
      await this.#request('open');
    } catch (error) {
      void this.#client.terminate();
      throw error;
    }
  }

  async run(call: CallName, parameters: readonly unknown[]): Promise<unknown> {
    const running = this.#request({ call, parameters });
    this.#calls.add(running);
    try {
      return await running;
    } finally {
      this.#calls.delete(running);
    }
  }

  /** Resolves when the thread has answered all calls and has exited. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#calls);
    if (!this.#client.isRunning) return;
    const exited = this.#client.exited();
    // A thread that is already ending does not answer.
    await this.#request('close').catch(() => undefined);
    await exited;
  }

  #request(request: ThreadRequest): Promise<unknown> {
    return this.#client.request(request);
  }
}

/** The smallest page size of SQLite: a database has at least one page. */
const MIN_DATABASE_BYTES = 512;

/**
 * The file of the store; `null` if it has to be made. Does not open it, because closing it would release the locks of this process's
 * other connections to it.
 */
function existingFile({ path, create }: SqliteOptions): Stats | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) {
    const what = found.isDirectory() ? 'a folder' : 'not a regular file';
    throw new LociError('unreadable', `${path} is ${what}, but the store must be a file`, {
      hint: 'Set store.path to a file, or move what is at this path.',
    });
  }
  if (found !== undefined) {
    assertNotOtherFile(path, found.size);
    return found;
  }
  if (!create) throw new LociError('store_not_found', `there is no store at ${path}`);
  return null;
}

/** SQLite takes a file of a few bytes for an empty database and would overwrite its content. */
function assertNotOtherFile(path: string, size: number): void {
  if (size >= MIN_DATABASE_BYTES) return;
  if (size === 0)
    throw new LociError('store_corrupt', `${path} is an empty file, and no store; it was left unchanged`, {
      hint: 'Restore a backup of the store. To begin a new memory, remove the file, then run `loci config init`.',
    });
  throw new LociError('store_corrupt', `${path} is not a Loci store; it was left unchanged`, {
    hint: 'Set store.path to another file, or restore a backup.',
  });
}

import { statSync, type Stats } from 'node:fs';
import { LociError } from '../../core/errors.ts';
import { withoutAsyncPauses } from '../../core/threads/slices.ts';
import { MAX_YOUNG_HEAP_MB } from '../../core/threads/worker-client.ts';
import type { OpenStoreOptions, Store } from '../store.ts';
import type { ConnectedDriver } from '../sql/driver.ts';
import { createStoreProxy, type Route } from '../sql/calls/store-proxy.ts';
import { Connection } from './connection.ts';
import type { SessionOptions } from './session.ts';
import { fileAccess } from './database/file-access.ts';
import { guarded } from './database/store-error.ts';

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
  const file =
    guarded(options.path, () => existingFile(options)) ??
    (await import('./database/create-file.ts')).createFile(options.path);
  const access = guarded(options.path, () => fileAccess(options.path));
  const { path, busyTimeoutMs = BUSY_TIMEOUT_MS } = options;
  const shared = { path, busyTimeoutMs, inode: file.ino, access };
  const sessions = {
    reader: { ...shared, cacheKib: READER_CACHE_KIB },
    writer: { ...shared, cacheKib: WRITER_CACHE_KIB },
  };
  const calls = options.inline === true ? await openInline(sessions) : await openInThreads(sessions);
  return {
    ...calls,
    capabilities: {
      name: 'sqlite',
      location: path,
      durable: true,
      shared: true,
      bm25: true,
      vectors: 'approximate',
      readOnly: access !== 'write',
    },
  };
}

/** Opens a connection in this thread, for work that reads or writes all of a store. */
export async function connectSqlite({ path, create }: SqliteOptions): Promise<ConnectedDriver> {
  const file =
    guarded(path, () => existingFile({ path, create })) ??
    (await import('./database/create-file.ts')).createFile(path);
  const [{ openDatabase }, { sqliteDriver }] = await Promise.all([
    import('./session.ts'),
    import('./driver.ts'),
  ]);
  const access = guarded(path, () => fileAccess(path));
  const options = { path, busyTimeoutMs: BUSY_TIMEOUT_MS, inode: file.ino, access };
  const db = await openDatabase({ ...options, cacheKib: WRITER_CACHE_KIB });
  return {
    driver: sqliteDriver(db),
    close: async () => {
      db.close();
    },
  };
}

type OpenCalls = Omit<Store, 'capabilities'>;

/** The options of the session for each route. */
type SessionsOptions = Readonly<Record<Route, SessionOptions>>;

async function openInThreads(options: SessionsOptions): Promise<OpenCalls> {
  const limits = { maxYoungGenerationSizeMb: MAX_YOUNG_HEAP_MB };
  const connections = {
    reader: new Connection(options.reader, limits),
    writer: new Connection(options.writer, limits),
  };
  await connections.reader.open();
  return {
    ...createStoreProxy((call, route, parameters) => connections[route].call(call, parameters)),
    close: async () => {
      // The last connection to close checkpoints the WAL.
      await connections.reader.close();
      await connections.writer.close();
    },
  };
}

/**
 * The caches of the reader notice the writes of other connections only, so that the writer has its own. With threads, this
 * thread does not need the modules of a session, which take as long to load as the store takes to open.
 */
async function openInline(options: SessionsOptions): Promise<OpenCalls> {
  const { Session } = await import('./session.ts');
  let isClosed = false;
  const sessions = { reader: new Session(options.reader), writer: new Session(options.writer) };
  await sessions.reader.open();
  return {
    ...createStoreProxy(async (call, route, parameters) => {
      if (isClosed) throw new LociError('store_failed', `${options.reader.path}: is closed`);
      return withoutAsyncPauses(await sessions[route].run(call, parameters));
    }),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      await sessions.reader.close();
      await sessions.writer.close();
    },
  };
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

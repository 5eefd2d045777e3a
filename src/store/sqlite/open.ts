import { closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { LociError } from '../../core/errors.ts';
import { makePrivateFolder } from '../../core/make-folder.ts';
import type { Store } from '../store.ts';
import type { StoreCall } from './calls.ts';
import { Connection } from './connection.ts';
import { readHeader, type FileHeader } from './file-header.ts';
import { isCurrent } from './migrate.ts';
import { guarded } from './store-error.ts';

export interface SqliteOptions {
  readonly path: string;
  /** Milliseconds to wait for another process's write. */
  readonly busyTimeout: number;
  /** Whether a store that is not there is made; if not, `store_not_found`. */
  readonly create: boolean;
}

/** Who runs a call: readers never wait for a batch that is being written. */
const ROUTES: Readonly<Record<StoreCall, 'reader' | 'writer'>> = {
  commit: 'writer',
  records: 'reader',
  recordsByKey: 'reader',
  countByKey: 'reader',
  sourceEntries: 'reader',
  namespaces: 'reader',
  markRead: 'writer',
  lastReads: 'reader',
  lookUpTerms: 'reader',
  searchText: 'reader',
  searchVectors: 'reader',
  scoreVectors: 'reader',
  neighbours: 'reader',
  passages: 'reader',
  facet: 'reader',
  writtenWith: 'reader',
  generations: 'reader',
  addGeneration: 'writer',
  activateGeneration: 'writer',
  pendingEmbeddings: 'writer',
  countPending: 'reader',
  putVectors: 'writer',
  stats: 'reader',
  staleRecords: 'reader',
  scanRecords: 'reader',
  passagesOf: 'reader',
  putPassages: 'writer',
  markStale: 'writer',
  dropDerived: 'writer',
  sweep: 'writer',
  verify: 'writer',
};

/**
 * A store of this schema is open at once, and its thread (tens of milliseconds) starts beside what the host does next;
 * one that is new or to be migrated when that is done.
 * @throws LociError `store_not_found`, `store_newer`, `store_corrupt`, `store_full`, `unreadable`
 */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const current = guarded(options.path, () => {
    const header = provideFile(options);
    return header !== null && isCurrent(header);
  });
  const threadOptions = { path: options.path, busyTimeout: options.busyTimeout };
  const connections = { reader: new Connection(threadOptions), writer: new Connection(threadOptions) };
  const ready = connections.reader.open();
  // What the file hides behind a sound beginning is told by the first call, which tries again.
  if (current) ready.catch(() => undefined);
  else await ready;
  const store: Record<string, unknown> = {
    capabilities: { name: 'sqlite', durable: true, shared: true },
    close: async () => {
      // The last connection to close folds the journal into the file.
      await connections.reader.close();
      await connections.writer.close();
    },
  };
  for (const [call, route] of Object.entries(ROUTES)) {
    store[call] = (...parameters: unknown[]) => connections[route].call(call as StoreCall, parameters);
  }
  return store as unknown as Store;
}

/** Private notes: nobody else on the machine may read the file or look into its folder. `null` for a new one. */
function provideFile({ path, create }: SqliteOptions): FileHeader | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) {
    throw new LociError('unreadable', `${path} is a folder, and the store is one file`, {
      hint: 'Set store.path to a file, or move the folder away.',
    });
  }
  if (found !== undefined && found.size > 0) return headerOf(path);
  if (!create) throw new LociError('store_not_found', `there is no store at ${path}`);
  makePrivateFolder(dirname(path));
  closeSync(openSync(path, 'a', 0o600));
  return null;
}

/** SQLite takes a file of a few bytes for an empty database and writes over it: it might be a note. */
function headerOf(path: string): FileHeader {
  const header = readHeader(path);
  if (header !== null) return header;
  throw new LociError('store_corrupt', `${path} is no store of Loci; it was left as it is`, {
    hint: 'Set store.path to a file of its own, or restore a backup.',
  });
}

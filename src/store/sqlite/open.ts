import { closeSync, openSync, statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { LociError } from '../../core/errors.ts';
import { makePrivateFolder } from '../../core/fs/make-folder.ts';
import type { Store } from '../store.ts';
import { calledStore } from './called-store.ts';
import type { StoreCall } from './calls.ts';
import { Connection } from './connection.ts';
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
  sourceStates: 'reader',
  changeSourceState: 'writer',
  dropSourceState: 'writer',
  addHits: 'writer',
  lookUpTerms: 'reader',
  searchText: 'reader',
  searchVectors: 'reader',
  scoreVectors: 'reader',
  vectorOf: 'reader',
  newest: 'reader',
  neighbours: 'reader',
  readPassages: 'reader',
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
  listRecords: 'reader',
  countRecords: 'reader',
  factCategories: 'reader',
  heldRecords: 'reader',
  idsOf: 'reader',
  highestId: 'reader',
  heldPage: 'reader',
  standIns: 'reader',
  historyFrom: 'reader',
  nextExpiry: 'reader',
  oldestDeletion: 'reader',
  purge: 'writer',
  doneOnce: 'reader',
  auditEntries: 'reader',
  auditChain: 'reader',
  auditChains: 'reader',
  importAudit: 'writer',
  verifyAudit: 'reader',
  startupEntries: 'reader',
  putStartup: 'writer',
  startupSeen: 'reader',
  noteStartupSeen: 'writer',
  noteHistory: 'writer',
  history: 'reader',
  takeLease: 'writer',
  dropLease: 'writer',
  verify: 'writer',
  addToken: 'writer',
  tokens: 'reader',
  tokenByHash: 'reader',
  revokeToken: 'writer',
};

/** @throws LociError `store_not_found`, `store_newer`, `store_corrupt`, `store_full`, `unreadable` */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const file = guarded(options.path, () => provideFile(options));
  const threadOptions = { path: options.path, busyTimeout: options.busyTimeout, inode: file.ino };
  const connections = { reader: new Connection(threadOptions), writer: new Connection(threadOptions) };
  await connections.reader.open();
  return {
    ...calledStore(Object.keys(ROUTES) as StoreCall[], (call, parameters) =>
      connections[ROUTES[call]].call(call, parameters),
    ),
    capabilities: { name: 'sqlite', durable: true, shared: true },
    close: async () => {
      // The last connection to close folds the journal into the file.
      await connections.reader.close();
      await connections.writer.close();
    },
  };
}

/** SQLite's own databases have a page at least. */
const SMALLEST_PAGE = 512;

/**
 * Private notes: nobody else on the machine may read the file or look into its folder. A file that is there is not
 * opened here: to close it again would take this process's locks away from the connections that it has already.
 */
function provideFile({ path, create }: SqliteOptions): Stats {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) {
    const what = found.isDirectory() ? 'a folder' : 'no file of its own';
    throw new LociError('unreadable', `${path} is ${what}, and the store is one file`, {
      hint: 'Set store.path to a file, or move what is there away.',
    });
  }
  if (found !== undefined && found.size > 0) {
    refuseOtherFile(path, found.size);
    return found;
  }
  if (!create) throw new LociError('store_not_found', `there is no store at ${path}`);
  if (found !== undefined) return found;
  makePrivateFolder(dirname(path));
  closeSync(openSync(path, 'a', 0o600));
  return statSync(path);
}

/** SQLite takes a file of a few bytes for an empty database and writes over it: it might be a note. */
function refuseOtherFile(path: string, size: number): void {
  if (size >= SMALLEST_PAGE) return;
  throw new LociError('store_corrupt', `${path} is no store of Loci; it was left as it is`, {
    hint: 'Set store.path to a file of its own, or restore a backup.',
  });
}

import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type ErrorCode, LociError, messageOf } from '../../../core/errors.ts';
import { describeFileError, isDiskFull } from '../../../core/fs/file-errors.ts';

/** The extended code of SQLITE_IOERR for shared memory that does not fit on the disk. */
const IOERR_SHMSIZE = 4874;

/** Primary result codes, https://www.sqlite.org/rescode.html */
const ERROR_BY_RESULT_CODE: Readonly<Record<number, ErrorCode>> = {
  5: 'store_busy',
  6: 'store_busy',
  8: 'unreadable',
  11: 'store_corrupt',
  13: 'store_full',
  14: 'unreadable',
  23: 'unreadable',
  26: 'store_corrupt',
};

/** Runs the work and turns errors of SQLite and of the file system into errors of Loci. */
export function guarded<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw storeError(path, error);
  }
}

/** The same for work that is asynchronous. */
export async function guardedAsync<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw storeError(path, error);
  }
}

function storeError(path: string, error: unknown): unknown {
  const code = error instanceof LociError ? null : storeErrorCode(error);
  if (code === null) return error;
  const isRebuilt = MISSING_DERIVED_TABLE.test(messageOf(error));
  return new LociError(code, `${path}: ${describe(error)}`, {
    cause: error,
    ...(isRebuilt && { hint: 'Run `loci doctor reindex`, which makes the table again.' }),
    ...(isReadOnly(error) && {
      hint: 'Searches and other reads work. To write, copy the home to where you may.',
    }),
  });
}

function isReadOnly(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 8;
}

/** Tables that `reindex` makes again. */
const MISSING_DERIVED_TABLE =
  /no such table: (main\.)?(graph_\w+|concept_(record|name|mention|changed|progress)|name)$/;

/** Clearer messages than those of SQLite, by primary result code. */
const MESSAGES: Readonly<Record<number, string>> = {
  5: 'another process is writing to it and did not finish in time',
  6: 'another process is writing to it and did not finish in time',
  8: 'it cannot be written: the file, its folder or the disk is read-only',
  11: 'the file is damaged',
  13: 'the disk is full',
  14: 'it cannot be opened: check that it is a file, and that you may read and write it and its folder',
  26: 'the file is not a Loci store',
};

function describe(error: unknown): string {
  if (!(error instanceof Error) || !('errcode' in error)) return describeFileError(error);
  return MESSAGES[Number(error.errcode) & 0xff] ?? messageOf(error);
}

/** The code for an error of SQLite or of the file system; `null` for any other error. */
function storeErrorCode(error: unknown): ErrorCode | null {
  if (!(error instanceof Error)) return null;
  if ('errcode' in error && typeof error.errcode === 'number') {
    if (error.errcode === IOERR_SHMSIZE) return 'store_full';
    return ERROR_BY_RESULT_CODE[error.errcode & 0xff] ?? 'store_failed';
  }
  if ('syscall' in error && 'code' in error) return isDiskFull(error) ? 'store_full' : 'unreadable';
  return null;
}

/** How a store can be opened. `immutable` reads without locks: a session looks itself whether the file has changed. */
export type FileAccess = 'write' | 'read' | 'immutable';

/**
 * How the store at a path can be opened: a mounted backup and the folder of another user may only be read.
 * @throws LociError `unreadable` if changes are in its write-ahead log that cannot be read without writing
 */
export function fileAccess(path: string): FileAccess {
  const [log, index] = [`${path}-wal`, `${path}-shm`];
  // A process that has the store open has made both files, so that another one need not.
  const canMakeLog = isWritable(dirname(path)) || (isWritable(log) && isWritable(index));
  if (isWritable(path) && canMakeLog) return 'write';
  const changes = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  const hasIndex = statSync(index, { throwIfNoEntry: false }) !== undefined;
  if (changes > 0 && hasIndex) return 'read';
  if (changes === 0) return 'immutable';
  throw new LociError('unreadable', `${path}: its last changes are in ${log}, which cannot be read here`, {
    hint: 'Copy the folder of the store to where you may write, and set store.path or --home to the copy.',
  });
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

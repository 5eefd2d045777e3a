import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { LociError } from '../../../core/errors.ts';

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

import { randomUUID } from 'node:crypto';
import { constants, copyFileSync, linkSync, rmSync, statSync, writeFileSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { systemErrorCode } from '../../../core/fs/file-errors.ts';
import { makePrivateFolder } from '../../../core/fs/files.ts';
import { APPLICATION_ID, Database } from './database.ts';
import { guarded } from './store-error.ts';

/**
 * Creates the file of a store and its folder, so that no other user of the machine can read them. A database without tables is made
 * under another name first, so that no file at the path is ever empty: an empty file is what a failed copy leaves of a store. Another
 * process may make the file at the same time.
 */
export function createFile(path: string): Stats {
  return guarded(path, () => {
    makePrivateFolder(dirname(path));
    makeFile(path);
    return statSync(path);
  });
}

function makeFile(path: string): void {
  const draft = `${path}.${randomUUID()}.new`;
  try {
    writeFileSync(draft, '', { flag: 'wx', mode: 0o600 });
    const db = new Database(draft, { busyTimeoutMs: 0 });
    db.exec(`PRAGMA application_id = ${String(APPLICATION_ID)}`);
    db.close();
    placeFile(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

function placeFile(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return;
    // Not every file system has hard links.
    copyFileSync(draft, path, constants.COPYFILE_EXCL);
  }
}

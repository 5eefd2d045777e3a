import { mkdirSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../../../core/fs/file-errors.ts';

/** The folder of the sockets, in the home. */
const FOLDER = 'run';

/** Makes the folder if it is missing. Returns `null` for one that other users can enter. */
export async function privateFolder(home: string): Promise<string | null> {
  const folder = join(home, FOLDER);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  }
  const found = await lstat(folder);
  const isPrivate = found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  return isPrivate ? folder : null;
}

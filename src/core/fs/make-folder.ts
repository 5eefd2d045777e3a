import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and its missing parents, which only the owner can access. Does not use the recursion of `mkdir`, which
 * never ends if a parent exists but takes no folders, such as `/proc` (Node 24).
 * @returns whether the folder was made
 * @throws the error of the file system
 */
export function makePrivateFolder(path: string): boolean {
  if (existsSync(path)) return false;
  const parent = dirname(path);
  if (parent !== path) makePrivateFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    // Another process has made it meanwhile.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

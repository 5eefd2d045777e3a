import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder, and those it stands in as far as they are missing, for the owner alone. Answers whether it was made.
 * Not by `mkdir`'s own recursion: that never ends where a parent is there but takes no folders, as `/proc` (Node 24).
 * Throws what the file system says.
 */
export function makePrivateFolder(path: string): boolean {
  if (existsSync(path)) return false;
  const parent = dirname(path);
  if (parent !== path) makePrivateFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    // Another process was quicker.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

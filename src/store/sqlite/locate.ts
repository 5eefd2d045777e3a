import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StoreLocation } from '../store.ts';

/** A store of SQLite is a file. */
export function locateSqliteStore(path: string): StoreLocation {
  return {
    name: path,
    file: path,
    stateFolder: dirname(path),
    // Device and inode.
    identity: async () => {
      const found = await stat(path).catch(() => null);
      return found === null ? null : `${String(found.dev)}:${String(found.ino)}`;
    },
  };
}

import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { readAtMost } from '../read-at-most.ts';

/** Opening does not block if the file is replaced by a FIFO. Windows has no such flag. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- undefined on Windows, whatever the types say
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Reads a file, and follows links. Never blocks, and never needs much more than `maxBytes` of memory.
 * @returns the bytes; `'too large'` above `maxBytes`; `'folder'` or `'special'` (a FIFO, a device, a socket) otherwise
 * @throws the error of the file system if the file is missing or unreadable
 */
export async function readRegularFile(
  path: string,
  maxBytes: number,
): Promise<Uint8Array | 'too large' | 'folder' | 'special'> {
  // Opening a device may have side effects; `stat` has none.
  const pathStats = await stat(path);
  if (pathStats.isDirectory()) return 'folder';
  if (!pathStats.isFile()) return 'special';
  await using handle = await open(path, OPEN_FLAGS);
  const handleStats = await handle.stat();
  if (!handleStats.isFile()) return 'special';
  // This check saves reading. The final check is below, because the file may grow, and files of /proc have size 0.
  if (handleStats.size > maxBytes) return 'too large';
  const stream = handle.createReadStream({ autoClose: false, end: maxBytes });
  const { bytes, isWhole } = await readAtMost(stream, maxBytes);
  return isWhole ? bytes : 'too large';
}

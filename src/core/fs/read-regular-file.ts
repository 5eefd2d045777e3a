import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';

/** Does not block if a FIFO takes the place of the file. Windows has no such flag. */
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
  // To open a device may have effects; `stat` has none.
  const found = await stat(path);
  if (found.isDirectory()) return 'folder';
  if (!found.isFile()) return 'special';
  await using handle = await open(path, OPEN_FLAGS);
  const opened = await handle.stat();
  if (!opened.isFile()) return 'special';
  // The file may still grow, and files of /proc have no size: the bytes that were read decide.
  if (opened.size > maxBytes) return 'too large';
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of handle.createReadStream({ autoClose: false, end: maxBytes })) {
    chunks.push(chunk as Uint8Array);
    length += (chunk as Uint8Array).length;
  }
  return length > maxBytes ? 'too large' : Buffer.concat(chunks);
}

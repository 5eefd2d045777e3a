import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';

/** A FIFO put in the file's place must not hold us. Windows does not know the flag. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- undefined on Windows, whatever the types say
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * The bytes of a file that somebody names, links followed, and never more than `maxBytes` of memory for it: `'too large'`
 * above that, `'folder'` and `'special'` (a FIFO, a device, a socket) for what is no file. It waits for nobody.
 * @throws the file system's error when there is none or it may not be read
 */
export async function readRegularFile(
  path: string,
  maxBytes: number,
): Promise<Uint8Array | 'too large' | 'folder' | 'special'> {
  // Opening may do things where it is no file (a device); looking may not.
  const found = await stat(path);
  if (found.isDirectory()) return 'folder';
  if (!found.isFile()) return 'special';
  await using handle = await open(path, OPEN_FLAGS);
  const opened = await handle.stat();
  if (!opened.isFile()) return 'special';
  // Its size says nothing of a file that grows meanwhile, nor of those of /proc.
  if (opened.size > maxBytes) return 'too large';
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of handle.createReadStream({ autoClose: false, end: maxBytes })) {
    chunks.push(chunk as Uint8Array);
    length += (chunk as Uint8Array).length;
  }
  return length > maxBytes ? 'too large' : Buffer.concat(chunks);
}

import { randomBytes } from 'node:crypto';
import { constants, existsSync, mkdirSync } from 'node:fs';
import { open, realpath, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readAtMost } from '../read-at-most.ts';

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

/**
 * Replaces or creates a file atomically: a reader sees either the old or the new text, even after a crash. If the file is a
 * symbolic link, its target is replaced.
 * @param mode permissions of the new file
 * @throws the error of the file system; the old file is then unchanged
 */
export async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeNew(temporary, text, mode);
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(target));
}

async function writeNew(file: string, text: string, mode: number): Promise<void> {
  await using handle = await open(file, 'wx', mode);
  await handle.writeFile(text);
  await handle.sync();
}

/** Makes a rename durable by syncing its folder. Windows cannot open folders and does not need it. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}

import { constants } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, readlink, realpath, stat } from 'node:fs/promises';
import { resolveWithin } from './paths.ts';

export interface FileContent {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly stats: BigIntStats;
}

/**
 * Symlinks are resolved before the file is opened. Opening a FIFO that has replaced the file must not block. Windows has
 * neither flag.
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- undefined on Windows, whatever the types say
export const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Reads a file below a real root.
 * @param options.exact whether no symlink below the root is followed, because folders below it may belong to others
 * @returns `'outside'` if the path leads out of the root, even if it began to do so while it was opened; `'special'` if it is
 *   no regular file; only the size if that is above `maxBytes`
 * @throws the file system's error if the file is gone or may not be read
 */
export async function readWithin(
  realRoot: string,
  key: string,
  maxBytes: number,
  options: { readonly exact?: boolean } = {},
): Promise<FileContent | { readonly tooLarge: bigint } | 'outside' | 'special'> {
  const real = await resolveWithin(realRoot, key, options);
  if (real === null) return 'outside';
  // Opening a device may have side effects, stat has none.
  if (!(await stat(real)).isFile()) return 'special';
  await using handle = await open(real, OPEN_FLAGS);
  const stats = await handle.stat({ bigint: true });
  if (!stats.isFile()) return 'special';
  if (!(await isOpenedAt(real, handle, stats))) return 'outside';
  if (stats.size > BigInt(maxBytes)) return { tooLarge: stats.size };
  // If the file grows meanwhile, the bytes beyond the size in its revision are not read.
  const buffer = new Uint8Array(Number(stats.size));
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return { bytes: buffer.subarray(0, length), stats };
}

/**
 * Whether the opened file is the one at a real path. A symlink may have been put into its path after the path was resolved. Linux
 * reports the path of an open file. Elsewhere the path is resolved again and compared with the file, which leaves a race of
 * microseconds for a process that can rename folders in the vault.
 */
async function isOpenedAt(real: string, handle: FileHandle, opened: BigIntStats): Promise<boolean> {
  const openedPath = await readlink(`/proc/self/fd/${String(handle.fd)}`).catch(() => null);
  // Another file may have replaced it since.
  if (openedPath !== null) return openedPath === real || openedPath === `${real} (deleted)`;
  const now = await stat(real, { bigint: true });
  return now.dev === opened.dev && now.ino === opened.ino && (await realpath(real)) === real;
}

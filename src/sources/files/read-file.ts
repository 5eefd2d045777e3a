import { constants } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, readlink, realpath, stat } from 'node:fs/promises';
import { isWithin, resolveWithin } from './paths.ts';

export interface ReadFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly stats: BigIntStats;
}

/** Links are resolved before; a FIFO put in the file's place must not hold us. Windows knows neither flag. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- undefined on Windows, whatever the types say
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * The bytes of what a key names below a real root. `'outside'` when its path leads out of the root (also when
 * it came to do so while it was opened), `'special'` for what is no regular file, its size alone above `maxBytes`.
 * @throws the file system's error when the file is gone or may not be read
 */
export async function readWithin(
  realRoot: string,
  key: string,
  maxBytes: number,
): Promise<ReadFile | { readonly tooLarge: bigint } | 'outside' | 'special'> {
  const real = await resolveWithin(realRoot, key);
  if (real === null) return 'outside';
  // Opening may do things where it is no file (a device); looking may not.
  if (!(await stat(real)).isFile()) return 'special';
  await using handle = await open(real, OPEN_FLAGS);
  const stats = await handle.stat({ bigint: true });
  if (!stats.isFile()) return 'special';
  if (!(await cameFrom(realRoot, real, handle, stats))) return 'outside';
  if (stats.size > BigInt(maxBytes)) return { tooLarge: stats.size };
  // Of a file that grows meanwhile, what its revision speaks of.
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
 * Whether the opened file lies below the root, although a symlink may have been put into its path since that was
 * resolved. Linux says where an open file lies. Elsewhere the path is resolved again and compared with the file,
 * which leaves a window of microseconds to whoever may rename folders in the vault.
 */
async function cameFrom(
  realRoot: string,
  real: string,
  handle: FileHandle,
  opened: BigIntStats,
): Promise<boolean> {
  const place = await readlink(`/proc/self/fd/${String(handle.fd)}`).catch(() => null);
  if (place !== null) return isWithin(realRoot, place);
  const now = await stat(real, { bigint: true });
  return now.dev === opened.dev && now.ino === opened.ino && (await realpath(real)) === real;
}

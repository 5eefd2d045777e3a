import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import type { Timestamp } from '../../core/types.ts';
import { resolveWithin } from './paths.ts';

interface FileContent {
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
  const opened = await openWithin(realRoot, key, options);
  if (typeof opened === 'string') return opened;
  await using handle = opened.handle;
  const { stats } = opened;
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
 * Opens a file below a real root for reading. The caller closes it.
 * @returns as `readWithin`
 * @throws the file system's error if the file is gone or may not be read
 */
export async function openWithin(
  realRoot: string,
  key: string,
  options: { readonly exact?: boolean } = {},
): Promise<{ readonly handle: FileHandle; readonly stats: BigIntStats } | 'outside' | 'special'> {
  const real = await resolveWithin(realRoot, key, options);
  if (real === null) return 'outside';
  // Opening a device may have side effects, stat has none.
  if (!(await stat(real)).isFile()) return 'special';
  const handle = await open(real, OPEN_FLAGS);
  try {
    const stats = await handle.stat({ bigint: true });
    const problem = !stats.isFile() ? 'special' : (await isOpenedAt(real, handle, stats)) ? null : 'outside';
    if (problem === null) return { handle, stats };
    await handle.close();
    return problem;
  } catch (error) {
    await handle.close();
    throw error;
  }
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

/** Larger notes are skipped. */
export const MAX_NOTE_BYTES = 5_000_000;

/** The formats of files that are notes. */
export type NoteFormat = 'markdown' | 'text' | 'canvas';

/** By the ending of the name, in lower case. */
const FORMATS: Readonly<Record<string, NoteFormat>> = {
  md: 'markdown',
  markdown: 'markdown',
  txt: 'text',
  canvas: 'canvas',
};

/** The format of a file by its name; `null` if it is no note. */
export function noteFormat(key: string): NoteFormat | null {
  const ending = /\.([a-z]+)$/i.exec(key)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(FORMATS, ending) ? FORMATS[ending]! : null;
}

/** ISO 8601 writes years with four digits. */
export const MIN_TIME = Date.parse('0001-01-01T00:00:00Z');
export const MAX_TIME = Date.parse('9999-12-31T00:00:00Z');

/** Limits the time of a file to what ISO 8601 can write. Some file systems store times outside of that. */
export function timeOfFile(milliseconds: bigint): Timestamp {
  return Math.max(MIN_TIME, Math.min(MAX_TIME, Number(milliseconds)));
}

/** Nobody edits half of a vault of at least this many notes within this time, so a program has written those files. */
const MIN_FILES = 20;
const MAX_SPAN_MS = 600_000;

/** A span of times, both ends included. */
export interface TimeSpan {
  readonly from: Timestamp;
  readonly until: Timestamp;
}

/**
 * When the files of a folder were written by a program, such as `git clone`, a synchronisation or a copy. Their times then say nothing of
 * what is in them. It is the span of ten minutes with the most files, if it has half of at least 20. More than half is not asked for,
 * since the notes that nobody has edited would else have the time of the copy again as soon as some others have been edited.
 * @param times of the last changes; `null` where no program has written them
 */
export function copySpan(times: readonly Timestamp[]): TimeSpan | null {
  if (times.length < MIN_FILES) return null;
  const sorted = Float64Array.from(times).toSorted();
  let [first, best, count] = [0, 0, 0];
  for (const [last, time] of sorted.entries()) {
    while (time - sorted[first]! > MAX_SPAN_MS) first++;
    if (last - first + 1 > count) [best, count] = [first, last - first + 1];
  }
  return 2 * count < times.length ? null : { from: sorted[best]!, until: sorted[best + count - 1]! };
}

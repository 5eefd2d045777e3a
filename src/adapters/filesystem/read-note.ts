import {
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type BigIntStats,
} from 'node:fs';
import path from 'node:path';
import { MAX_NOTE_BYTES } from '../../sources/files/note-format.ts';
import { OPEN_FLAGS } from '../../sources/files/read-file.ts';
import { noteText } from '../pools/note-head.ts';
import { revisionOf } from '../pools/pool-files.ts';

export interface NoteText {
  readonly text: string;
  readonly revision: string;
  /** When the file was changed last, in milliseconds since 1970. */
  readonly changedAt: number;
}

/**
 * Reads a note that was listed. The calls block, for threads.
 * @returns `null` if it is gone, also if another file has taken its place; why it is not read otherwise
 * @throws the file system's error if the file is gone or may not be read
 */
export function readNote(root: string, key: string): NoteText | { readonly problem: string } | null {
  const file = path.join(root, key);
  const descriptor = openSync(file, OPEN_FLAGS);
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    // A link may have taken the place of a folder since the listing, and lead to a pool that the agent does not see.
    if (!stats.isFile() || !isAt(file, descriptor, stats)) return null;
    if (stats.size > BigInt(MAX_NOTE_BYTES))
      return { problem: `it has more than ${String(MAX_NOTE_BYTES)} bytes` };
    const text = noteText(key, readAll(descriptor, Number(stats.size)));
    if (text === null) return { problem: 'it is no text' };
    return { text, revision: revisionOf(stats), changedAt: Number(stats.ctimeMs) };
  } finally {
    closeSync(descriptor);
  }
}

/** Whether the opened file has this path, without links. Linux reports the path of an open file. */
function isAt(file: string, descriptor: number, opened: BigIntStats): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${String(descriptor)}`) === file;
  } catch {
    const now = lstatSync(file, { bigint: true });
    return now.dev === opened.dev && now.ino === opened.ino && realpathSync(file) === file;
  }
}

/** Beyond the size that the revision has, nothing is read. */
function readAll(descriptor: number, size: number): Uint8Array {
  const buffer = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const count = readSync(descriptor, buffer, length, size - length, length);
    if (count === 0) break;
    length += count;
  }
  return buffer.subarray(0, length);
}

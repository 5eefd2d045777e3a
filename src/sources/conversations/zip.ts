import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { LociError } from '../../core/errors.ts';

/** Reads bytes of an archive: fewer only at its end. */
export type ReadAt = (offset: number, length: number) => Promise<Buffer>;

/** A file in a ZIP archive. */
export interface ZipEntry {
  /** As the archive has it. It is only shown and compared: nothing is written under it. */
  readonly name: string;
  readonly size: number;
  readonly compressedSize: number;
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly crc: number;
  /** Where its own header begins. */
  readonly offset: number;
}

const [END, END_64, LOCATOR_64, CENTRAL, LOCAL] = [
  0x06054b50, 0x06064b50, 0x07064b50, 0x02014b50, 0x04034b50,
];
const [STORED, DEFLATED] = [0, 8];
const [END_BYTES, MAX_COMMENT_BYTES, CHUNK_BYTES] = [22, 65_535, 256 * 1024];
const MAX_DIRECTORY_BYTES = 128 * 1024 * 1024;
/** Texts are compressed to a fifth. A file that grows more, and is not small, is made to fill a disk or a memory. */
const [MAX_RATIO, MAX_UNCHECKED_BYTES] = [200, 100 * 1024 * 1024];

/** Whether the first bytes of a file are those of a ZIP archive. */
export function isZip(head: Buffer): boolean {
  return head.length >= 4 && (head.readUInt32LE(0) === LOCAL || head.readUInt32LE(0) === END);
}

/** The files of an archive (PKWARE's APPNOTE 6.3, with ZIP64). @throws LociError `unreadable` for a damaged archive */
export async function readZipDirectory(read: ReadAt, size: number): Promise<ZipEntry[]> {
  const tail = await read(Math.max(0, size - END_BYTES - MAX_COMMENT_BYTES), END_BYTES + MAX_COMMENT_BYTES);
  let end = tail.length - END_BYTES;
  while (end >= 0 && tail.readUInt32LE(end) !== END) end--;
  if (end < 0) throw damaged('its directory is missing: it was cut, or is no ZIP archive');
  let [bytes, start] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
  if (end >= 20 && tail.readUInt32LE(end - 20) === LOCATOR_64) {
    const record = await read(Number(tail.readBigUInt64LE(end - 12)), 56);
    if (record.length < 56 || record.readUInt32LE(0) !== END_64) throw damaged('its directory is damaged');
    [bytes, start] = [Number(record.readBigUInt64LE(40)), Number(record.readBigUInt64LE(48))];
  }
  if (bytes > MAX_DIRECTORY_BYTES || start + bytes > size) throw damaged('its directory is damaged');
  const directory = await read(start, bytes);
  const entries: ZipEntry[] = [];
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === CENTRAL;) {
    const nameEnd = at + 46 + directory.readUInt16LE(at + 28);
    const extraEnd = nameEnd + directory.readUInt16LE(at + 30);
    entries.push(entryOf(directory.subarray(at, nameEnd), directory.subarray(nameEnd, extraEnd)));
    at = extraEnd + directory.readUInt16LE(at + 32);
  }
  return entries;
}

function entryOf(header: Buffer, extra: Buffer): ZipEntry {
  const large: number[] = [];
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2))
    for (let from = at + 4; extra.readUInt16LE(at) === 1 && from + 8 <= extra.length; from += 8)
      large.push(Number(extra.readBigUInt64LE(from)));
  /** A field of 4 bytes; all bits set stand for the next field of ZIP64. */
  const field = (offset: number): number => {
    const value = header.readUInt32LE(offset);
    return value === 0xffffffff ? (large.shift() ?? value) : value;
  };
  const [size, compressedSize, offset] = [field(24), field(20), field(42)];
  const isEncrypted = (header.readUInt16LE(8) & 1) === 1;
  const [method, crc] = [header.readUInt16LE(10), header.readUInt32LE(16)];
  return { name: header.toString('utf8', 46), size, compressedSize, offset, method, isEncrypted, crc };
}

/**
 * The content of an entry.
 * @throws LociError `unreadable` for one that is encrypted, damaged, longer than the archive says, or made to grow without bounds. What
 *   came before the damage has been read then.
 */
export async function* readEntry(read: ReadAt, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  const { method, size, compressedSize } = entry;
  if (entry.isEncrypted) throw damaged('it is encrypted');
  if (method !== STORED && method !== DEFLATED)
    throw damaged(`it is compressed with method ${String(method)}, which is not read`);
  const header = await read(entry.offset, 30);
  if (header.length < 30 || header.readUInt32LE(0) !== LOCAL) throw damaged('it is damaged');
  const start = entry.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  const raw = rawBytes(read, start, start + compressedSize);
  let [length, crc] = [0, 0];
  try {
    for await (const chunk of method === STORED ? raw : decompressed(raw, createInflateRaw())) {
      length += chunk.length;
      if (length > size) throw damaged('it is longer than the archive says');
      if (length > MAX_UNCHECKED_BYTES && length > MAX_RATIO * compressedSize)
        throw damaged(`it grows to more than ${String(MAX_RATIO)} times its compressed size`);
      crc = crc32(chunk, crc);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof LociError ? error : damaged('it is damaged', error);
  }
  if (length !== size || crc !== entry.crc) throw damaged('it is damaged: its checksum differs');
}

async function* rawBytes(read: ReadAt, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end;) {
    const chunk = await read(at, Math.min(CHUNK_BYTES, end - at));
    if (chunk.length === 0) throw damaged('the archive ends within it');
    at += chunk.length;
    yield chunk;
  }
}

/** The bytes that a stream of zlib makes of others. */
export async function* decompressed(
  bytes: AsyncIterable<Uint8Array>,
  stream: Transform,
): AsyncGenerator<Uint8Array> {
  // Its errors are those of the stream that is read here.
  pipeline(Readable.from(bytes), stream).catch(() => undefined);
  yield* stream as AsyncIterable<Uint8Array>;
}

function damaged(message: string, cause?: unknown): LociError {
  return new LociError('unreadable', message, { cause });
}

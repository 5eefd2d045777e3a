import { type BigIntStats, createWriteStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, readdir, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { LociError } from '../../core/errors.ts';
import { describeFileError, systemErrorCode, unreadableError } from '../../core/fs/file-errors.ts';
import type { Conversation, ConversationFile, ReportProblem } from '../conversation.ts';
import { isWithin } from '../files/paths.ts';
import { openWithin } from '../files/read-file.ts';
import { readConversations } from './read-conversations.ts';
import { decompressed, isZip, type ReadAt, readEntry, readZipDirectory } from './zip.ts';

/** Codex compresses old rollouts. */
const WANTED = /\.(?:json|jsonl|jsonl\.zst|zip)$/i;
const ZSTANDARD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const IGNORED = /^(?:\.|node_modules$)/;
const CHUNK_BYTES = 1024 * 1024;
const MAX_DEPTH = 20;
/** What the files in an archive may have together, as a multiple of its size and in addition to that. */
const [MAX_GROWTH, MAX_SMALL_BYTES] = [200, 1024 ** 3];
/** Grows when the same files have other conversations, so that all are read again. */
const READER_VERSION = 1;

/**
 * Lists the files below a folder that may have conversations, by their names, or the given file whatever its name. Links are followed
 * within the folder, and each folder is entered once.
 * @throws LociError `unreadable` if the folder or file cannot be read
 */
export async function* conversationFiles(
  path: string,
  report: ReportProblem,
): AsyncGenerator<ConversationFile> {
  const root = await realpath(path).catch((error: unknown) => {
    throw unreadableError(path, error);
  });
  const stats = await stat(root, { bigint: true });
  const entered = new Set<string>();
  if (stats.isDirectory()) yield* filesBelow('', root, 0);
  else yield { root: dirname(root), key: basename(root), revision: revisionOf(stats) };

  async function* filesBelow(folder: string, real: string, depth: number): AsyncGenerator<ConversationFile> {
    if (entered.has(real) || depth > MAX_DEPTH) return;
    entered.add(real);
    const names = await readdir(real).catch((error: unknown) => {
      if (folder === '') throw unreadableError(real, error);
      report({ location: folder, message: describeFileError(error) });
      return [];
    });
    for (const name of names.filter((each) => !IGNORED.test(each)).sort()) {
      const key = folder === '' ? name : `${folder}/${name}`;
      const target = await realpath(join(real, name)).catch((error: unknown) => error);
      const found =
        typeof target === 'string'
          ? await stat(target, { bigint: true }).catch((error: unknown) => error)
          : target;
      if (typeof target !== 'string' || found instanceof Error) {
        // A program may remove a file meanwhile.
        if (systemErrorCode(found) !== 'ENOENT') report({ location: key, message: describeFileError(found) });
        continue;
      }
      const stats = found as BigIntStats;
      const isFile = stats.isFile() && WANTED.test(name);
      if (!isFile && !stats.isDirectory()) continue;
      if (!isWithin(root, target)) report({ location: key, message: 'the link leads out of the folder' });
      else if (isFile) yield { root, key, revision: revisionOf(stats) };
      else yield* filesBelow(key, target, depth + 1);
    }
  }
}

function revisionOf({ size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [READER_VERSION, size, mtimeNs, ctimeNs].join('-');
}

/** The conversations of a file, or of the files in an archive and in an archive within it. What cannot be read is reported. */
export async function* conversationsOf(
  { root, key }: ConversationFile,
  report: ReportProblem,
): AsyncGenerator<Conversation> {
  try {
    const opened = await openWithin(root, key);
    if (opened === 'outside') throw new LociError('unreadable', 'it leads out of the folder');
    if (opened === 'special') throw new LociError('unreadable', 'it is not a regular file');
    await using handle = opened.handle;
    const head = await readAt(handle)(0, 4);
    if (isZip(head)) yield* conversationsOfZip(key, handle, report);
    else if (head.equals(ZSTANDARD))
      yield* readConversations(key, decompressed(bytesOf(handle), createZstdDecompress()), report);
    else yield* readConversations(key, bytesOf(handle), report);
  } catch (error) {
    if (error instanceof LociError && error.code !== 'unreadable') throw error;
    report({ location: key, message: describeFileError(error) });
  }
}

async function* conversationsOfZip(
  archive: string,
  handle: FileHandle,
  report: ReportProblem,
  depth = 0,
): AsyncGenerator<Conversation> {
  const [read, { size }] = [readAt(handle), await handle.stat()];
  const entries = (await readZipDirectory(read, size)).filter(({ name }) => WANTED.test(name));
  const total = entries.reduce((sum, entry) => sum + entry.size, 0);
  if (total > MAX_GROWTH * size + MAX_SMALL_BYTES)
    throw new LociError(
      'unreadable',
      `its files have ${String(total)} bytes, which is too much for its size`,
    );
  for (const entry of entries) {
    const name = `${archive}/${entry.name}`;
    try {
      const bytes = readEntry(read, entry);
      if (!/\.zip$/i.test(name)) yield* readConversations(name, bytes, report);
      else if (depth === 0) yield* conversationsOfInnerZip(name, bytes, report);
      else throw new LociError('unreadable', 'an archive within one in an archive is not read');
    } catch (error) {
      if (!(error instanceof LociError) || error.code !== 'unreadable') throw error;
      report({ location: name, message: error.message });
    }
  }
}

/** An archive is not read from its beginning to its end, so that one in another is written to a temporary file. */
async function* conversationsOfInnerZip(
  name: string,
  bytes: AsyncIterable<Uint8Array>,
  report: ReportProblem,
): AsyncGenerator<Conversation> {
  const folder = await mkdtemp(join(tmpdir(), 'loci-import-'));
  try {
    const file = join(folder, 'inner.zip');
    await pipeline(bytes, createWriteStream(file, { mode: 0o600 }));
    await using handle = await open(file);
    yield* conversationsOfZip(name, handle, report, 1);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function readAt(handle: FileHandle): ReadAt {
  return async (offset, length) => {
    const buffer = Buffer.allocUnsafe(length);
    let done = 0;
    for (let bytes = -1; bytes !== 0 && done < length; done += bytes)
      bytes = (await handle.read(buffer, done, length - done, offset + done)).bytesRead;
    return buffer.subarray(0, done);
  };
}

async function* bytesOf(handle: FileHandle): AsyncGenerator<Uint8Array> {
  const read = readAt(handle);
  for (let offset = 0; ;) {
    const chunk = await read(offset, CHUNK_BYTES);
    if (chunk.length === 0) return;
    offset += chunk.length;
    yield chunk;
  }
}

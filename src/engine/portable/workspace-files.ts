import { readdir, realpath, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { LociError } from '../../core/errors.ts';
import { describeFileError, unreadableError } from '../../core/fs/file-errors.ts';
import { decodeText } from '../../sources/files/decode-text.ts';
import { readWithin, timeOfFile } from '../../sources/files/read-file.ts';
import { isPlainKey } from '../../sources/files/paths.ts';
import type { ImportInput, ImportRemark } from './import-report.ts';

const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** The text files of a workspace: a folder, or texts that the caller passes with their paths. */
export interface WorkspaceFiles {
  readonly name: string;
  /** The folder with links resolved; `null` for texts that the caller passes. */
  readonly root: string | null;
  /** Relative to the folder, with `/`, sorted. */
  readonly paths: readonly string[];
  /** Files and folders that cannot be read. */
  readonly problems: readonly ImportRemark[];
  /** Milliseconds; `null` when unknown. */
  changedAt(path: string): Promise<number | null>;
  /**
   * The text without a byte order mark and with `\n` as the end of each line.
   * @throws LociError `unreadable`, `invalid_input` for a file that is not text
   */
  read(path: string): Promise<string>;
}

/** @throws LociError `invalid_input` for a path that leads out of the folder or occurs twice */
export function givenFiles(files: NonNullable<ImportInput['files']>): WorkspaceFiles {
  const contents = new Map<string, string>();
  for (const { path, content } of files) {
    const name = JSON.stringify(path.slice(0, 200));
    if (!isPlainKey(path)) throw new LociError('invalid_input', `${name} is not a path within a folder`);
    if (contents.has(path)) throw new LociError('invalid_input', `the file ${name} is given twice`);
    contents.set(path, content);
  }
  return {
    name: 'the given files',
    root: null,
    paths: [...contents.keys()].sort(),
    problems: [],
    changedAt: async () => null,
    read: async (path) => contents.get(path) ?? '',
  };
}

/**
 * Lists the files of a folder that `isWanted` accepts. Links are not followed and are reported as problems.
 * @throws LociError `unreadable` when the folder cannot be read
 */
export async function filesBelow(root: string, isWanted: (path: string) => boolean): Promise<WorkspaceFiles> {
  const realRoot = await realpath(root).catch((error: unknown) => {
    throw unreadableError(root, error);
  });
  const problems: ImportRemark[] = [];
  const paths = await listFiles(realRoot, '', isWanted, problems);
  return {
    name: basename(realRoot),
    root: realRoot,
    paths: paths.sort(),
    problems,
    changedAt: async (path) => timeOfFile((await stat(`${realRoot}/${path}`, { bigint: true })).mtimeMs),
    read: (path) => readText(realRoot, path),
  };
}

async function listFiles(
  realRoot: string,
  folder: string,
  isWanted: (path: string) => boolean,
  problems: ImportRemark[],
): Promise<string[]> {
  const found: string[] = [];
  const entries = await readdir(`${realRoot}/${folder}`, { withFileTypes: true }).catch((error: unknown) => {
    if (folder === '') throw unreadableError(realRoot, error);
    problems.push({ location: folder, message: describeFileError(error) });
    return [];
  });
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (!isWanted(path)) continue;
    if (entry.isDirectory()) found.push(...(await listFiles(realRoot, path, isWanted, problems)));
    else if (entry.isFile()) found.push(path);
    else
      problems.push({
        location: path,
        message: entry.isSymbolicLink() ? 'links are not followed' : 'it is not a regular file',
      });
  }
  return found;
}

async function readText(realRoot: string, path: string): Promise<string> {
  const read = await readWithin(realRoot, path, MAX_FILE_BYTES).catch((error: unknown) => {
    throw unreadableError(path, error);
  });
  if (read === 'outside') throw new LociError('unreadable', 'it leads out of the folder');
  if (read === 'special') throw new LociError('unreadable', 'it is not a regular file');
  if ('tooLarge' in read)
    throw new LociError(
      'unreadable',
      `it has ${String(read.tooLarge)} bytes; the limit is ${String(MAX_FILE_BYTES)}`,
    );
  const decoded = decodeText(read.bytes);
  if (decoded === null) throw new LociError('invalid_input', 'it is not text');
  return decoded.text;
}

import { readdir, realpath, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { LociError } from '../../core/errors.ts';
import { describeFileError } from '../../core/fs/file-errors.ts';
import { timeOfFile } from '../../sources/files/dates.ts';
import { decodeText } from '../../sources/files/decode.ts';
import { isPlainKey } from '../../sources/files/paths.ts';
import { readWithin } from '../../sources/files/read-file.ts';
import type { ImportRemark } from './import-report.ts';
import { MAX_LINE } from './text-lines.ts';

/** Files of text below a folder, or given as texts. */
export interface TextFiles {
  /** What to call the whole of it. */
  readonly name: string;
  /** The folder, without links; `null` for texts that are given. */
  readonly root: string | null;
  /** Paths below the folder, with `/`, sorted. */
  readonly paths: readonly string[];
  /** What stands there and is passed over. */
  readonly problems: readonly ImportRemark[];
  /** When a file was last changed, milliseconds; `null` where nobody knows. */
  changedAt(path: string): Promise<number | null>;
  /**
   * As it is, or with what editors differ in made alike: byte order mark, encoding, ends of lines.
   * @throws LociError `unreadable`, `invalid_input` that says what is wrong with it
   */
  read(path: string, form: 'exact' | 'plain'): Promise<string>;
}

export interface GivenFile {
  readonly path: string;
  readonly content: string;
}

/** @throws LociError `invalid_input` for a path that is none within a folder, or comes twice */
export function givenFiles(files: readonly GivenFile[]): TextFiles {
  const contents = new Map<string, string>();
  for (const { path, content } of files) {
    const told = JSON.stringify(path.slice(0, 200));
    if (!isPlainKey(path)) throw new LociError('invalid_input', `${told} is no path within a folder`);
    if (contents.has(path)) throw new LociError('invalid_input', `the file ${told} is given twice`);
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
 * The files below a folder that a rule asks for. Links are passed over, and said so: what they lead to was not exported
 * from here. Nothing is opened yet.
 * @throws LociError `unreadable` where the folder cannot be read
 */
export async function filesBelow(root: string, wanted: (path: string) => boolean): Promise<TextFiles> {
  const realRoot = await realpath(root).catch((error: unknown) => {
    throw unreadable(root, error);
  });
  const problems: ImportRemark[] = [];
  const paths = await listed(realRoot, '', wanted, problems);
  return {
    name: basename(realRoot),
    root: realRoot,
    paths: paths.sort(),
    problems,
    changedAt: async (path) => timeOfFile((await stat(`${realRoot}/${path}`, { bigint: true })).mtimeMs),
    read: async (path, form) => textOf(await bytesOf(realRoot, path), path, form),
  };
}

async function listed(
  realRoot: string,
  folder: string,
  wanted: (path: string) => boolean,
  problems: ImportRemark[],
): Promise<string[]> {
  const found: string[] = [];
  const entries = await readdir(`${realRoot}/${folder}`, { withFileTypes: true }).catch((error: unknown) => {
    if (folder === '') throw unreadable(realRoot, error);
    problems.push({ where: folder, what: describeFileError(error) });
    return [];
  });
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (!wanted(path)) continue;
    if (entry.isDirectory()) found.push(...(await listed(realRoot, path, wanted, problems)));
    else if (entry.isFile()) found.push(path);
    else
      problems.push({
        where: path,
        what: entry.isSymbolicLink() ? 'links are not followed' : 'it is no regular file',
      });
  }
  return found;
}

async function bytesOf(realRoot: string, path: string): Promise<Uint8Array> {
  const read = await readWithin(realRoot, path, MAX_LINE).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (read === 'outside') throw new LociError('unreadable', 'it leads out of the folder');
  if (read === 'special') throw new LociError('unreadable', 'it is no regular file');
  if ('tooLarge' in read)
    throw new LociError('unreadable', `it has ${String(read.tooLarge)} bytes: too many`);
  return read.bytes;
}

function textOf(bytes: Uint8Array, path: string, form: 'exact' | 'plain'): string {
  if (form === 'plain') {
    const decoded = decodeText(bytes);
    if (decoded === null) throw new LociError('invalid_input', 'it is no text');
    return decoded.text;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new LociError('invalid_input', 'it is no text in UTF-8', { cause: error });
  }
}

function unreadable(path: string, error: unknown): LociError {
  return new LociError('unreadable', `${path} cannot be read: ${describeFileError(error)}`, { cause: error });
}

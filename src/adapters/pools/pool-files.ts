import {
  type BigIntStats,
  closeSync,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
} from 'node:fs';
import path from 'node:path';
import { describeFileError, systemErrorCode } from '../../core/fs/file-errors.ts';
import type { Json, Metadata } from '../../core/types.ts';
import { canvasText } from '../../sources/files/canvas.ts';
import { decodeText } from '../../sources/files/decode-text.ts';
import { MAX_NOTE_BYTES, noteFormat, OPEN_FLAGS } from '../../sources/files/read-file.ts';
import { Exclusions, OBSIDIAN_FOLDER, slashed } from '../../sources/files/exclusions.ts';
import { frontMatterSpan } from '../../sources/markdown/front-matter-span.ts';
import { parseFrontMatter } from '../../sources/markdown/front-matter.ts';
import type { MemoryResult } from '../contract.ts';
import type { LocatedPool, Pool } from './pool-set.ts';

/** A note of a pool. */
export interface PoolFile {
  /** Its path below the root of the pool, with `/`. It is as the file system has it, because `root` + `key` must open. */
  readonly key: string;
  readonly bytes: number;
  /** Changes when the file may have changed. It is only compared. */
  readonly revision: string;
}

const IGNORED_FOLDERS: ReadonlySet<string> = new Set(['node_modules']);

/**
 * Lists the notes of a pool, sorted by name within each folder: those that a vault would have, without names that begin with a
 * dot, `node_modules`, what Obsidian excludes, notes above `MAX_NOTE_BYTES`, links, and what is in pools below. A note that a link
 * within the pool leads to is listed at its own path. What cannot be read is reported and left out.
 *
 * The calls of the file system block, because that takes a third of the time: in a host program, call it in a thread.
 * @throws LociError `unreadable` if what Obsidian excludes is not known
 */
export async function* listPoolFiles(
  { id, root, inner }: Pick<LocatedPool, 'id' | 'root' | 'inner'>,
  report: (path: string, why: string) => void,
): AsyncGenerator<PoolFile> {
  const exclusions = new Exclusions(id, [], ({ key, detail }) => {
    report(key, detail);
  });
  await exclusions.readAround(root);
  const otherPools = new Set(inner);
  const waiting = [''];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = entriesOf(path.join(root, folder), report);
    if (folder !== '' && entries.some(({ name }) => name === OBSIDIAN_FOLDER))
      await exclusions.readFolder(path.join(root, folder), slashed(folder));
    const shown = await exclusions.filter(entries.filter(isWanted), (entry) => [
      slashed(keyOf(folder, entry)) + (entry.isDirectory() ? '/' : ''),
    ]);
    const folders: string[] = [];
    for (const entry of shown) {
      const key = keyOf(folder, entry);
      if (!entry.isDirectory()) {
        const file = fileOf(root, key, report);
        if (file !== null) yield file;
      } else if (!otherPools.has(path.join(root, key))) folders.push(key);
    }
    waiting.push(...folders.reverse());
  }
}

function keyOf(folder: string, { name }: Dirent): string {
  return folder === '' ? name : `${folder}/${name}`;
}

function isWanted(entry: Dirent): boolean {
  if (entry.name.startsWith('.')) return false;
  if (entry.isDirectory()) return !IGNORED_FOLDERS.has(entry.name);
  return entry.isFile() && noteFormat(entry.name) !== null;
}

function entriesOf(folder: string, report: (path: string, why: string) => void): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    // A folder may be removed while its pool is read.
    if (systemErrorCode(error) !== 'ENOENT') report(folder, describeFileError(error));
    return [];
  }
}

function fileOf(root: string, key: string, report: (path: string, why: string) => void): PoolFile | null {
  const file = path.join(root, key);
  try {
    const stats = lstatSync(file, { bigint: true });
    if (stats.size > BigInt(MAX_NOTE_BYTES)) report(file, `it has more than ${String(MAX_NOTE_BYTES)} bytes`);
    else return { key, bytes: Number(stats.size), revision: revisionOf(stats) };
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') report(file, describeFileError(error));
  }
  return null;
}

/** The revision of a file as a listing has it. */
export function revisionOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return `${size} ${mtimeNs} ${ctimeNs} ${ino}`;
}

/** A note that was read. */
interface NoteFile {
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
export function readNote(root: string, key: string): NoteFile | { readonly problem: string } | null {
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

/** What the system reports when a file is gone, also because a link or a file has taken the place of its folder. */
const GONE: ReadonlySet<string | null> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/** Reads a note. It is none if it is gone; another reason is reported. */
export function readOrReport(root: string, key: string, report: (why: string) => void): NoteFile | null {
  try {
    const read = readNote(root, key);
    if (read === null || 'text' in read) return read;
    report(read.problem);
  } catch (error) {
    if (!GONE.has(systemErrorCode(error))) report(describeFileError(error));
  }
  return null;
}

/** Files and folders that could not be read, absolute, with the reasons. */
export type Unread = Map<string, string>;

const MAX_NAMED_PATHS = 5;

/** Sentences about what could not be read, of which the first are named. */
export function unreadProblems(unread: Unread): string[] {
  const named = [...unread].slice(0, MAX_NAMED_PATHS).map(([file, why]) => `${file} is not searched: ${why}`);
  const others = unread.size - named.length;
  return others === 0 ? named : [...named, `${String(others)} other files are not searched`];
}

/** What could not be read of pools. @param byRoot that of each pool, by its root */
export function unreadOf(pools: readonly LocatedPool[], byRoot: ReadonlyMap<string, Unread>): Unread {
  return new Map(pools.flatMap(({ root }) => [...(byRoot.get(root) ?? [])]));
}

/** What a result says of a note besides its text. */
export interface NoteHead {
  /** `title` in the front matter, else the name of the file without its ending. */
  readonly title: string;
  readonly frontMatter: Metadata;
}

/** The text of a note that is searched: of a canvas, that of its cards. `null` if the bytes are no text, or no canvas. */
export function noteText(key: string, bytes: Uint8Array): string | null {
  const text = decodeText(bytes)?.text ?? null;
  if (text === null || noteFormat(key) !== 'canvas') return text;
  try {
    return canvasText(text).text;
  } catch {
    return null;
  }
}

/** @param key the path of the note below its pool */
export function noteHead(key: string, text: string): NoteHead {
  const span = noteFormat(key) === 'markdown' ? frontMatterSpan(text) : null;
  const frontMatter =
    span === null ? {} : parseFrontMatter(text.slice(span.yamlStart, span.yamlEnd), span).fields;
  const given = frontMatter['title'];
  const title = typeof given === 'string' && given.trim() !== '' ? given.trim() : path.parse(key).name;
  return { title, frontMatter };
}

/** The metadata of a result. Properties of the note cannot take the place of what Loci says. */
export function resultMetadata(
  { id, tier }: Pool,
  key: string,
  { title, frontMatter }: NoteHead,
): MemoryResult['metadata'] & object {
  return { ...frontMatter, pool: id, tier, path: key, title };
}

/** The `uri` of a note, or of lines of it, from 1. */
export function uriOf(
  file: string,
  lines?: { readonly startLine: number; readonly endLine: number },
): string {
  return lines === undefined ? file : `${file}#L${String(lines.startLine)}-L${String(lines.endLine)}`;
}

/** Values by property, as `PoolQuery` has them. */
export type Filters = Readonly<Record<string, readonly string[]>>;

/** Whether the front matter of a note has one of the values of each property. A list has each of its entries. */
export function matchesFilters(frontMatter: Metadata, filters: Filters): boolean {
  return Object.entries(filters).every(([property, wanted]) => {
    const value: Json | undefined = Object.hasOwn(frontMatter, property) ? frontMatter[property] : undefined;
    const values = Array.isArray(value) ? value : [value];
    return values.some((each) => isScalar(each) && wanted.includes(String(each)));
  });
}

function isScalar(value: Json | undefined): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

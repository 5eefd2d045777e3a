import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import type { BigIntStats, Dirent } from 'node:fs';
import path from 'node:path';
import { LociError } from '../../core/errors.ts';
import type { SourceProblem } from '../source.ts';
import { describeFileError, systemErrorCode } from '../../core/fs/file-errors.ts';
import { isWithin } from '../files/paths.ts';
import { type Exclusions, foldersOf, OBSIDIAN_FOLDER, slashed } from '../files/exclusions.ts';
import { noteFormat } from '../files/read-file.ts';

/** A note of a vault. */
export interface FoundFile {
  /** The path below the root, with `/`, in NFC. */
  readonly key: string;
  readonly stats: BigIntStats;
}

const IGNORED_FOLDERS: ReadonlySet<string> = new Set(['node_modules']);
/** How many entries of a folder are examined at the same time. */
const STAT_BATCH_SIZE = 64;

export interface WalkOptions {
  /** The name of the vault, for errors. */
  readonly vault: string;
  readonly realRoot: string;
  /** The names of the only files and folders of the root that are listed. By default all are. */
  readonly include: readonly string[] | undefined;
  /** A pattern of the only files that are listed, as `path.matchesGlob` has it. By default all are. */
  readonly pattern: string | undefined;
  /** The real paths of folders that are not entered. With them, even with none, symlinks are not followed. */
  readonly otherFolders: readonly string[] | undefined;
  readonly exclusions: Exclusions;
  readonly report: (problem: SourceProblem) => void;
  /** Called for each file whose format is not that of a note. */
  readonly onOtherFile: (key: string) => void;
  readonly signal: AbortSignal | undefined;
}

interface Walk extends WalkOptions {
  /** The real paths of folders that were entered through a symlink. Each is entered once, so that cycles of links end. */
  readonly enteredLinks: Set<string>;
}

interface Folder {
  readonly key: string;
  readonly realPath: string;
  readonly throughLink: boolean;
}

interface Entry {
  readonly key: string;
  readonly path: string;
  readonly dirent: Dirent;
  /** Whether the file is a placeholder for the one with this key, which a service keeps elsewhere. */
  readonly isPlaceholder: boolean;
}

type EntryResult = FoundFile | Folder | SourceProblem | null;

/**
 * Lists every note (see `noteFormat`) below a real root, sorted by name within each folder. Names that begin with a dot and
 * `node_modules` are skipped, and so is what the rules exclude. A symlink is followed if its target is below the root.
 * @throws LociError `unreadable`, with the name of the vault, if the root cannot be read; `aborted`
 */
export async function* walkNotes(options: WalkOptions): AsyncGenerator<FoundFile> {
  const walk = { ...options, enteredLinks: new Set<string>() };
  yield* walkFolder(walk, { key: '', realPath: options.realRoot, throughLink: false });
}

async function* walkFolder(walk: Walk, folder: Folder): AsyncGenerator<FoundFile> {
  const present = await readFolder(walk, folder);
  const entries = await walk.exclusions.filter(present, (entry) => pathsTo(walk, entry));
  for (let start = 0; start < entries.length; start += STAT_BATCH_SIZE) {
    const batch = entries.slice(start, start + STAT_BATCH_SIZE);
    const results = await Promise.all(batch.map((entry) => examine(walk, folder, entry)));
    for (const each of results) {
      if (walk.signal?.aborted === true) throw new LociError('aborted', 'reading the vault was stopped');
      if (each === null) continue;
      if ('reason' in each) walk.report(each);
      else if ('stats' in each) yield each;
      else if (shouldEnter(walk, folder, each)) yield* walkFolder(walk, each);
    }
  }
}

/** The paths below the root that lead to an entry, for rules: the other one is without symbolic links. */
function pathsTo(walk: Walk, { key, path: realPath, dirent }: Entry): string[] {
  const real = slashed(path.relative(walk.realRoot, realPath));
  const keys = real === key ? [key] : [key, real];
  return keys.map((each) => (dirent.isDirectory() ? `${each}/` : each));
}

/** Names of the placeholders of iCloud, odrive, Nextcloud and ownCloud for a file that is not on this machine. */
const PLACEHOLDERS: readonly RegExp[] = [/^\.(.+)\.icloud$/i, /^(.+)\.(?:cloudf?|nextcloud|owncloud)$/i];

/** The name of the file that a placeholder stands for; `null` for other names. */
function placeholderFor(name: string): string | null {
  for (const pattern of PLACEHOLDERS) {
    const [, wanted] = pattern.exec(name) ?? [];
    if (wanted !== undefined) return wanted;
  }
  return null;
}

/** The entries of a folder, sorted. If two names differ only in their Unicode normalisation form, only the first is returned. */
async function readFolder(walk: Walk, folder: Folder): Promise<Entry[]> {
  try {
    const dirents = await readdir(folder.realPath, { withFileTypes: true });
    if (folder.key === '') await walk.exclusions.readAround(folder.realPath);
    else if (dirents.some(({ name }) => name === OBSIDIAN_FOLDER))
      await walk.exclusions.readFolder(folder.realPath, folder.key);
    const present = new Set(dirents.map(({ name }) => name));
    const entries = dirents
      .map((dirent) => ({ dirent, wanted: dirent.isFile() ? placeholderFor(dirent.name) : null }))
      .filter(({ wanted }) => wanted === null || !present.has(wanted))
      .map(({ dirent, wanted }) => ({ dirent, name: wanted ?? dirent.name, isPlaceholder: wanted !== null }))
      .filter(({ name }) => !name.startsWith('.') && !IGNORED_FOLDERS.has(name))
      .filter(({ name }) => folder.key !== '' || walk.include?.includes(name) !== false)
      .map(({ dirent, name: given, isPlaceholder }) => {
        const name = given.normalize('NFC');
        const key = folder.key === '' ? name : `${folder.key}/${name}`;
        return { key, path: path.join(folder.realPath, dirent.name), dirent, isPlaceholder };
      })
      .sort((a, b) => compare(a.key, b.key) || compare(a.path, b.path));
    return entries.filter((entry, index) => {
      if (entry.key !== entries[index - 1]?.key) return true;
      walk.report(
        unreadable(entry.key, 'another file of the folder has the same name in another Unicode form'),
      );
      return false;
    });
  } catch (error) {
    if (error instanceof LociError) throw error;
    if (folder.key === '') throw unreadableRoot(walk.vault, folder.realPath, error);
    if (systemErrorCode(error) !== 'ENOENT') walk.report(unreadable(folder.key, describeFileError(error)));
    return [];
  }
}

/** Finds out whether an entry is a note, a folder, or something else (`null`). Never opens it. */
async function examine(walk: Walk, folder: Folder, entry: Entry): Promise<EntryResult> {
  const { key, dirent, isPlaceholder } = entry;
  try {
    if (isPlaceholder) return placeholder(walk, key, dirent.name);
    if (dirent.isSymbolicLink())
      return walk.otherFolders === undefined ? await examineTarget(walk, entry) : null;
    if (dirent.isDirectory() && walk.otherFolders?.includes(entry.path) === true) return null;
    if (dirent.isDirectory()) return { key, realPath: entry.path, throughLink: folder.throughLink };
    if (!dirent.isFile() || !isWanted(walk, key)) return null;
    if (noteFormat(key) === null) return otherFile(walk, key);
    return { key, stats: await lstat(entry.path, { bigint: true }) };
  } catch (error) {
    // A file may be removed meanwhile. A file whose name is not valid Unicode exists, but cannot be opened by the decoded name.
    const gone =
      systemErrorCode(error) === 'ENOENT' && !dirent.isSymbolicLink() && !dirent.name.includes('\uFFFD');
    return gone ? null : unreadable(key, describeFileError(error));
  }
}

async function examineTarget(walk: Walk, { key, path: link }: Entry): Promise<EntryResult> {
  const realPath = await realpath(link);
  if (!isWithin(walk.realRoot, realPath)) {
    return { key, reason: 'outside_root', detail: 'the link leads out of the vault', skipped: true };
  }
  const stats = await stat(realPath, { bigint: true });
  const target = slashed(path.relative(walk.realRoot, realPath));
  const targets = stats.isDirectory()
    ? [`${key}/`, ...foldersOf(`${target}/`)]
    : [key, ...foldersOf(target), target];
  if ((await walk.exclusions.filter([key], () => targets)).length === 0) return null;
  if (stats.isDirectory()) return { key, realPath, throughLink: true };
  if (!stats.isFile() || !isWanted(walk, key)) return null;
  return noteFormat(key) === null ? otherFile(walk, key) : { key, stats };
}

/** As long as the placeholder is there, the note is neither read nor gone. A folder may have one too. */
function placeholder(walk: Walk, key: string, name: string): SourceProblem | null {
  const isNote = isWanted(walk, key) && noteFormat(key) !== null;
  const mayBeFolder = /\.(?:icloud|cloudf)$/i.test(name) && path.posix.extname(key) === '';
  if (!isNote && !mayBeFolder) return null;
  return { key, reason: 'not_downloaded', detail: `${name} stands in its place`, skipped: true };
}

function isWanted({ pattern }: Walk, key: string): boolean {
  return pattern === undefined || path.posix.matchesGlob(key, pattern);
}

function otherFile(walk: Walk, key: string): null {
  walk.onOtherFile(key);
  return null;
}

/** A link is not followed into a folder that contains it, nor into a folder that was entered through another link. */
function shouldEnter(walk: Walk, from: Folder, folder: Folder): boolean {
  if (!folder.throughLink) return true;
  if (walk.enteredLinks.has(folder.realPath) || isWithin(folder.realPath, from.realPath)) return false;
  walk.enteredLinks.add(folder.realPath);
  return true;
}

function unreadable(key: string, detail: string): SourceProblem {
  return { key, reason: 'unreadable', detail, skipped: true };
}

/** The error for a vault that cannot be read at all. */
export function unreadableRoot(vault: string, root: string, error: unknown): LociError {
  return new LociError('unreadable', `the vault ${root} cannot be read: ${describeFileError(error)}`, {
    hint: `Mount it or correct its path; \`loci sources remove ${JSON.stringify(vault)}\` takes it out.`,
    cause: error,
  });
}

/** Compares by UTF-16 units, so that the order is the same on every machine. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

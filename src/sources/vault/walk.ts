import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import type { BigIntStats, Dirent } from 'node:fs';
import path from 'node:path';
import { LociError } from '../../core/errors.ts';
import type { SourceProblem } from '../source.ts';
import { describeFileError, systemErrorCode } from '../../core/fs/file-errors.ts';
import { isWithin } from '../files/paths.ts';

/** A note as the walk finds it. */
export interface FoundFile {
  /** Path below the root, with `/`, NFC. */
  readonly key: string;
  readonly stats: BigIntStats;
}

const NOTE = /\.(?:md|markdown)$/i;
const IGNORED_FOLDERS: ReadonlySet<string> = new Set(['node_modules']);
/** So many files of a folder are looked at together. */
const STAT_BATCH = 64;

interface Walk {
  readonly vault: string;
  readonly realRoot: string;
  readonly report: (problem: SourceProblem) => void;
  readonly signal: AbortSignal | undefined;
  /** Real paths of folders entered through a symlink: each once, so that links in a circle come to an end. */
  readonly linked: Set<string>;
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
}

type Look = FoundFile | Folder | SourceProblem | null;

/**
 * Every Markdown file below a real root, sorted by name within each folder. Names that begin with a dot and
 * `node_modules` are passed over. A symlink is followed while its target lies below the root.
 * @throws LociError `unreadable`, with the vault's name, when the root cannot be read; `aborted` when the signal fires
 */
export async function* walkNotes(
  vault: string,
  realRoot: string,
  report: (problem: SourceProblem) => void,
  signal?: AbortSignal,
): AsyncGenerator<FoundFile> {
  const walk = { vault, realRoot, report, signal, linked: new Set<string>() };
  yield* walkFolder(walk, { key: '', realPath: realRoot, throughLink: false });
}

async function* walkFolder(walk: Walk, folder: Folder): AsyncGenerator<FoundFile> {
  const entries = await readFolder(walk, folder);
  for (let start = 0; start < entries.length; start += STAT_BATCH) {
    const batch = entries.slice(start, start + STAT_BATCH);
    const found = await Promise.all(batch.map((entry) => lookAt(walk, folder, entry)));
    for (const each of found) {
      if (walk.signal?.aborted === true) throw new LociError('aborted', 'reading the vault was stopped');
      if (each === null) continue;
      if ('reason' in each) walk.report(each);
      else if ('stats' in each) yield each;
      else if (enters(walk, folder, each)) yield* walkFolder(walk, each);
    }
  }
}

/** A folder's entries, sorted; of two names that differ in their Unicode form alone, the first. */
async function readFolder(walk: Walk, folder: Folder): Promise<Entry[]> {
  try {
    const dirents = await readdir(folder.realPath, { withFileTypes: true });
    const entries = dirents
      .filter(({ name }) => !name.startsWith('.') && !IGNORED_FOLDERS.has(name))
      .map((dirent) => {
        const name = dirent.name.normalize('NFC');
        const key = folder.key === '' ? name : `${folder.key}/${name}`;
        return { key, path: path.join(folder.realPath, dirent.name), dirent };
      })
      .sort((a, b) => compare(a.key, b.key) || compare(a.path, b.path));
    return entries.filter((entry, index) => {
      if (entry.key !== entries[index - 1]?.key) return true;
      walk.report(unread(entry.key, 'another file beside it has the same name in another Unicode form'));
      return false;
    });
  } catch (error) {
    if (folder.key === '') throw unreadableRoot(walk.vault, folder.realPath, error);
    if (systemErrorCode(error) !== 'ENOENT') walk.report(unread(folder.key, describeFileError(error)));
    return [];
  }
}

/** What an entry is: a note, a folder to walk, or nothing of ours. Never opens it. */
async function lookAt(walk: Walk, folder: Folder, entry: Entry): Promise<Look> {
  const { key, dirent } = entry;
  try {
    if (dirent.isSymbolicLink()) return await lookBehind(walk, entry);
    if (dirent.isDirectory()) return { key, realPath: entry.path, throughLink: folder.throughLink };
    if (!dirent.isFile() || !NOTE.test(key)) return null;
    return { key, stats: await lstat(entry.path, { bigint: true }) };
  } catch (error) {
    // A file may go while it is looked at; a name that is no Unicode is not found under what it reads as.
    const gone =
      systemErrorCode(error) === 'ENOENT' && !dirent.isSymbolicLink() && !dirent.name.includes('\uFFFD');
    return gone ? null : unread(key, describeFileError(error));
  }
}

async function lookBehind(walk: Walk, { key, path: link }: Entry): Promise<Look> {
  const realPath = await realpath(link);
  if (!isWithin(walk.realRoot, realPath)) {
    return { key, reason: 'outside_root', detail: 'the link leads out of the vault', skipped: true };
  }
  const stats = await stat(realPath, { bigint: true });
  if (stats.isDirectory()) return { key, realPath, throughLink: true };
  return stats.isFile() && NOTE.test(key) ? { key, stats } : null;
}

/** Not when a link leads back to where it stands, or to what another link led to. */
function enters(walk: Walk, from: Folder, folder: Folder): boolean {
  if (!folder.throughLink) return true;
  if (walk.linked.has(folder.realPath) || isWithin(folder.realPath, from.realPath)) return false;
  walk.linked.add(folder.realPath);
  return true;
}

function unread(key: string, detail: string): SourceProblem {
  return { key, reason: 'unreadable', detail, skipped: true };
}

/** The failure of a vault as a whole. */
export function unreadableRoot(vault: string, root: string, error: unknown): LociError {
  return new LociError('unreadable', `the vault ${root} cannot be read: ${describeFileError(error)}`, {
    hint: `Mount it or correct its path; \`loci forget-vault ${JSON.stringify(vault)}\` takes it out.`,
    cause: error,
  });
}

/** By UTF-16 units, so that the order is the same on every machine. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

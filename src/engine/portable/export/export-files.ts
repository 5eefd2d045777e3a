import { randomBytes } from 'node:crypto';
import { appendFile, lstat, mkdir, open, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { LociError } from '../../../core/errors.ts';
import { describeFileError, isDiskFull, systemErrorCode } from '../../../core/fs/file-errors.ts';
import { syncFolder } from '../../../core/fs/replace-file.ts';
import { shortHash } from '../../../core/ids.ts';
import type { ProgressOptions } from '../../../core/progress.ts';
import { locateStore } from '../../../store/registry.ts';
import type { EngineContext } from '../../context.ts';
import { formatLine, type ExportItem } from '../items/items.ts';
import { exportHeader, exportSteps, noExportCounts, type ExportCounts } from './export-pages.ts';
import { FOLDERS, MANIFEST, markdownOf, markdownPath, type MarkdownItem } from './markdown.ts';

export interface ExportOptions extends ProgressOptions {
  /** Replaces an existing file, or the folder of an earlier export. */
  readonly force?: boolean;
}

/** A file of audit entries or runs that is larger than this is continued in another file. */
const MAX_LINES_FILE_BYTES = 4 * 1024 * 1024;

/**
 * Writes JSON Lines to a file that only its owner can read. The file appears under its name when it is complete.
 * @throws LociError `conflict` when the file exists, `store_full` when the disk is full, `unreadable`, `aborted`
 */
export async function exportToFile(
  context: EngineContext,
  path: string,
  options: ExportOptions = {},
): Promise<ExportCounts> {
  const target = await realpath(path).catch(() => resolve(path));
  const existing = await entryAt(target);
  if (existing === 'folder')
    throw new LociError('conflict', `${path} is a folder`, {
      hint: 'Name a file, or add `--format markdown`.',
    });
  if (existing !== 'nothing' && options.force !== true) throw alreadyExists(path);
  if (existing === 'special') throw new LociError('conflict', `${path} is not a regular file`);
  await assertNotStore(context, target, path);
  const counts = noExportCounts();
  await writeAtomically(target, async (temporary) => {
    await using handle = await open(temporary, 'wx', 0o600);
    for await (const { lines } of exportSteps(context, options, counts)) {
      if (lines.length > 0) await handle.appendFile(`${lines.join('\n')}\n`);
    }
    await handle.sync();
  });
  return counts;
}

/**
 * Writes a folder of Markdown, for people to read, that only its owner can open. The folder appears under its name when
 * it is complete.
 * @throws LociError `conflict` when the folder is not empty; `force` replaces an earlier export and nothing else;
 *   `store_full`, `unreadable`, `aborted`
 */
export async function exportToFolder(
  context: EngineContext,
  path: string,
  options: ExportOptions = {},
): Promise<ExportCounts> {
  const target = await realpath(path).catch(() => resolve(path));
  await assertReplaceable(target, path, options.force === true);
  const counts = noExportCounts();
  await writeAtomically(target, async (temporary) => {
    await mkdir(temporary, { mode: 0o700 });
    const { type: _, ...header } = await exportHeader(context);
    for (const folder of [...FOLDERS, 'startup/.deleted'])
      await mkdir(join(temporary, folder), { recursive: true });
    const files = new Map<string, LinesFile>();
    for await (const { items } of exportSteps(context, options, counts))
      for (const item of items) await writeItem(temporary, item, files);
    const manifest = { ...header, counts };
    await writeFile(join(temporary, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, {
      mode: 0o600,
      flush: true,
    });
  });
  return counts;
}

/** The file to which the lines of an audit chain or a history category are appended. */
interface LinesFile {
  readonly number: number;
  readonly bytes: number;
}

async function writeItem(folder: string, item: ExportItem, files: Map<string, LinesFile>): Promise<void> {
  if (item.type === 'record' || item.type === 'startup') {
    await writeFile(join(folder, markdownPath(item)), markdownOf(item), { mode: 0o600, flag: 'wx' });
    return;
  }
  const name = linesFileName(item);
  const line = `${formatLine(item)}\n`;
  const current = files.get(name) ?? { number: 1, bytes: 0 };
  const isFull = current.bytes > MAX_LINES_FILE_BYTES;
  const { number, bytes } = isFull ? { number: current.number + 1, bytes: 0 } : current;
  files.set(name, { number, bytes: bytes + line.length });
  const file = `${name} ${String(number).padStart(4, '0')}.jsonl`;
  await appendFile(join(folder, item.type, file), line, { mode: 0o600 });
}

/** The name of the files of an item's chain or category. */
function linesFileName({ type, value }: Exclude<ExportItem, MarkdownItem>): string {
  if (type === 'audit') return value.chain;
  if (type === 'history') return value.category;
  return { label: 'labels', golden_query: 'queries' }[type];
}

/** Writes under a temporary name next to the target, then renames. Removes the temporary files on failure. */
async function writeAtomically(target: string, write: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await write(temporary);
    await moveToTarget(temporary, target);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true }).catch(() => undefined);
    if (error instanceof LociError || systemErrorCode(error) === null) throw error;
    const isFull = isDiskFull(error);
    throw new LociError(
      isFull ? 'store_full' : 'unreadable',
      `${target} cannot be written: ${describeFileError(error)}`,
      {
        hint: isFull
          ? 'Free some space there, or name a place on another disk. Nothing was left behind.'
          : 'Check that its folder exists and that you may write there.',
        cause: error,
      },
    );
  }
}

/** A folder that is not empty cannot be replaced by a rename: it is renamed first and removed afterwards. */
async function moveToTarget(temporary: string, target: string): Promise<void> {
  const names = (await entryAt(target)) === 'folder' ? await readdir(target) : [];
  // The folder may have changed since the first check.
  assertOnlyExport(names, target);
  const old = `${target}.${shortHash(temporary).slice(0, 12)}.old`;
  if (names.length > 0) await rename(target, old);
  await rename(temporary, target);
  if (names.length > 0) await rm(old, { recursive: true });
  await syncFolder(dirname(target));
}

/** Refuses the store's file and the files next to it, such as its journal. */
async function assertNotStore({ config }: EngineContext, target: string, path: string): Promise<void> {
  const { file } = locateStore(config.store);
  if (file === null) return;
  const store = await realpath(file).catch(() => resolve(file));
  if (target !== store && !target.startsWith(`${store}-`)) return;
  throw new LociError('conflict', `${path} is the store itself`, { hint: 'Name another file.' });
}

async function assertReplaceable(target: string, path: string, force: boolean): Promise<void> {
  const existing = await entryAt(target);
  if (existing === 'nothing') return;
  if (existing !== 'folder')
    throw new LociError('conflict', `${path} is not a folder`, { hint: 'Name a folder.' });
  const names = await readdir(target);
  if (names.length === 0) return;
  if (!names.includes(MANIFEST))
    throw new LociError('conflict', `the folder ${path} is not empty and is not an export`, {
      hint: 'Name an empty folder, or one that does not exist.',
    });
  if (!force) throw alreadyExists(path);
  assertOnlyExport(names, path);
}

/** Replacing the folder would remove other files in it, such as `.git`. */
function assertOnlyExport(names: readonly string[], path: string): void {
  const foreign = names.find((name) => name !== MANIFEST && !FOLDERS.includes(name));
  if (foreign === undefined) return;
  throw new LociError(
    'conflict',
    `the folder ${path} contains ${foreign}, which does not belong to an export`,
    {
      hint: 'Move it elsewhere, or export to another folder.',
    },
  );
}

function alreadyExists(path: string): LociError {
  return new LociError('conflict', `${path} already exists`, { hint: '`--force` replaces it.' });
}

async function entryAt(path: string): Promise<'nothing' | 'file' | 'folder' | 'special'> {
  try {
    const stats = await lstat(path);
    return stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'special';
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return 'nothing';
    throw new LociError('unreadable', `${path}: ${describeFileError(error)}`, { cause: error });
  }
}

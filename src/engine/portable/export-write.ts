import { randomBytes } from 'node:crypto';
import { appendFile, lstat, mkdir, open, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { LociError } from '../../core/errors.ts';
import { describeFileError, errorCode } from '../../core/fs/file-errors.ts';
import { shortHash } from '../../core/hash.ts';
import type { EngineContext } from '../context.ts';
import { assertNotAborted, type LongCallOptions } from '../../core/long-call.ts';
import { fileTextOf, MANIFEST, pathOf } from './export-file-text.ts';
import { isOfExport } from './export-folder-read.ts';
import { EXPORT_START, exportStep, headerLine, type ExportStep } from './export-steps.ts';
import { lineOf, type Portable } from './portable-line.ts';

export interface ExportOptions extends LongCallOptions {
  /** Lets it take the place of an earlier file, or of an earlier export's folder. */
  readonly force?: boolean;
}

/** How many things of each kind were exported. */
export interface ExportCounts {
  startup: number;
  records: number;
  /** Of them, those that are deleted. */
  deleted: number;
  audit: number;
  history: number;
}

/** Bytes of a file of audit entries or runs; the next begins another. */
const PART = 4 * 1024 * 1024;

/** Each page of the export, one at a time. @throws LociError `aborted` */
export async function* exportSteps(
  context: EngineContext,
  options: LongCallOptions,
  counts: ExportCounts,
): AsyncGenerator<ExportStep> {
  for (let cursor = EXPORT_START as ExportStep['next']; cursor !== null;) {
    assertNotAborted(options);
    const step = await exportStep(context, cursor);
    for (const item of step.items) count(counts, item);
    yield step;
    const done = step.next?.lines ?? cursor.lines;
    options.onProgress?.({ stage: 'reading', subject: 'memory', done, total: 0 });
    cursor = step.next;
  }
}

function count(counts: ExportCounts, item: Portable): void {
  if (item.type === 'record') {
    counts.records++;
    if (item.record.deletedAt !== null) counts.deleted++;
  } else counts[item.type]++;
}

export function noExportCounts(): ExportCounts {
  return { startup: 0, records: 0, deleted: 0, audit: 0, history: 0 };
}

/**
 * Writes JSON Lines to a file that has its name once it is whole; it is for its owner alone.
 * @throws LociError `conflict` where there is a file already, `unreadable`, `aborted`
 */
export async function exportToFile(
  context: EngineContext,
  path: string,
  options: ExportOptions,
): Promise<ExportCounts> {
  const target = await realpath(path).catch(() => resolve(path));
  const there = await entryAt(target);
  if (there === 'folder')
    throw new LociError('conflict', `${path} is a folder`, {
      hint: 'Name a file, or add `--format markdown`.',
    });
  if (there !== 'nothing' && options.force !== true) throw taken(path);
  if (there === 'special') throw new LociError('conflict', `${path} is no regular file`);
  await refuseStore(context, target, path);
  const counts = noExportCounts();
  await writeTemporary(target, async (temporary) => {
    await using handle = await open(temporary, 'wx', 0o600);
    for await (const { lines } of exportSteps(context, options, counts)) {
      if (lines.length > 0) await handle.appendFile(`${lines.join('\n')}\n`);
    }
    await handle.sync();
  });
  return counts;
}

/**
 * Writes a folder of Markdown that has its name once it is whole; it is for its owner alone.
 * @throws LociError `conflict` where there is something already; what is no export is never replaced; `unreadable`, `aborted`
 */
export async function exportToFolder(
  context: EngineContext,
  path: string,
  options: ExportOptions,
): Promise<ExportCounts> {
  const target = await realpath(path).catch(() => resolve(path));
  await refuseTaken(target, path, options.force === true);
  const counts = noExportCounts();
  await writeTemporary(target, async (temporary) => {
    await mkdir(temporary, { mode: 0o700 });
    const { type: _, ...header } = await headerLine(context);
    for (const folder of ['records', '.deleted', 'startup/.deleted', 'audit', 'history'])
      await mkdir(join(temporary, folder), { recursive: true });
    const parts = new Map<string, { part: number; bytes: number }>();
    for await (const { items } of exportSteps(context, options, counts))
      for (const item of items) await writeItem(temporary, item, parts);
    const manifest = { ...header, counts };
    await writeFile(join(temporary, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, {
      mode: 0o600,
      flush: true,
    });
  });
  return counts;
}

async function writeItem(
  folder: string,
  item: Portable,
  parts: Map<string, { part: number; bytes: number }>,
): Promise<void> {
  if (item.type === 'record' || item.type === 'startup') {
    await writeFile(join(folder, pathOf(item)), fileTextOf(item), { mode: 0o600, flag: 'wx' });
    return;
  }
  const name = item.type === 'audit' ? item.entry.chain : item.row.category;
  const line = `${lineOf(item)}\n`;
  const { part, bytes } = parts.get(name) ?? { part: 1, bytes: 0 };
  const here = bytes > PART ? { part: part + 1, bytes: 0 } : { part, bytes };
  parts.set(name, { ...here, bytes: here.bytes + line.length });
  const file = `${name} ${String(here.part).padStart(4, '0')}.jsonl`;
  await appendFile(join(folder, item.type, file), line, { mode: 0o600 });
}

/** Makes something beside its place, puts it there when it is whole, and leaves nothing behind when it is not. */
async function writeTemporary(target: string, make: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await make(temporary);
    await putInPlace(temporary, target);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true }).catch(() => undefined);
    if (error instanceof LociError || errorCode(error) === null) throw error;
    throw new LociError('unreadable', `${target} cannot be written: ${describeFileError(error)}`, {
      hint: 'Check that its folder exists and that you may write there.',
      cause: error,
    });
  }
}

/** A folder that is not empty gives way only by being moved aside. */
async function putInPlace(temporary: string, target: string): Promise<void> {
  const names = (await entryAt(target)) === 'folder' ? await readdir(target) : [];
  // Somebody may have put something there since it was looked at.
  refuseForeign(names, target);
  const aside = `${target}.${shortHash(temporary).slice(0, 12)}.old`;
  if (names.length > 0) await rename(target, aside);
  await rename(temporary, target);
  if (names.length > 0) await rm(aside, { recursive: true });
  if (process.platform === 'win32') return;
  await using folder = await open(dirname(target), 'r');
  await folder.sync();
}

/** The store's file and what belongs to it, such as its journal. */
async function refuseStore({ config }: EngineContext, target: string, path: string): Promise<void> {
  const store = await realpath(config.store.path).catch(() => resolve(config.store.path));
  if (target !== store && !target.startsWith(`${store}-`)) return;
  throw new LociError('conflict', `${path} is the store itself`, { hint: 'Name another file.' });
}

async function refuseTaken(target: string, path: string, force: boolean): Promise<void> {
  const there = await entryAt(target);
  if (there === 'nothing') return;
  if (there !== 'folder') throw new LociError('conflict', `${path} is no folder`, { hint: 'Name a folder.' });
  const names = await readdir(target);
  if (names.length === 0) return;
  if (!names.includes(MANIFEST))
    throw new LociError('conflict', `the folder ${path} holds something that is no export`, {
      hint: 'Name an empty folder, or one that is not there.',
    });
  if (!force) throw taken(path);
  refuseForeign(names, path);
}

/** What was put beside an export, such as `.git`, would go with it. */
function refuseForeign(names: readonly string[], path: string): void {
  const foreign = names.find((name) => !isOfExport(name));
  if (foreign === undefined) return;
  throw new LociError('conflict', `the folder ${path} holds ${foreign}, which is of no export`, {
    hint: 'Move it away, or export into a folder of its own.',
  });
}

function taken(path: string): LociError {
  return new LociError('conflict', `${path} is there already`, { hint: '`--force` replaces it.' });
}

async function entryAt(path: string): Promise<'nothing' | 'file' | 'folder' | 'special'> {
  try {
    const stats = await lstat(path);
    return stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'special';
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'nothing';
    throw new LociError('unreadable', `${path}: ${describeFileError(error)}`, { cause: error });
  }
}

import { randomBytes } from 'node:crypto';
import { lstat, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { describeFileError, isDiskFull, systemErrorCode } from '../../core/fs/file-errors.ts';
import { syncFolder } from '../../core/fs/files.ts';
import { assertNotAborted, type ProgressOptions } from '../../core/progress.ts';
import { locateStore } from '../../store/registry.ts';
import { HistoryLog } from '../audit/history-log.ts';
import type { EngineContext } from '../context.ts';
import { expire } from '../shared/retention.ts';
import { FORMAT, INITIAL_DIGEST, updateDigest, VERSION } from './export-lines.ts';
import { ITEM_TYPE_NAMES, type ItemTypeName } from './import-report.ts';
import type { Item, Position } from './item-type.ts';
import { formatLine, ITEM_TYPES } from './items.ts';
import type { ExportedRecord } from './records.ts';

const SECTIONS = ['header', ...ITEM_TYPE_NAMES, 'end'] as const;

/** The position at which an export continues. */
const cursorSchema = z.strictObject({
  section: z.enum(SECTIONS),
  part: z.number().int().nonnegative(),
  after: z.number().int().nonnegative(),
  lines: z.number().int().nonnegative(),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
});
type ExportCursor = Readonly<z.infer<typeof cursorSchema>>;

const START: Position = { part: 0, after: 0 };
const FIRST: ExportCursor = { section: 'header', ...START, lines: 0, digest: INITIAL_DIGEST };

function parseCursor(text: string): ExportCursor {
  try {
    return cursorSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch (error) {
    throw new LociError('invalid_input', 'this is not the `next` of an export', { cause: error });
  }
}

/** How many items of each type were exported. Records count with those that are deleted. */
export type ExportCounts = Record<ItemTypeName | 'deleted', number>;

interface ExportStep {
  /** The header and the end are lines without an item. */
  readonly items: readonly Item[];
  readonly lines: readonly string[];
  /** `null` after the last line. */
  readonly next: ExportCursor | null;
}

/** Yields the lines of the whole export, one batch at a time. @throws LociError `aborted` */
export async function* exportLines(
  context: EngineContext,
  options: ProgressOptions = {},
): AsyncGenerator<readonly string[], ExportCounts> {
  const counts = {
    deleted: 0,
    ...(Object.fromEntries(ITEM_TYPE_NAMES.map((name) => [name, 0])) as Record<ItemTypeName, number>),
  };
  for (let cursor: ExportCursor | null = FIRST; cursor !== null;) {
    assertNotAborted(options);
    const { items, lines, next }: ExportStep = await exportStep(context, cursor);
    for (const { type, value } of items) {
      counts[type]++;
      if (type === 'record' && (value as ExportedRecord).deletedAt !== null) counts.deleted++;
    }
    yield lines;
    const done = next?.lines ?? cursor.lines;
    options.onProgress?.({ stage: 'reading', subject: 'memory', done, total: 0 });
    cursor = next;
  }
  return counts;
}

/** Some of an export's lines. The concatenated pages are the export. */
export interface ExportPage {
  readonly lines: string;
  /** Where the next page begins; `null` after the last line. */
  readonly next: string | null;
}

const MIN_PAGE_CHARACTERS = 200_000;

/** @throws LociError `invalid_input` when `after` is not the `next` of a page */
export async function exportPage(context: EngineContext, after?: string): Promise<ExportPage> {
  let cursor: ExportCursor | null = after === undefined ? FIRST : parseCursor(after);
  let lines = '';
  while (cursor !== null && lines.length < MIN_PAGE_CHARACTERS) {
    const step: ExportStep = await exportStep(context, cursor);
    for (const line of step.lines) lines += `${line}\n`;
    cursor = step.next;
  }
  return { lines, next: cursor && Buffer.from(JSON.stringify(cursor)).toString('base64url') };
}

/**
 * Reads the next lines of the caller's namespace. The cursor is the only state, so an export holds one batch in memory.
 * Each batch is consistent in itself. Changes made during the export are recorded in the audit log, which is exported
 * after the records.
 */
async function exportStep(context: EngineContext, cursor: ExportCursor): Promise<ExportStep> {
  const { section } = cursor;
  let items: readonly Item[] = [];
  let position: Position | null = null;
  let lines: string[];
  if (section === 'end') {
    const { lines: before, digest } = cursor;
    return { items, lines: [JSON.stringify({ type: 'end', lines: before, digest })], next: null };
  } else if (section === 'header') {
    await expire(context);
    // The runs so far are in the export, too.
    await context.shared(HistoryLog).flush();
    const { namespace } = context;
    const exported_at = new Date(context.now()).toISOString();
    const header = { type: 'header', format: FORMAT, version: VERSION, namespace, exported_at };
    lines = [JSON.stringify(header)];
  } else {
    const batch = await ITEM_TYPES[section].read(context, cursor);
    items = batch.items.map((value) => ({ type: section, value }));
    lines = items.map(formatLine);
    position = batch.next;
  }
  const following = SECTIONS[SECTIONS.indexOf(section) + 1] ?? 'end';
  const next = position === null ? { section: following, ...START } : { section, ...position };
  const digest = lines.reduce(updateDigest, cursor.digest);
  return { items, lines, next: { ...next, lines: cursor.lines + lines.length, digest } };
}

/**
 * Writes an export to a file that only its owner can read. The file appears under its name when it is complete.
 * @param options with `force`, an existing file is replaced
 * @throws LociError `conflict` when the file exists, `store_full` when the disk is full, `unreadable`, `aborted`
 */
export async function exportToFile(
  context: EngineContext,
  path: string,
  options: ProgressOptions & { readonly force?: boolean } = {},
): Promise<ExportCounts> {
  const target = await realpath(path).catch(() => resolve(path));
  const existing = await lstat(target).catch(() => null);
  if (existing !== null && !existing.isFile())
    throw new LociError('conflict', `${path} is not a regular file`, { hint: 'Name a file.' });
  if (existing !== null && options.force !== true)
    throw new LociError('conflict', `${path} already exists`, { hint: '`--force` replaces it.' });
  await assertNotStore(context, target, path);
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const counts = await writeLines(temporary, exportLines(context, options));
    await rename(temporary, target);
    await syncFolder(dirname(target));
    return counts;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    if (error instanceof LociError || systemErrorCode(error) === null) throw error;
    const [code, hint] = isDiskFull(error)
      ? (['store_full', 'Free some space there, or name a place on another disk.'] as const)
      : (['unreadable', 'Check that its folder exists and that you may write there.'] as const);
    const message = `${target} cannot be written: ${describeFileError(error)}`;
    throw new LociError(code, message, { hint, cause: error });
  }
}

async function writeLines(
  path: string,
  batches: AsyncGenerator<readonly string[], ExportCounts>,
): Promise<ExportCounts> {
  await using handle = await open(path, 'wx', 0o600);
  for (;;) {
    const { done, value } = await batches.next();
    if (done === true) {
      await handle.sync();
      return value;
    }
    if (value.length > 0) await handle.appendFile(`${value.join('\n')}\n`);
  }
}

/** Refuses the store's file and the files next to it, such as its journal. */
async function assertNotStore({ config }: EngineContext, target: string, path: string): Promise<void> {
  const { file } = locateStore(config.store);
  if (file === null) return;
  const store = await realpath(file).catch(() => resolve(file));
  if (target !== store && !target.startsWith(`${store}-`)) return;
  throw new LociError('conflict', `${path} is the store itself`, { hint: 'Name another file.' });
}

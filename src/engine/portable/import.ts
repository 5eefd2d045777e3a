import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LociError } from '../../core/errors.ts';
import { describeFileError } from '../../core/fs/file-errors.ts';
import { embedPending } from '../../ingest/embed.ts';
import type { EngineContext } from '../context.ts';
import { abortable, assertNotAborted } from '../../core/long-call.ts';
import { assertWritesEnabled } from '../access/permission.ts';
import { MANIFEST } from './export-file-text.ts';
import { arrivalsBelow, countsOf, isOfExport } from './export-folder-read.ts';
import { arrivalsIn, assertCompleteExport } from './export-lines-read.ts';
import { ImportReport } from './import-report.ts';
import { ImportRun, type ImportOptions } from './import-run.ts';
import { importWorkspace, isOfWorkspace } from './openclaw/import.ts';
import { filesBelow, givenFiles, type GivenFile, type TextFiles } from './text-files.ts';
import { fileLines, textLines, type Lines } from './text-lines.ts';

/** Where an import comes from. Only who may reach this machine's files may name a path. */
export type ImportSource =
  { readonly path: string } | { readonly lines: string } | { readonly files: readonly GivenFile[] };

export interface ImportRequest extends Partial<ImportOptions> {
  readonly from: ImportSource;
  /** Of an OpenClaw folder: whose it is. Its startup entries are for that agent alone. */
  readonly agent?: string;
}

export type ImportFormat = 'jsonl' | 'markdown' | 'openclaw';

export interface ImportResult {
  readonly format: ImportFormat;
  readonly report: ImportReport;
}

/**
 * Takes in an export, or the folder of an OpenClaw agent. Done again it changes nothing; stopped anywhere, it goes on
 * where it was. An export in lines is read to its end before anything of it is believed.
 * @throws LociError `invalid_input` for what is no export, or one that is cut, changed or of another version;
 *   `unreadable`, `writes_disabled`, `aborted`, `embedding_mismatch`
 */
export async function importFrom(context: EngineContext, request: ImportRequest): Promise<ImportResult> {
  assertWritesEnabled(context);
  const { from, agent = '', dryRun = false, overwrite = false, ...long } = request;
  const options: ImportOptions = { ...long, dryRun, overwrite };
  const vectors = dryRun ? null : await context.vectorsToFill();
  await context.expire();
  const report = new ImportReport();
  const source = await opened(from);
  const format = await takeIn(context, source, { options, report, agent });
  if (dryRun) return { format, report };
  context.tidy();
  if (vectors === null) report.why = 'no embedding provider is configured';
  else await embed(context, vectors, options, report);
  return { format, report };
}

type Opened = { readonly lines: Lines; readonly name: string } | { readonly files: TextFiles };

interface Taking {
  readonly options: ImportOptions;
  readonly report: ImportReport;
  readonly agent: string;
}

async function takeIn(context: EngineContext, source: Opened, taking: Taking): Promise<ImportFormat> {
  const { options, report } = taking;
  const run = new ImportRun(context, options, report);
  if ('lines' in source) {
    const total = await assertCompleteExport(source.lines, () => {
      assertNotAborted(options);
    });
    await run.takeAll(arrivalsIn(source.lines), source.name, total);
    return 'jsonl';
  }
  const { files } = source;
  for (const { where, what } of files.problems) report.problem(where, what);
  if (!files.paths.includes(MANIFEST)) {
    await importWorkspace(context, run, files, taking);
    return 'openclaw';
  }
  const counts = await countsOf(files);
  await run.takeAll(arrivalsBelow(files, counts, context.thread), files.name, files.paths.length - 1);
  return 'markdown';
}

async function opened(from: ImportSource): Promise<Opened> {
  if ('lines' in from) return { lines: textLines(from.lines), name: 'the given lines' };
  if ('files' in from) return { files: givenFiles(from.files) };
  const { path } = from;
  if (!(await isFolder(path))) return { lines: fileLines(path), name: path };
  const isExport = await isThere(join(path, MANIFEST));
  return { files: await filesBelow(path, isExport ? isOfExport : isOfWorkspace) };
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    throw new LociError('unreadable', `${path} cannot be read: ${describeFileError(error)}`, {
      cause: error,
    });
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** What was imported stays found by its words where the model cannot answer; the next `index` catches up (R16). */
async function embed(
  context: EngineContext,
  { embedder, generation }: NonNullable<Awaited<ReturnType<EngineContext['vectorsToFill']>>>,
  options: ImportOptions,
  report: ImportReport,
): Promise<void> {
  try {
    report.embedded = await embedPending(context.store, embedder, generation, {
      ...abortable(options),
      onProgress: (done, total) => options.onProgress?.({ stage: 'embedding', subject: '', done, total }),
    });
  } catch (error) {
    if (!(error instanceof LociError) || error.code === 'aborted') throw error;
    report.why = error.message;
  }
}

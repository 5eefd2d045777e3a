import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LociError } from '../../core/errors.ts';
import { unreadableError } from '../../core/fs/file-errors.ts';
import { assertNotAborted, type ProgressOptions } from '../../core/progress.ts';
import { embedPending, Refusals } from '../../ingest/embed.ts';
import type { VectorIndexRef } from '../../search/run.ts';
import { assertWritesEnabled } from '../access/permission.ts';
import type { Store } from '../../store/store.ts';
import type { EngineContext } from '../context.ts';
import { expire, schedulePurge } from '../shared/retention.ts';
import { vectorsToFill } from '../embedding/models.ts';
import { refusalReport } from '../embedding/refusal-report.ts';
import { MANIFEST } from './export/markdown.ts';
import { assertCompleteExport, parsedLines } from './import/export-lines.ts';
import { ImportReport } from './import/import-report.ts';
import { ImportRun, type ImportOptions } from './import/import-run.ts';
import { fileLines, textLines, type Lines } from './import/text-lines.ts';
import { filesBelow, givenFiles, type GivenFile, type WorkspaceFiles } from './openclaw/workspace-files.ts';
import { importWorkspace, isWorkspacePath } from './openclaw/workspace.ts';

/** Only callers that may read this machine's files may give a path. */
export type ImportSource =
  { readonly path: string } | { readonly lines: string } | { readonly files: readonly GivenFile[] };

export interface ImportRequest extends Partial<ImportOptions> {
  readonly from: ImportSource;
  /** The agent of an OpenClaw folder. Its startup entries are for that agent alone. */
  readonly agent?: string;
  /** How long to wait for the embeddings, in milliseconds. They then go on while the engine is open. Unlimited unless given. */
  readonly maxEmbeddingMs?: number;
}

type ImportFormat = 'jsonl' | 'openclaw';

export interface ImportResult {
  readonly format: ImportFormat;
  readonly report: ImportReport;
}

/**
 * Imports an export in JSON Lines, or the folder of an OpenClaw agent. Importing the same again changes nothing, and an
 * import that was interrupted continues. An export is checked to its end before any of it is imported.
 * @throws LociError `invalid_input` for anything but a complete export of this version or an OpenClaw folder;
 *   `unreadable`, `writes_disabled`, `aborted`, `embedding_mismatch`
 */
export async function importMemory(context: EngineContext, request: ImportRequest): Promise<ImportResult> {
  assertWritesEnabled(context);
  const { from, agent = '', dryRun = false, overwrite = false, maxEmbeddingMs, ...long } = request;
  const options: ImportOptions = { ...long, dryRun, overwrite };
  const source = await openSource(from);
  const vectors = dryRun ? null : await vectorsToFill(context);
  await expire(context);
  const report = new ImportReport();
  const run = new ImportRun(context, options, report);
  const format = 'lines' in source ? 'jsonl' : 'openclaw';
  if ('lines' in source) await importExport(run, source.lines, source.name, options);
  else await importWorkspace(context, run, source.files, { options, report, agent });
  if (dryRun) return { format, report };
  schedulePurge(context);
  if (vectors === null) report.why = 'no embedding provider is configured';
  else if (maxEmbeddingMs === undefined) await embed(context, vectors, options, report);
  else await embedWithin(maxEmbeddingMs, context, vectors, report);
  return { format, report };
}

/** Embeddings that have outlasted their import. One goes on for all imports of an engine. */
const embeddings = new WeakMap<Store, Promise<ImportReport>>();

async function embedWithin(
  maxMs: number,
  context: EngineContext,
  vectors: VectorIndexRef,
  report: ImportReport,
): Promise<void> {
  const { store } = context;
  const embedding = embeddings.get(store) ?? embedAll(context, vectors);
  embeddings.set(store, embedding);
  // When the engine is closed, nobody may wait for it any more.
  embedding.catch(() => undefined);
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, maxMs, null);
  const done = await Promise.race([embedding, late]);
  clearTimeout(timer);
  if (done === null) report.why = 'they are still being embedded; until then, they are found by their words';
  else [report.embedded, report.refusals, report.why] = [done.embedded, done.refusals, done.why];
}

/** Also what other imports have written meanwhile. */
async function embedAll(context: EngineContext, vectors: VectorIndexRef): Promise<ImportReport> {
  const total = new ImportReport();
  try {
    for (;;) {
      const report = new ImportReport();
      await embed(context, vectors, {}, report);
      [total.refusals, total.why] = [report.refusals, report.why];
      total.embedded += report.embedded;
      if (report.embedded === 0) return total;
    }
  } finally {
    embeddings.delete(context.store);
  }
}

async function importExport(
  run: ImportRun,
  lines: Lines,
  name: string,
  options: ImportOptions,
): Promise<void> {
  const total = await assertCompleteExport(lines, () => {
    assertNotAborted(options);
  });
  await run.importLines(parsedLines(lines), name, total);
}

async function openSource(
  from: ImportSource,
): Promise<{ readonly lines: Lines; readonly name: string } | { readonly files: WorkspaceFiles }> {
  if ('lines' in from) return { lines: textLines(from.lines), name: 'the given lines' };
  if ('files' in from) {
    if (from.files.some(({ path }) => path === MANIFEST)) throw markdownExport('this');
    return { files: givenFiles(from.files) };
  }
  const { path } = from;
  if (!(await isFolder(path))) return { lines: fileLines(path), name: path };
  if (existsSync(join(path, MANIFEST))) throw markdownExport(path);
  return { files: await filesBelow(path, isWorkspacePath) };
}

function markdownExport(name: string): LociError {
  return new LociError(
    'invalid_input',
    `${name} is an export as Markdown, which is for people to read and cannot be imported`,
    {
      hint:
        'Export to a file with `loci export --to FILE` and import that; it loses nothing. To search the Markdown itself, ' +
        'add the folder as a vault: `loci index FOLDER`.',
    },
  );
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    throw unreadableError(path, error);
  }
}

/** Without the model, imported texts are still found by their words, and the next `index` embeds them (R16). */
async function embed(
  context: EngineContext,
  { embedder, generation }: VectorIndexRef,
  options: ProgressOptions,
  report: ImportReport,
): Promise<void> {
  try {
    const refusals = new Refusals();
    report.embedded = await embedPending(context.store, embedder, generation, { ...options, refusals });
    report.refusals = await refusalReport(context, refusals);
  } catch (error) {
    if (!(error instanceof LociError) || error.code === 'aborted') throw error;
    report.why = error.message;
  }
}

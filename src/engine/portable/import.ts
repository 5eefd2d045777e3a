import { stat } from 'node:fs/promises';
import { within } from '../../core/time/deadline.ts';
import { LociError } from '../../core/errors.ts';
import { unreadableError } from '../../core/fs/file-errors.ts';
import type { ProgressOptions } from '../../core/progress.ts';
import { embedPending, Refusals } from '../../ingest/embed.ts';
import type { VectorIndexRef } from '../../search/run.ts';
import { assertWritesEnabled } from '../access/permission.ts';
import { assertPath, namesDatabase } from '../../store/registry.ts';
import type { Store } from '../../store/store.ts';
import type { EngineContext } from '../context.ts';
import { expire, schedulePurge } from '../shared/retention.ts';
import { vectorsToFill } from '../embedding/models.ts';
import { refusalReport } from '../embedding/refusal-report.ts';
import { fileLines, importLines, textLines, type Lines } from './import-lines.ts';
import { type ImportInput, type ImportOutput, ImportReport } from './items/import-report.ts';
import { filesBelow, givenFiles, type WorkspaceFiles } from './openclaw/workspace-files.ts';
import { importWorkspace, isWorkspacePath } from './openclaw/workspace.ts';
import { importShadowDatabase } from './shadowdb.ts';

export interface EmbeddingOptions extends ProgressOptions {
  /** How long to wait for the embeddings, in milliseconds. They then go on while the engine is open. Unlimited unless given. */
  readonly maxEmbeddingMs?: number;
}

/**
 * Imports an export in JSON Lines, the folder of an OpenClaw agent, or the database of a ShadowDB. Importing the same again changes
 * nothing, and an import that was interrupted continues. An export is checked to its end before any of it is imported.
 * @throws LociError `invalid_input` for anything but a complete export of this version, an OpenClaw folder or a ShadowDB;
 *   `unreadable`, `writes_disabled`, `aborted`
 */
export async function importMemory(
  context: EngineContext,
  { agent = '', table = 'memories', dry_run = false, overwrite = false, ...from }: ImportInput,
  { maxEmbeddingMs, ...progress }: EmbeddingOptions = {},
): Promise<ImportOutput> {
  assertWritesEnabled(context);
  const options = { ...progress, dry_run, overwrite };
  const source = await openSource(from);
  const vectors = dry_run ? null : await vectorsToFill(context);
  await expire(context);
  const report = new ImportReport();
  const job = { context, options, report };
  const format = 'lines' in source ? 'jsonl' : 'files' in source ? 'openclaw' : 'shadowdb';
  if ('lines' in source) await importLines(job, source.lines, source.name);
  else if ('files' in source) await importWorkspace(job, source.files, agent);
  else await importShadowDatabase(job, source.place, table, agent);
  if (dry_run) return report.output(format, dry_run);
  schedulePurge(context);
  if (vectors === null) report.why = 'no embedding provider is configured';
  else if (maxEmbeddingMs === undefined) await embed(context, vectors, options, report);
  else await embedWithin(maxEmbeddingMs, context, vectors, report);
  return report.output(format, dry_run);
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
  const done = await within(embedding, maxMs, () => null);
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

/** One of the three is given. Only callers that may read this machine's files may give a path. */
async function openSource({
  path = '',
  lines,
  files,
}: ImportInput): Promise<
  | { readonly lines: Lines; readonly name: string }
  | { readonly files: WorkspaceFiles }
  | { readonly place: string }
> {
  if (lines !== undefined) return { lines: textLines(lines), name: 'the given lines' };
  if (files !== undefined) return { files: givenFiles(files) };
  if (namesDatabase(path)) return { place: path };
  assertPath(path, 'path');
  if (!(await isFolder(path))) return { lines: fileLines(path), name: path };
  return { files: await filesBelow(path, isWorkspacePath) };
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

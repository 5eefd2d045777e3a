import { open, stat } from 'node:fs/promises';
import { LociError } from '../../core/errors.ts';
import { unreadableError } from '../../core/fs/file-errors.ts';
import { assertNotAborted, type ProgressOptions } from '../../core/progress.ts';
import { within } from '../../core/time/deadline.ts';
import { assertPath, namesDatabase } from '../../store/registry.ts';
import { assertWritesEnabled } from '../access/permission.ts';
import type { EngineContext } from '../context.ts';
import { vectorsToFill } from '../embedding/models.ts';
import { embedNew } from '../reading/embed-new.ts';
import { expire, schedulePurge } from '../shared/retention.ts';
import { importConversations } from './conversations.ts';
import { FORMAT, readExport, splitLines } from './export-lines.ts';
import { type ImportInput, type ImportOutput, ImportReport } from './import-report.ts';
import { ItemImport } from './item-type.ts';
import { ITEM_TYPES } from './items.ts';
import { importShadowDatabase } from './shadowdb.ts';
import { filesBelow, givenFiles, type WorkspaceFiles } from './workspace-files.ts';
import { hasWorkspaceFiles, importWorkspace, isWorkspacePath } from './workspace.ts';

interface EmbeddingOptions extends ProgressOptions {
  /** How long to wait for the embeddings, in milliseconds. They then go on while the engine is open. Unlimited unless given. */
  readonly maxEmbeddingMs?: number;
}

/**
 * Imports an export in JSON Lines, the folder of an OpenClaw agent, the database of a ShadowDB, or conversations of other programs.
 * Importing the same again changes nothing, and an import that was interrupted continues. An export is checked to its end before any of
 * it is imported.
 * @throws LociError `invalid_input` for anything but a complete export of this version, an OpenClaw folder, a ShadowDB or conversations;
 *   `unreadable`, `writes_disabled`, `aborted`
 */
export async function importMemory(
  context: EngineContext,
  { agent = '', table = 'memories', dry_run = false, overwrite = false, ...from }: ImportInput,
  options: EmbeddingOptions = {},
): Promise<ImportOutput> {
  assertWritesEnabled(context);
  const { format, run } = await openSource(from, table, agent);
  const vectors = dry_run ? null : await vectorsToFill(context);
  await expire(context);
  const report = new ImportReport(format, dry_run);
  const job = new ItemImport(context, { ...options, dry_run, overwrite }, report, ITEM_TYPES);
  await run(job);
  await job.flush();
  if (dry_run) return report.end();
  schedulePurge(context);
  if (vectors === null) report.output.why = 'no embedding provider is configured';
  else Object.assign(report.output, await embed(context, options));
  return report.end();
}

/** Without the model, imported texts are still found by their words, and the next `index` embeds them (R16). */
async function embed(
  context: EngineContext,
  { maxEmbeddingMs = 0, ...progress }: EmbeddingOptions,
): Promise<Partial<ImportOutput>> {
  // What outlasts the call does not end with it.
  const embedding = embedNew(context, maxEmbeddingMs === 0 ? progress : {}).catch((error: unknown) => {
    if (!(error instanceof LociError) || error.code === 'aborted') throw error;
    return error;
  });
  const done = await within(embedding, maxEmbeddingMs, () => null);
  if (done === null)
    return { why: 'they are still being embedded; until then, they are found by their words' };
  if (done instanceof LociError) return { why: done.message };
  const { embedded, refused, refusals } = done;
  return { embedded, refused, refusals };
}

interface ImportSource {
  readonly format: ImportOutput['format'];
  readonly run: (job: ItemImport) => Promise<void>;
}

/** One of the three is given. Only callers that may read this machine's files may give a path. */
async function openSource(
  { path = '', lines, files }: ImportInput,
  table: string,
  agent: string,
): Promise<ImportSource> {
  const fromLines = (read: Lines, name: string): ImportSource => ({
    format: 'jsonl',
    run: (job) => importLines(job, read, name),
  });
  const fromFiles = (workspace: WorkspaceFiles): ImportSource => ({
    format: 'openclaw',
    run: (job) => importWorkspace(job, workspace, agent),
  });
  const conversations: ImportSource = {
    format: 'conversations',
    run: (job) => importConversations(job, path),
  };
  if (lines !== undefined) return fromLines(() => splitLines([lines]), 'the given lines');
  if (files !== undefined) return fromFiles(givenFiles(files));
  if (namesDatabase(path))
    return { format: 'shadowdb', run: (job) => importShadowDatabase(job, path, table, agent) };
  assertPath(path, 'path');
  const stats = await stat(path).catch((error: unknown) => {
    throw unreadableError(path, error);
  });
  if (stats.isDirectory()) {
    const workspace = await filesBelow(path, isWorkspacePath);
    return hasWorkspaceFiles(workspace) ? fromFiles(workspace) : conversations;
  }
  // Opening a FIFO would wait for a writer.
  if (!stats.isFile())
    throw new LociError('unreadable', `${path} is not a regular file`, {
      hint: 'Name a file or a folder; `-` reads standard input.',
    });
  return (await isExport(path)) ? fromLines(() => fileLines(path), path) : conversations;
}

const HEAD_BYTES = 1000;

/** Whether a file begins as an export of Loci does, of whatever version, or may have been one that was damaged. */
async function isExport(path: string): Promise<boolean> {
  try {
    await using handle = await open(path);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return bytesRead === 0 || buffer.toString('utf8', 0, bytesRead).includes(`"${FORMAT}"`);
  } catch (error) {
    throw unreadableError(path, error);
  }
}

/** Each call reads the lines from the beginning. */
type Lines = () => AsyncIterable<string>;

const CHUNK_BYTES = 1024 * 1024;

async function* fileLines(path: string): AsyncGenerator<string> {
  try {
    await using handle = await open(path);
    yield* splitLines(
      handle.createReadStream({ autoClose: false, encoding: 'utf8', highWaterMark: CHUNK_BYTES }),
    );
  } catch (error) {
    throw error instanceof LociError ? error : unreadableError(path, error);
  }
}

/** Reads an export to its end before any of it is imported. */
async function importLines(job: ItemImport, lines: Lines, subject: string): Promise<void> {
  let total = 0;
  for await (const _ of readExport(lines())) {
    assertNotAborted(job.options);
    total++;
  }
  let done = 0;
  for await (const { location, item } of readExport(lines())) {
    if (typeof item === 'string') job.report.add('problems', { location, message: item });
    else await job.add(location, item);
    job.options.onProgress?.({ stage: 'reading', subject, done: ++done, total });
  }
}

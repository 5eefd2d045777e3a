import { stat, open } from 'node:fs/promises';
import { within } from '../../core/time/deadline.ts';
import { LociError } from '../../core/errors.ts';
import { unreadableError } from '../../core/fs/file-errors.ts';
import { type ProgressOptions, assertNotAborted } from '../../core/progress.ts';
import { assertWritesEnabled } from '../access/permission.ts';
import { assertPath, namesDatabase } from '../../store/registry.ts';
import type { EngineContext } from '../context.ts';
import { expire, schedulePurge } from '../shared/retention.ts';
import { vectorsToFill } from '../embedding/models.ts';
import { embedNew } from '../reading/embed-new.ts';
import { type ImportInput, type ImportOutput, ImportReport, ITEM_TYPE_NAMES } from './items/import-report.ts';
import { filesBelow, givenFiles, type WorkspaceFiles } from './openclaw/workspace-files.ts';
import { importWorkspace, isWorkspacePath } from './openclaw/workspace.ts';
import { importShadowDatabase } from './shadowdb.ts';
import { isJsonMap, parseJson } from '../../core/json.ts';
import { ItemImport } from './items/import-items.ts';
import { type ImportJob, INITIAL_DIGEST, parseEnd, parseHeader, updateDigest } from './items/item-type.ts';
import { parseItem, type ExportItem } from './items/items.ts';

interface EmbeddingOptions extends ProgressOptions {
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
  embedding: EmbeddingOptions = {},
): Promise<ImportOutput> {
  assertWritesEnabled(context);
  const options = { ...embedding, dry_run, overwrite };
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
  else await embed(context, options, report);
  return report.output(format, dry_run);
}

/** Without the model, imported texts are still found by their words, and the next `index` embeds them (R16). */
async function embed(context: EngineContext, options: EmbeddingOptions, report: ImportReport): Promise<void> {
  const { maxEmbeddingMs = 0, ...progress } = options;
  // What outlasts the call does not end with it.
  const embedding = embedNew(context, maxEmbeddingMs === 0 ? progress : {}).catch((error: unknown) => {
    if (!(error instanceof LociError) || error.code === 'aborted') throw error;
    return error;
  });
  const done = await within(embedding, maxEmbeddingMs, () => null);
  if (done === null) report.why = 'they are still being embedded; until then, they are found by their words';
  else if (done instanceof LociError) report.why = done.message;
  else
    [report.embedded, report.refusals] = [done.embedded, { refused: done.refused, refusals: done.refusals }];
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

/** Each call reads the lines from the beginning, without their line breaks. */
type Lines = () => AsyncIterable<string>;

/** UTF-16 units; longer than the line of any record. */
const MAX_LINE_LENGTH = 16 * 1024 * 1024;

/**
 * Imports an export in batches. An import that was interrupted continues when it is run again.
 * @throws LociError `invalid_input` for anything but a complete, unchanged export of this version; then nothing is imported
 */
async function importLines(job: ImportJob, lines: Lines, subject: string): Promise<void> {
  const { options, report } = job;
  const total = await assertCompleteExport(job, lines);
  const items = new ItemImport(job);
  let number = 0;
  for await (const line of lines()) {
    number++;
    if (number === 1 || number === total) continue;
    const location = `line ${String(number)}`;
    const item = parseLine(line, number);
    if (typeof item === 'string') report.addProblem(location, item);
    else await items.add(location, item);
    options.onProgress?.({ stage: 'reading', subject, done: number - 1, total: total - 2 });
  }
  await items.flush();
}

/** Reads an export to its end, and checks each line and the digest of all. Returns the number of lines. */
async function assertCompleteExport({ options }: ImportJob, lines: Lines): Promise<number> {
  let digest = INITIAL_DIGEST;
  let previous: string | null = null;
  let count = 0;
  for await (const line of lines()) {
    assertNotAborted(options);
    if (previous === null) assertHeader(line);
    else digest = updateDigest(digest, previous);
    // The last line is no item.
    if (previous !== null && count > 1) parseLine(previous, count);
    previous = line;
    count++;
  }
  if (previous === null) throw new LociError('invalid_input', 'there is nothing to import: it is empty');
  const end = count > 1 ? parseEnd(parseJson(previous)) : '';
  if (typeof end === 'string') throw damaged(count, 'it was cut: its last line is missing');
  if (end.lines !== count - 1)
    throw damaged(
      count,
      `it counts ${String(end.lines)} lines before it, but there are ${String(count - 1)}`,
    );
  if (end.digest !== digest)
    throw damaged(count, 'it was changed: the digest of the lines before it is another');
  return count;
}

function damaged(line: number, reason: string): LociError {
  return new LociError('invalid_input', `the export is damaged: line ${String(line)}: ${reason}`, {
    hint: 'Export it again. Nothing was imported.',
  });
}

function assertHeader(line: string): void {
  const header = parseHeader(parseJson(line));
  if (typeof header !== 'string') return;
  throw new LociError('invalid_input', `this is not an export that can be imported: ${header}`, {
    hint: 'docs/export-format.md describes the format. Nothing was imported.',
  });
}

/**
 * The item of a line, or a message for one of a type that this version does not have.
 * @throws LociError `invalid_input` for a line that is damaged
 */
function parseLine(line: string, number: number): ExportItem | string {
  const value = parseJson(line);
  if (!isJsonMap(value)) throw damaged(number, 'it is not a JSON object');
  const item = parseItem(value);
  const isKnown = (ITEM_TYPE_NAMES as readonly unknown[]).includes(value['type']);
  if (typeof item === 'string' && isKnown) throw damaged(number, item);
  return item;
}

function textLines(text: string): Lines {
  return () => splitLines([text]);
}

/** The lines of a regular file, read in chunks. */
function fileLines(path: string): Lines {
  return async function* () {
    try {
      // `open` of a FIFO would wait for a writer; `stat` does not.
      if (!(await stat(path)).isFile())
        throw new LociError('unreadable', `${path} is not a regular file`, {
          hint: 'Name a file or a folder; `-` reads standard input.',
        });
      await using handle = await open(path);
      yield* splitLines(decode(handle.createReadStream({ autoClose: false }), path));
    } catch (error) {
      if (error instanceof LociError) throw error;
      throw unreadableError(path, error);
    }
  };
}

/** @throws LociError `invalid_input` for bytes that are not UTF-8 */
async function* decode(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new LociError('invalid_input', `${name} is not text in UTF-8`, { cause: error });
  }
}

/** An empty last line does not count. @throws LociError `invalid_input` for a line that is too long */
async function* splitLines(chunks: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let parts: string[] = [];
  let length = 0;
  let number = 1;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      parts.push(chunk.slice(from, end));
      yield joinLine(parts, number++);
      parts = [];
      length = 0;
      from = end + 1;
    }
    parts.push(chunk.slice(from));
    length += chunk.length - from;
    if (length > MAX_LINE_LENGTH) throw tooLong(number);
  }
  const last = joinLine(parts, number);
  if (last !== '') yield last;
}

function joinLine(parts: readonly string[], number: number): string {
  const line = parts.join('');
  if (line.length > MAX_LINE_LENGTH) throw tooLong(number);
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function tooLong(number: number): LociError {
  return new LociError(
    'invalid_input',
    `line ${String(number)} is longer than ${String(MAX_LINE_LENGTH)} characters`,
  );
}

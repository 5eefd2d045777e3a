import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { LociError } from '../../core/errors.ts';
import { eventLoopYielder } from '../../core/threads/event-loop.ts';
import type { TaskRunner, ThreadTask } from '../../core/threads/task-thread.ts';
import { workerModule } from '../../core/threads/worker-module.ts';
import { shortHash } from '../../core/ids.ts';
import type { CutOptions } from '../../ingest/cut-record.ts';
import { isWithin } from '../../sources/files/paths.ts';
import { isBelow } from '../pools/pool-files.ts';
import type { LocatedPool } from '../pools/pool-set.ts';
import type { PassageRow } from './arrow-rows.ts';
import { among, folderIdOf, type PassageTable } from './passage-table.ts';
import { listNotes, readNotes, type NoteListing, type ReadNote } from './read-notes.ts';

interface IndexOptions {
  readonly table: PassageTable;
  readonly thread: TaskRunner;
  readonly countingProvider: CutOptions['provider'];
  readonly signal: AbortSignal;
  /** Called with the absolute path of what is not indexed. */
  readonly report: (path: string, why: string) => void;
}

/** A pool, or paths within it, which are to be indexed. */
export interface PoolPart {
  readonly pool: LocatedPool;
  /** `''` is the pool itself. */
  readonly below: readonly string[];
}

interface ListedNote {
  readonly root: string;
  readonly path: string;
  readonly bytes: number;
  /** Whether the table has it, as it was. */
  readonly isStored: boolean;
}

/** A listing or reading has as many files that a thread starts for it. */
const LONG = { size: Infinity };
/** Files that are read at once: their texts are in memory. */
const MAX_BYTES_OF_GROUP = 256_000;
const MAX_FILES_OF_GROUP = 200;
/** Passages that are written at once, because each write makes a version of the table. */
const PASSAGES_OF_WRITE = 2000;

const LIST: ThreadTask<Parameters<typeof listNotes>, NoteListing> = {
  module: workerModule(import.meta.url, 'read-notes'),
  name: listNotes.name,
  inline: listNotes,
};
const READ: ThreadTask<Parameters<typeof readNotes>, ReadNote[]> = {
  module: LIST.module,
  name: readNotes.name,
  inline: readNotes,
};

/**
 * Makes the table what the folders of pools are: reads notes that are new or have another revision, of all pools together, because each
 * write takes long. What it has written stays if it is interrupted.
 */
export async function indexPools(options: IndexOptions, parts: readonly PoolPart[]): Promise<void> {
  const stored = await storedRevisions(options.table, parts);
  const changed: ListedNote[] = [];
  const gone: string[] = [];
  for (const part of parts) {
    const folder = folderIdOf(part.pool.root);
    const left = stored.get(folder) ?? new Map<string, string>();
    try {
      for (const note of await changedNotes(options, part, left)) changed.push(note);
    } catch (error) {
      options.report(part.pool.root, messageOfUnreadable(error));
      continue;
    }
    for (const path of left.keys()) gone.push(noteIdOf(folder, path));
  }
  await indexNotes(options, changed);
  await options.table.deleteNotes(gone);
}

/** @throws what is no problem of files */
function messageOfUnreadable(error: unknown): string {
  if (error instanceof LociError && error.code !== 'aborted') return error.message;
  throw error;
}

/** Lists the notes of a pool. Those that are new, or have another revision, are returned, and all that are there leave `stored`. */
async function changedNotes(
  { thread, signal, report }: IndexOptions,
  { pool: { id, root, inner }, below }: PoolPart,
  stored: Map<string, string>,
): Promise<ListedNote[]> {
  const { files, unreadable } = await thread.run(LIST, [{ id, root, inner }, below], { ...LONG, signal });
  for (const [path, why] of unreadable) report(path, why);
  const changed: ListedNote[] = [];
  const yieldToEventLoop = eventLoopYielder();
  for (const { key: path, bytes, revision } of files) {
    const known = stored.get(path);
    if (known !== revision) changed.push({ root, path, bytes, isStored: known !== undefined });
    stored.delete(path);
    await yieldToEventLoop();
  }
  return changed;
}

function noteIdOf(folder: string, path: string): string {
  return shortHash(`${folder}/${path}`);
}

/** The revisions of notes by path, by folder. */
async function storedRevisions(
  table: PassageTable,
  parts: readonly PoolPart[],
): Promise<Map<string, Map<string, string>>> {
  const belowOf = new Map(parts.map(({ pool, below }) => [folderIdOf(pool.root), below]));
  const revisions = new Map<string, Map<string, string>>();
  const yieldToEventLoop = eventLoopYielder();
  const where = `${among('folder', [...belowOf.keys()])} AND revision != ''`;
  for await (const { folder, path, revision } of table.rows(['folder', 'path', 'revision'], where)) {
    const paths = revisions.get(folder) ?? new Map<string, string>();
    revisions.set(folder, paths);
    if (belowOf.get(folder)!.some((each) => isBelow(each, path))) paths.set(path, revision);
    await yieldToEventLoop();
  }
  return revisions;
}

async function indexNotes(options: IndexOptions, notes: readonly ListedNote[]): Promise<void> {
  const { table, thread, countingProvider, signal, report } = options;
  const groups = groupsOf(notes);
  const read = async (i: number): Promise<ReadNote[]> => {
    const files = (groups[i] ?? []).map(({ root, path }) => [root, path] as const);
    try {
      return await thread.run(READ, [files, countingProvider], { ...LONG, signal });
    } catch (error) {
      const problem = messageOfUnreadable(error);
      for (const file of files) report(path.join(...file), problem);
      return [];
    }
  };
  let rows: PassageRow[] = [];
  let replaced: string[] = [];
  const write = async (): Promise<void> => {
    await table.write(rows, replaced);
    await table.optimize({ isWriting: true });
    [rows, replaced] = [[], []];
  };
  let reading = groups.length === 0 ? Promise.resolve([]) : read(0);
  for (const [i, group] of groups.entries()) {
    const found = await reading;
    // The thread reads the next group while this one is written.
    if (i + 1 < groups.length) reading = read(i + 1);
    reading.catch(() => undefined);
    for (const note of found) {
      if (note.problem !== null) report(path.join(note.root, note.path), note.problem);
      rows.push(...rowsOf(note));
    }
    replaced.push(
      ...group.filter(({ isStored }) => isStored).map((note) => noteIdOf(folderIdOf(note.root), note.path)),
    );
    if (rows.length >= PASSAGES_OF_WRITE || replaced.length >= PASSAGES_OF_WRITE) await write();
  }
  if (rows.length > 0 || replaced.length > 0) await write();
}

function groupsOf(notes: readonly ListedNote[]): ListedNote[][] {
  const groups: ListedNote[][] = [];
  let bytes = Infinity;
  for (const note of notes) {
    const group = groups.at(-1);
    bytes += note.bytes;
    if (group === undefined || bytes > MAX_BYTES_OF_GROUP || group.length >= MAX_FILES_OF_GROUP) {
      groups.push([note]);
      bytes = note.bytes;
    } else group.push(note);
  }
  return groups;
}

function rowsOf({ root, path, revision, title, frontMatter, passages }: ReadNote): PassageRow[] {
  const folder = folderIdOf(root);
  const id = noteIdOf(folder, path);
  const head = { path, revision, title, frontMatter };
  const empty = { path: '', revision: '', title: '', frontMatter: '' };
  return passages.map((passage, ordinal) => ({
    id: `${id}/${String(ordinal)}`,
    note: id,
    folder,
    ...(ordinal === 0 ? head : empty),
    ...passage,
  }));
}

/**
 * The paths that a path may mean: it, with the links of each part of it resolved. A link within a pool stands for what was there before,
 * and a link to a pool for the pool.
 */
export async function pathsOf(given: string): Promise<string[]> {
  const paths: string[] = [];
  for (
    let [rest, parent] = ['', given];
    ;
    [rest, parent] = [path.join(path.basename(parent), rest), path.dirname(parent)]
  ) {
    const real = await realpath(parent).catch(() => null);
    if (real !== null) paths.push(path.join(real, rest));
    if (path.dirname(parent) === parent) return [...new Set(paths)];
  }
}

/** What a path means in a pool, as a path below it: nothing, or `''` for the whole pool. */
export function keysOf({ root, inner }: LocatedPool, given: string): string[] {
  if (isWithin(given, root)) return [''];
  if (!isWithin(root, given) || inner.some((other) => isWithin(other, given))) return [];
  return [path.relative(root, given).split(path.sep).join('/')];
}

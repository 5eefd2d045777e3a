import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { eventLoopYielder } from '../../core/threads/event-loop.ts';
import type { TaskRunner, ThreadTask } from '../../core/threads/task-thread.ts';
import { workerModule } from '../../core/threads/worker-module.ts';
import { shortHash } from '../../core/ids.ts';
import type { CutOptions } from '../../ingest/cut-record.ts';
import { isWithin } from '../../sources/files/paths.ts';
import { isBelow } from '../pools/pool-files.ts';
import type { LocatedPool } from '../pools/pool-set.ts';
import type { PassageRow } from './arrow-rows.ts';
import { among, type PassageTable } from './passage-table.ts';
import { listNotes, readNotes, type NoteListing, type ReadNote } from './read-notes.ts';

/** A folder as rows name it. Pools on one folder have the same notes. */
export function folderIdOf(root: string): string {
  return shortHash(root);
}

interface IndexOptions {
  readonly table: PassageTable;
  readonly thread: TaskRunner;
  readonly countingProvider: CutOptions['provider'];
  readonly signal: AbortSignal;
  /** Called with the absolute path of what is not indexed. */
  readonly report: (path: string, why: string) => void;
}

interface ListedNote {
  readonly path: string;
  readonly bytes: number;
  readonly revision: string;
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
 * Makes the table what the folder of a pool is: reads notes that are new or have another revision, and removes those that are gone. What
 * it has written stays if it is interrupted.
 * @param below paths within the pool, to which this is limited
 */
export async function indexPool(
  options: IndexOptions,
  { id, root, inner }: LocatedPool,
  below: readonly string[] = [''],
): Promise<void> {
  const { table, thread, signal, report } = options;
  const folder = folderIdOf(root);
  const stored = await storedRevisions(table, folder, below);
  const { packed, unreadable } = await thread.run(LIST, [{ id, root, inner }, below], { ...LONG, signal });
  for (const [path, why] of unreadable) report(path, why);
  const changed: ListedNote[] = [];
  const yieldToEventLoop = eventLoopYielder();
  for (const { path, bytes, revision } of listed(packed)) {
    const known = stored.get(path);
    if (known !== revision) changed.push({ path, bytes, revision, isStored: known !== undefined });
    stored.delete(path);
    await yieldToEventLoop();
  }
  await indexNotes(options, root, changed);
  // A note that was renamed has left its vectors to its new path.
  await table.deleteNotes([...stored.keys()].map((path) => noteIdOf(folder, path)));
}

function noteIdOf(folder: string, path: string): string {
  return shortHash(`${folder}/${path}`);
}

async function storedRevisions(
  table: PassageTable,
  folder: string,
  below: readonly string[],
): Promise<Map<string, string>> {
  const revisions = new Map<string, string>();
  const yieldToEventLoop = eventLoopYielder();
  const rows = table.rows(['path', 'revision'], `${among('folder', [folder])} AND revision != ''`);
  for await (const { path, revision } of rows) {
    if (below.some((each) => isBelow(each, path))) revisions.set(path, revision);
    await yieldToEventLoop();
  }
  return revisions;
}

function* listed(packed: string): Generator<Omit<ListedNote, 'isStored'>> {
  let from = 0;
  const next = (): string => {
    const found = packed.indexOf('\0', from);
    const part = packed.slice(from, found === -1 ? packed.length : found);
    from = found === -1 ? packed.length : found + 1;
    return part;
  };
  while (from < packed.length) yield { path: next(), bytes: Number(next()), revision: next() };
}

async function indexNotes(options: IndexOptions, root: string, notes: readonly ListedNote[]): Promise<void> {
  const { table, thread, countingProvider, signal, report } = options;
  const folder = folderIdOf(root);
  const groups = groupsOf(notes);
  const read = (i: number): Promise<ReadNote[]> => {
    const paths = (groups[i] ?? []).map(({ path }) => path);
    return thread.run(READ, [root, paths, countingProvider], { ...LONG, signal });
  };
  let rows: PassageRow[] = [];
  let replaced: string[] = [];
  const write = async (): Promise<void> => {
    await table.write(rows, await table.vectorsOf(rows.map(({ hash }) => hash)), replaced);
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
      if (note.problem !== null) report(`${root}/${note.path}`, note.problem);
      rows.push(...rowsOf(folder, note));
    }
    replaced.push(...group.filter(({ isStored }) => isStored).map(({ path }) => noteIdOf(folder, path)));
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

function rowsOf(folder: string, note: ReadNote): PassageRow[] {
  const { path, revision, title, frontMatter, filters, passages } = note;
  const id = noteIdOf(folder, path);
  const head = { path, revision, title, frontMatter };
  const empty = { path: '', revision: '', title: '', frontMatter: '' };
  return passages.map((passage, ordinal) => ({
    id: `${id}/${String(ordinal)}`,
    note: id,
    folder,
    ...(ordinal === 0 ? head : empty),
    filters,
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

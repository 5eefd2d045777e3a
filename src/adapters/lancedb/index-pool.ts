import path from 'node:path';
import { LociError } from '../../core/errors.ts';
import { eventLoopYielder } from '../../core/threads/slices.ts';
import type { TaskRunner, ThreadTask } from '../../core/threads/task-thread.ts';
import { workerModule } from '../../core/threads/worker-module.ts';
import { shortHash } from '../../core/ids.ts';
import type { Embedder, EmbedOptions } from '../../embed/embedder.ts';
import { RefusedTextsError, type TextResult } from '../../embed/embedder.ts';
import type { CutOptions } from '../../ingest/cut-record.ts';
import type { PoolFile, Unread } from '../pools/pool-files.ts';
import type { LocatedPool } from '../pools/pool-set.ts';
import { among, folderIdOf, foldersOf, type PassageRow, type PassageTable } from './passage-table.ts';
import { listNotes, readNotes, type NoteListing, type ReadNote } from './read-notes.ts';

interface IndexOptions {
  readonly table: PassageTable;
  readonly thread: TaskRunner;
  readonly countingProvider: CutOptions['provider'];
  readonly signal: AbortSignal;
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
 * @returns what is not indexed, by root of a pool
 */
export async function indexPools(
  options: IndexOptions,
  pools: readonly LocatedPool[],
): Promise<Map<string, Unread>> {
  const { table } = options;
  const stored = await storedRevisions(table, pools);
  const unreadByRoot = new Map<string, Unread>();
  const gone: string[] = [];
  let rows: PassageRow[] = [];
  let replaced: string[] = [];
  const write = async (): Promise<void> => {
    await table.write(rows, replaced);
    await table.optimize({ isWriting: true });
    [rows, replaced] = [[], []];
  };
  for (const pool of pools) {
    const { root } = pool;
    const folder = folderIdOf(root);
    const revisions = stored.get(folder) ?? new Map<string, string>();
    const unread: Unread = new Map();
    unreadByRoot.set(root, unread);
    try {
      const listed = new Set<string>();
      for await (const { files, notes } of changedNotes(options, pool, { revisions, listed, unread })) {
        for (const { key } of files) if (revisions.has(key)) replaced.push(noteIdOf(folder, key));
        for (const note of notes) {
          if (note.problem !== null) unread.set(path.join(root, note.path), note.problem);
          rows.push(...rowsOf(folder, note));
        }
        if (Math.max(rows.length, replaced.length) >= PASSAGES_OF_WRITE) await write();
      }
      for (const key of revisions.keys()) if (!listed.has(key)) gone.push(noteIdOf(folder, key));
    } catch (error) {
      // Everything else is no problem of files.
      if (!(error instanceof LociError) || error.code === 'aborted') throw error;
      unread.set(root, error.message);
    }
  }
  if (rows.length > 0 || replaced.length > 0) await write();
  await table.deleteNotes(gone);
  return unreadByRoot;
}

interface ReadGroup {
  readonly files: readonly PoolFile[];
  readonly notes: readonly ReadNote[];
}

interface Listing {
  /** Of the notes that are stored, by path. */
  readonly revisions: ReadonlyMap<string, string>;
  /** Gets the paths of all notes. */
  readonly listed: Set<string>;
  /** Gets what cannot be listed. */
  readonly unread: Unread;
}

/** Reads the notes of a pool that are new or have another revision, in groups. */
async function* changedNotes(
  { thread, countingProvider, signal }: IndexOptions,
  { id, root, inner }: LocatedPool,
  { revisions, listed, unread }: Listing,
): AsyncGenerator<ReadGroup> {
  const listing = await thread.run(LIST, [{ id, root, inner }], { ...LONG, signal });
  for (const [file, why] of listing.unread) unread.set(file, why);
  const read = async (group: readonly PoolFile[]): Promise<ReadGroup> => {
    const keys = group.map(({ key }) => key);
    return {
      files: group,
      notes: await thread.run(READ, [root, keys, countingProvider], { ...LONG, signal }),
    };
  };
  let [group, bytes]: [PoolFile[], number] = [[], 0];
  const yieldToEventLoop = eventLoopYielder();
  for (const file of listing.files) {
    await yieldToEventLoop();
    listed.add(file.key);
    if (revisions.get(file.key) === file.revision) continue;
    group.push(file);
    bytes += file.bytes;
    if (bytes < MAX_BYTES_OF_GROUP && group.length < MAX_FILES_OF_GROUP) continue;
    yield await read(group);
    [group, bytes] = [[], 0];
  }
  if (group.length > 0) yield await read(group);
}

function noteIdOf(folder: string, path: string): string {
  return shortHash(`${folder}/${path}`);
}

/** The revisions of notes by path, by folder. */
async function storedRevisions(
  table: PassageTable,
  pools: readonly LocatedPool[],
): Promise<Map<string, Map<string, string>>> {
  const revisions = new Map<string, Map<string, string>>();
  const yieldToEventLoop = eventLoopYielder();
  const where = `${among('folder', foldersOf(pools))} AND revision != ''`;
  for await (const { folder, path, revision } of table.rows(['folder', 'path', 'revision'], where)) {
    const paths = revisions.get(folder) ?? new Map<string, string>();
    revisions.set(folder, paths.set(path, revision));
    await yieldToEventLoop();
  }
  return revisions;
}

function rowsOf(folder: string, { path, revision, title, frontMatter, passages }: ReadNote): PassageRow[] {
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

/** A run that stops loses these. */
const PASSAGES_OF_BATCH = 512;
export const WITHOUT_VECTOR = 'vector IS NULL';

/**
 * Embeds each passage that has no vector. Texts that the provider refuses stay without one.
 * @throws LociError `embedding_unavailable`, `aborted`
 */
export async function embedPassages(
  table: PassageTable,
  embedder: Embedder,
  options: Required<Pick<EmbedOptions, 'signal'>>,
): Promise<void> {
  const pending: string[] = [];
  for await (const { id } of table.rows(['id'], WITHOUT_VECTOR)) pending.push(id);
  for (let from = 0; from < pending.length; from += PASSAGES_OF_BATCH) {
    const ids = pending.slice(from, from + PASSAGES_OF_BATCH);
    const batch: Pick<PassageRow, 'id' | 'hash'>[] = [];
    const texts = new Map<string, string>();
    for await (const row of table.rows(['id', 'hash', 'words', 'textEnd'], among('id', ids))) {
      batch.push(row);
      texts.set(row.hash, row.words.slice(0, row.textEnd));
    }
    const results = await embedded(embedder, [...texts.values()], options);
    const vectors = new Map<string, Float32Array>();
    for (const [i, hash] of [...texts.keys()].entries())
      if (typeof results[i] !== 'string') vectors.set(hash, results[i]!);
    await table.setVectors(batch, vectors);
    await table.optimize({ isWriting: true });
    options.signal.throwIfAborted();
  }
}

async function embedded(
  embedder: Embedder,
  texts: readonly string[],
  options: Pick<EmbedOptions, 'signal'>,
): Promise<readonly TextResult[]> {
  try {
    return await embedder.embed(texts, { ...options, purpose: 'passage' });
  } catch (error) {
    if (error instanceof RefusedTextsError) return error.results;
    throw error;
  }
}

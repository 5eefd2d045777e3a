import path from 'node:path';
import { LociError, messageOf } from '../../core/errors.ts';
import type { AsyncSlices } from '../../core/threads/slices.ts';
import type { PoolQuery } from '../backend.ts';
import type { MemoryResult } from '../contract.ts';
import { matchesFilters } from '../pools/filters.ts';
import { listPoolFiles, type PoolFile } from '../pools/pool-files.ts';
import { DEFAULT_TIERS, type LocatedPool } from '../pools/pool-set.ts';
import { NoteCache, type NoteCacheOptions } from './note-cache.ts';
import { NoteRanking } from './note-ranking.ts';
import { PartFinder, queryParts } from './query-terms.ts';
import { resultOf, termsOf, type SearchedNote } from './search-results.ts';

export interface SearchedQuery extends Omit<PoolQuery, 'signal' | 'mode'> {
  /** Its number is not 0 when the answer is not waited for any more. */
  readonly stop: Int32Array;
}

/** What is known of pools. */
export interface PoolsState {
  readonly notes: number;
  /** The number of files and folders that could not be read. */
  readonly unread: number;
  /** The first of them, each with the reason. */
  readonly examples: readonly (readonly [path: string, why: string])[];
}

/** Reasons by path. */
type Unread = Map<string, string>;

/** About the memory of cached notes. Notes beyond it are read again for each query. */
const MAX_CACHE_BYTES = 200_000_000;
const MAX_EXAMPLES = 5;
/** So many notes that need not be read take about a millisecond. */
const NOTES_OF_SLICE = 100;

/** Searches the files of pools as they are at the time. Its calls block: it is used in a thread. */
export class PoolSearch {
  readonly #options: NoteCacheOptions;
  #cache: NoteCache;
  /** What could not be read, by root of a pool. */
  readonly #unread = new Map<string, Unread>();

  constructor({ maxBytes = MAX_CACHE_BYTES, now = Date.now }: Partial<NoteCacheOptions> = {}) {
    this.#options = { maxBytes, now };
    this.#cache = new NoteCache(this.#options);
  }

  /** Pauses often, so that other queries have their turn. @throws LociError `aborted` */
  async *recall(query: SearchedQuery): AsyncSlices<MemoryResult[]> {
    if (this.#cache.isWorn) this.#cache = new NoteCache(this.#options);
    const cache = this.#cache;
    const notes: SearchedNote[] = [];
    for (const pool of withoutSameRoots(query.pools)) yield* this.#read(pool, cache, notes, query.stop);
    const finder = new PartFinder(queryParts(query.text), cache.vocabulary);
    const ranking = new NoteRanking(finder);
    const isFiltered = Object.keys(query.filters).length > 0;
    for (const [i, note] of notes.entries()) {
      if (note.cached === null || i % NOTES_OF_SLICE === 0) yield* pause(query.stop);
      const terms = note.cached?.terms ?? termsOf(note, finder);
      if (terms !== null && (!isFiltered || matchesFilters(terms.head().frontMatter, query.filters)))
        ranking.add(i, terms);
    }
    const results: MemoryResult[] = [];
    for (const { note, passage, score } of ranking.best()) {
      if (results.length === query.limit) break;
      yield* pause(query.stop);
      const result = resultOf(notes[note]!, passage, finder, query.filters);
      if (result !== null) results.push({ ...result, score });
    }
    return results;
  }

  /** The number of notes as they are now, and what could not be read, now or at the last query. */
  async *state(pools: readonly LocatedPool[]): AsyncSlices<PoolsState> {
    let notes = 0;
    const unread: Unread = new Map();
    for (const pool of withoutSameRoots(pools)) {
      for await (const _ of filesOf(pool, unread)) if (++notes % NOTES_OF_SLICE === 0) yield;
      for (const [file, why] of this.#unread.get(pool.root) ?? []) unread.set(file, why);
    }
    return { notes, unread: unread.size, examples: [...unread].slice(0, MAX_EXAMPLES) };
  }

  /** Forgets other pools, and reads the notes of those that queries search unless they name others. @throws LociError `aborted` */
  async *register(pools: readonly LocatedPool[], stop: Int32Array): AsyncSlices<void> {
    const roots = new Set(pools.map(({ root }) => root));
    this.#cache.keepRoots(roots);
    for (const root of this.#unread.keys()) if (!roots.has(root)) this.#unread.delete(root);
    const searched = pools.filter(({ tier }) => DEFAULT_TIERS.includes(tier));
    for (const pool of withoutSameRoots(searched)) yield* this.#read(pool, this.#cache, [], stop);
  }

  /** Adds the notes of a pool. Those that have not changed since the last query are not read. */
  async *#read(
    pool: LocatedPool,
    cache: NoteCache,
    notes: SearchedNote[],
    stop: Int32Array,
  ): AsyncSlices<void> {
    const unread: Unread = new Map();
    const keys = new Set<string>();
    for await (const file of filesOf(pool, unread)) {
      const { key } = file;
      keys.add(key);
      const isCached = cache.has(pool.root, file);
      if (!isCached || keys.size % NOTES_OF_SLICE === 0) yield* pause(stop);
      const note = cache.noteOf(pool.root, file, (why) => unread.set(path.join(pool.root, key), why));
      if (note !== null) notes.push({ pool, key, cached: note === 'full' ? null : note });
    }
    cache.keepOnly(pool.root, keys);
    this.#unread.set(pool.root, unread);
  }
}

/** Pools on one folder have the same notes. The first of them counts. */
function withoutSameRoots(pools: readonly LocatedPool[]): LocatedPool[] {
  const roots = new Set<string>();
  return pools.filter(({ root }) => !roots.has(root) && roots.add(root));
}

/** The notes of a pool. A pool that cannot be listed has none, and others are searched. */
async function* filesOf(pool: LocatedPool, unread: Unread): AsyncGenerator<PoolFile> {
  try {
    yield* listPoolFiles(pool, (file, why) => unread.set(file, why));
  } catch (error) {
    unread.set(pool.root, messageOf(error));
  }
}

/** @throws LociError `aborted` */
function* pause(stop: Int32Array): Generator<undefined, void, undefined> {
  if (Atomics.load(stop, 0) !== 0) throw new LociError('aborted', 'the search was stopped');
  yield;
}

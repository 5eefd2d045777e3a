import path from 'node:path';
import { LociError, messageOf } from '../../core/errors.ts';
import type { AsyncSlices } from '../../core/threads/slices.ts';
import type { PoolQuery } from '../pool-adapter.ts';
import type { MemoryResult } from '../contract.ts';
import { propertiesOf } from '../../engine/records/results/properties.ts';
import { snippetWithProperties } from '../../search/snippet.ts';
import { frontMatterSpan } from '../../sources/markdown/front-matter-span.ts';
import {
  listPoolFiles,
  matchesFilters,
  type PoolFile,
  readOrReport,
  resultMetadata,
  type Unread,
  uriOf,
} from '../pools/pool-files.ts';
import { DEFAULT_TIERS, type LocatedPool } from '../pools/pool-set.ts';
import { type CachedNote, NoteCache, noteTerms } from './note-cache.ts';
import { NoteRanking, PartFinder, queryParts, type RankedNote, termsOfParts } from './note-ranking.ts';

export interface SearchedQuery extends Omit<PoolQuery, 'signal' | 'mode'> {
  /** Its number is not 0 when the answer is not waited for any more. */
  readonly stop: Int32Array;
}

/** What is known of pools. */
export interface PoolsState {
  readonly notes: number;
  readonly unread: Unread;
}

/** So many notes that need not be read take about a millisecond. */
const NOTES_OF_SLICE = 100;

interface SearchedNote extends CachedNote {
  readonly pool: LocatedPool;
  /** The path of the note below the pool. */
  readonly key: string;
}

/** Searches the files of pools as they are at the time. Its calls block: it is used in a thread. */
export class PoolSearch {
  readonly #now: () => number;
  #cache: NoteCache;
  /** What could not be read, by root of a pool. */
  readonly #unread = new Map<string, Unread>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.#cache = new NoteCache(now);
  }

  /** Pauses often, so that other queries have their turn. @throws LociError `aborted` */
  async *recall({ text, limit, pools, filters, stop }: SearchedQuery): AsyncSlices<MemoryResult[]> {
    if (this.#cache.isWorn) this.#cache = new NoteCache(this.#now);
    const { vocabulary } = this.#cache;
    const notes: SearchedNote[] = [];
    for (const pool of withoutSameRoots(pools)) yield* this.#read(pool, this.#cache, notes, stop);
    const finderNow = (): PartFinder => new PartFinder(parts, vocabulary);
    const parts = queryParts(text);
    const ranking = new NoteRanking(finderNow());
    const isFiltered = Object.keys(filters).length > 0;
    for (const [i, { terms }] of notes.entries()) {
      if (i % NOTES_OF_SLICE === 0) yield* pause(stop);
      if (!isFiltered || matchesFilters(terms.head().frontMatter, filters)) ranking.add(i, terms);
    }
    const results: MemoryResult[] = [];
    for (const ranked of ranking.best()) {
      if (results.length === limit) break;
      yield* pause(stop);
      const note = notes[ranked.note]!;
      const read = readOrReport(note.pool.root, note.key, () => undefined);
      if (read === null) continue;
      let [terms, best]: [CachedNote['terms'], RankedNote | undefined] = [note.terms, ranked];
      if (note.revision !== read.revision) {
        // It has changed since it was ranked: the result is of its best passage now.
        terms = noteTerms(note.key, read.text, vocabulary);
        const again = new NoteRanking(finderNow());
        again.add(0, terms);
        [best] = again.best();
        if (best === undefined || !matchesFilters(terms.head().frontMatter, filters)) continue;
      }
      const { startLine, endLine } = best.passage;
      const { title, frontMatter } = terms.head();
      const lines = read.text
        .split('\n')
        .slice(startLine - 1, endLine)
        .join('\n');
      const bodyStart = startLine === 1 ? (frontMatterSpan(read.text)?.bodyStart ?? 0) : 0;
      const snippet = snippetWithProperties(
        { text: lines.slice(bodyStart).trim(), above: title },
        startLine === 1 ? propertiesOf({ frontMatter }) : [],
        termsOfParts(parts),
      );
      const file = path.join(note.pool.root, note.key);
      results.push({
        id: file,
        uri: uriOf(file, { startLine, endLine }),
        snippet: snippet.text,
        score: ranked.score,
        metadata: resultMetadata(note.pool, note.key, { title, frontMatter }),
      });
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
    return { notes, unread };
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
      if (!cache.has(pool.root, file) || keys.size % NOTES_OF_SLICE === 0) yield* pause(stop);
      const note = cache.noteOf(pool.root, file, (why) => unread.set(path.join(pool.root, key), why));
      if (note !== null) notes.push({ pool, key, ...note });
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

import { chmodSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../../config/schema.ts';
import { LociError } from '../../core/errors.ts';
import { FileLock } from '../../core/fs/file-lock.ts';
import { makePrivateFolder } from '../../core/fs/files.ts';
import { shortHash } from '../../core/ids.ts';
import { Semaphore } from '../../core/threads/semaphore.ts';
import { TaskThread } from '../../core/threads/task-thread.ts';
import type { Embedder } from '../../embed/embedder.ts';
import { openEmbedder } from '../../embed/registry.ts';
import { parseQuery } from '../../search/query/parse.ts';
import { isUnknown, languageCoverage } from '../../search/retrieve/vectors.ts';
import type { MemoryResult } from '../contract.ts';
import type { Backend, BackendState, PoolQuery } from '../pool-adapter.ts';
import { BackgroundEmbedding } from '../pools/background-embedding.ts';
import { listPoolFiles, type Unread, unreadOf, unreadProblems } from '../pools/pool-files.ts';
import { type LocatedPool, notIndexed, PoolSet } from '../pools/pool-set.ts';
import { embedPassages, indexPools, WITHOUT_VECTOR } from './index-pool.ts';
import { briefly, loadLancedb } from './package.ts';
import { among, foldersOf, mayBeDamage, PoolTables } from './passage-table.ts';
import { type QueryVector, searchPassages } from './search-passages.ts';

/** Must grow whenever a row has other columns, or a note other passages. Tables are then made anew. */
const TABLE_VERSION = 2;

/** LanceDB would use 6 GB. */
const INDEX_CACHE_BYTES = 256n * 2n ** 20n;
const METADATA_CACHE_BYTES = 64n * 2n ** 20n;

interface Opened {
  readonly folder: string;
  /** `null` for the provider `none`: its tables have no vectors. */
  readonly embedder: Embedder | null;
  readonly tables: PoolTables;
  readonly lock: FileLock;
}

/**
 * Keeps the passages of pools in tables of LanceDB, with its full text and the vectors of the configured model. One process writes, and
 * the others read what it has written. Tables are derived: where one may be damaged, all are made anew.
 */
export class LancedbBackend implements Backend {
  readonly id = 'lancedb';
  /** A few notes are embedded before a program goes on that has registered them. More are found by their words until they are. */
  readonly maxSettleMs = 2000;
  readonly #config: Config;
  readonly #thread = new TaskThread();
  #opened: Opened | null = null;
  #pools = new PoolSet([]);
  /** Whether this process has made the tables what the pools are. */
  #isIndexed = false;
  /** Queries have the tables made anew once: an error that comes again has another cause. */
  #isRebuilt = false;
  readonly #updates = new Semaphore(1);
  readonly #stop = new AbortController();
  readonly #embedding = new BackgroundEmbedding((signal) => this.#embed(signal));
  /** Why the tables are not what the pools are. */
  #updateProblem: string | null = null;
  /** What could not be read, by root of a pool. */
  readonly #unread = new Map<string, Unread>();
  /** Why the last query had no vector. */
  #queryProblem: string | null = null;

  constructor(config: Config) {
    this.#config = config;
  }

  get capabilities(): Backend['capabilities'] {
    return { semantic: this.#config.embedding.provider !== 'none', keyword: true };
  }

  async open({ dataDir }: { readonly dataDir: string }): Promise<void> {
    const { adapters, embedding } = this.#config;
    const loaded = await loadLancedb(adapters.lancedb.package, dataDir);
    const folder = path.join(dataDir, 'lancedb');
    makePrivateFolder(folder);
    // It may have been made by something else.
    if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
    const stateFile = path.join(folder, 'embedding-state.json');
    const embedder = await openEmbedder({ ...embedding, stateFile, separateProcess: true });
    const session = new loaded.lancedb.Session(INDEX_CACHE_BYTES, METADATA_CACHE_BYTES);
    const connection = await loaded.lancedb.connect(folder, { readConsistencyInterval: 0 }, session);
    const tables = new PoolTables(nameOfTables(embedder), {
      ...{ loaded, connection, folder, dimensions: embedder?.dimensions ?? null },
    });
    this.#opened = { folder, embedder, tables, lock: new FileLock(path.join(folder, 'writer.lock')) };
  }

  async registerPools(pools: PoolSet): Promise<void> {
    this.#pools = pools;
    this.#isIndexed = false;
    await this.#update(() => this.#index([]));
  }

  readPools(pools: readonly LocatedPool[]): Promise<void> {
    return this.#update(() => this.#index(pools));
  }

  async settled(): Promise<void> {
    await this.#embedding.settled();
  }

  async recall(query: PoolQuery): Promise<readonly MemoryResult[]> {
    const vector = query.mode === 'keyword' ? null : await this.#vectorOf(query);
    if (query.mode === 'semantic' && vector === null) return [];
    const { lock, tables } = this.#opened!;
    try {
      return await searchPassages(await tables.toRead(query.pools), query, vector);
    } catch (error) {
      if (mayBeDamage(error) && !query.signal.aborted) {
        if (!lock.isHeld) tables.forget();
        else if (!this.#isRebuilt) void this.#update(() => this.#rebuild()).catch(() => undefined);
        this.#isRebuilt = lock.isHeld;
      }
      return throwBriefly(error);
    }
  }

  async state(): Promise<BackendState> {
    const { folder, embedder, lock } = this.#opened!;
    const waiting = embedder === null ? 0 : await this.#count(WITHOUT_VECTOR);
    return {
      problems: [
        ...(this.#updateProblem === null ? [] : [this.#updateProblem]),
        ...(await this.#notIndexed().catch(throwBriefly)),
        ...unreadProblems(unreadOf(await this.#pools.located(), this.#unread)),
        ...this.#embedding.problemsOf(waiting),
        ...(this.#queryProblem === null ? [] : [this.#queryProblem]),
      ],
      details: {
        folder,
        notes: await this.#count("revision != ''"),
        passages: await this.#count(),
        embedding: embedder === null ? 'none' : `${embedder.provider}/${embedder.model}`,
        waiting,
        writes: lock.isHeld,
      },
    };
  }

  /** Ends what runs soon. What was written stays. */
  stop(): void {
    this.#stop.abort();
  }

  async close(): Promise<void> {
    this.stop();
    await this.#thread.close();
    // What runs ends soon.
    await this.#updates.acquire();
    await this.#embedding.close();
    await this.#opened?.tables.close();
    this.#opened?.lock.release();
    await this.#opened?.embedder?.close();
  }

  /**
   * `null` if there is no model, if it knows nothing of the query, or if it cannot answer and words can.
   * @throws LociError `embedding_unavailable` for a query by meaning only
   */
  async #vectorOf({ text, mode, signal }: PoolQuery): Promise<QueryVector | null> {
    const { embedder } = this.#opened!;
    if (embedder === null || isUnknown(text, { embedder })) return null;
    try {
      const [vector] = await embedder.embed([text], { purpose: 'query', signal });
      this.#queryProblem = null;
      if (this.#embedding.problem !== null) this.#embedding.start();
      return { vector: vector!, weight: languageCoverage(embedder, parseQuery(text)) };
    } catch (error) {
      if (mode === 'semantic' || signal.aborted) throw error;
      this.#queryProblem = `queries are searched by words only: ${briefly(error)}`;
      return null;
    }
  }

  /** The number of rows of all pools that meet a condition. */
  async #count(where?: string): Promise<number> {
    let count = 0;
    for (const { table } of await this.#opened!.tables.toRead(this.#pools.pools).catch(throwBriefly))
      count += await table.count(where).catch(throwBriefly);
    return count;
  }

  /** Changes the tables, or makes all anew if they may be damaged. Does nothing while another process writes. */
  async #update(change: () => Promise<void>): Promise<void> {
    await this.#updates.acquire(this.#stop.signal);
    try {
      const { lock, tables } = this.#opened!;
      const hadLock = lock.isHeld;
      if (!lock.acquire()) return;
      if (!hadLock) tables.forget();
      try {
        await change();
      } catch (error) {
        // Also other pools are read again, because these will not be named again.
        this.#isIndexed = false;
        if (this.#stop.signal.aborted || !mayBeDamage(error)) throw error;
        await this.#rebuild();
      }
      this.#updateProblem = null;
    } catch (error) {
      this.#updateProblem = `the index of the pools is not up to date: ${briefly(error)}`;
      throwBriefly(error);
    } finally {
      this.#updates.release();
    }
    this.#embedding.start();
  }

  async #rebuild(): Promise<void> {
    await this.#opened!.tables.makeAnew();
    this.#isIndexed = false;
    await this.#index([]);
  }

  /** Makes the tables what these pools are, or what all are if that was not done yet. */
  async #index(changed: readonly LocatedPool[]): Promise<void> {
    const { tables, embedder } = this.#opened!;
    const pools = await this.#pools.located();
    if (!this.#isIndexed) this.#unread.clear();
    const roots = new Set((this.#isIndexed ? changed : pools).map(({ root }) => root));
    const options = {
      thread: this.#thread.ownedBy(''),
      countingProvider: embedder === null ? ('none' as const) : ('local' as const),
      signal: this.#stop.signal,
    };
    for (const { table, pools: those } of await tables.toWrite(pools)) {
      const read = those.filter(({ root }) => roots.has(root));
      const unread = read.length === 0 ? [] : await indexPools({ ...options, table }, read);
      for (const [root, files] of unread) this.#unread.set(root, files);
      // The folder of a pool may have been removed.
      await table.keepFolders(foldersOf(those));
      await table.optimize({ isWriting: false });
    }
    this.#isIndexed = true;
  }

  async #embed(signal: AbortSignal): Promise<null> {
    const { embedder, tables, lock } = this.#opened!;
    for (const table of embedder === null ? [] : await tables.open()) {
      if (!lock.isHeld || signal.aborted) break;
      await embedPassages(table, embedder!, { signal }).catch(throwBriefly);
      await table.optimize({ isWriting: false }).catch(throwBriefly);
    }
    return null;
  }

  /** What is wrong in a process that reads: pools that have notes, of which the one that writes has none. */
  async #notIndexed(): Promise<string[]> {
    const { lock, tables } = this.#opened!;
    if (lock.isHeld) return [];
    const problems: string[] = [];
    for (const pool of await this.#pools.located()) {
      const [group] = await tables.toRead([pool]);
      const notes = (await group?.table.count(among('folder', foldersOf([pool])))) ?? 0;
      if (notes === 0 && (await hasNotes(pool))) problems.push(notIndexed(pool));
    }
    return problems;
  }
}

async function hasNotes(pool: LocatedPool): Promise<boolean> {
  for await (const _ of listPoolFiles(pool, () => undefined)) return true;
  return false;
}

/** How the names of tables begin. Each model has tables of its own, so that its vectors are never compared with those of another. */
function nameOfTables(embedder: Embedder | null): string {
  const { provider, model, prefixes, dimensions } = embedder ?? { provider: 'none' };
  return `passages-${shortHash(JSON.stringify([TABLE_VERSION, provider, model, prefixes, dimensions])).slice(0, 12)}`;
}

/** Errors of LanceDB are long, and a status shows them. */
function throwBriefly(error: unknown): never {
  if (error instanceof LociError) throw error;
  throw new LociError('internal', briefly(error), { cause: error });
}

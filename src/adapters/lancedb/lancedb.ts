import { chmodSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Config } from '../../config/schema.ts';
import { LociError, messageOf } from '../../core/errors.ts';
import { makePrivateFolder } from '../../core/fs/files.ts';
import { shortHash } from '../../core/ids.ts';
import { Semaphore } from '../../core/threads/semaphore.ts';
import { TaskThread } from '../../core/threads/task-thread.ts';
import type { Embedder } from '../../embed/embedder.ts';
import { openEmbedder } from '../../embed/registry.ts';
import { parseQuery } from '../../search/query/parse.ts';
import { isUnknown, languageCoverage } from '../../search/retrieve/vectors.ts';
import type { MemoryResult } from '../contract.ts';
import type { Backend, PoolQuery } from '../pool-adapter.ts';
import { PoolSet } from '../pools/pool-set.ts';
import { embedPassages, indexPools, keysOf, pathsOf, WITHOUT_VECTOR } from './index-pool.ts';
import { briefly, loadLancedb } from './package.ts';
import { among, foldersOf, mayBeDamage, PoolTables } from './passage-table.ts';
import { type QueryVector, searchPassages } from './search-passages.ts';

/** Must grow whenever a row has other columns, or a note other passages. Tables are then made anew. */
const TABLE_VERSION = 2;

/** LanceDB would use 6 GB. */
const INDEX_CACHE_BYTES = 256n * 2n ** 20n;
const METADATA_CACHE_BYTES = 64n * 2n ** 20n;

/** In an error of LanceDB. */
const INVALID_QUERY = /\bInvalid (?:user )?input\b/;

/** Paths that a status names. */
const MAX_NAMED_PATHS = 3;

interface Opened {
  readonly folder: string;
  /** `null` for the provider `none`: its tables have no vectors. */
  readonly embedder: Embedder | null;
  readonly tables: PoolTables;
  readonly lock: WriterLock;
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
  /** Whether another process writes. */
  #isReader = false;
  readonly #updates = new Semaphore(1);
  readonly #stop = new AbortController();
  #embedding: Promise<void> = Promise.resolve();
  #embeddingProblem: string | null = null;
  /** Why the table does not have what was to be written in the background. */
  #backgroundProblem: string | null = null;
  readonly #unread = new Map<string, string>();

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
    this.#opened = { folder, embedder, tables, lock: new WriterLock(folder) };
  }

  async registerPools(pools: PoolSet): Promise<void> {
    this.#pools = pools;
    this.#isIndexed = false;
    await this.indexPaths([]);
  }

  /** Indexes these paths, or the pools if that was not done yet. Does nothing while another process writes. */
  async indexPaths(paths: readonly string[]): Promise<void> {
    await this.#updates.acquire(this.#stop.signal);
    try {
      const { lock, tables } = this.#opened!;
      if (!lock.isHeld) {
        this.#isReader = !lock.acquire();
        if (this.#isReader) return;
        tables.forget();
      }
      try {
        await this.#index(paths);
      } catch (error) {
        // Also other notes are read again, because these paths will not be named again.
        this.#isIndexed = false;
        if (this.#stop.signal.aborted || !mayBeDamage(error)) throw error;
        await this.#rebuild();
      }
      this.#backgroundProblem = null;
    } catch (error) {
      throwBriefly(error);
    } finally {
      this.#updates.release();
    }
    this.#embedLater();
  }

  async settled(): Promise<void> {
    await this.#embedding;
  }

  async recall(query: PoolQuery): Promise<readonly MemoryResult[]> {
    const vector = query.mode === 'keyword' ? null : await this.#vectorOf(query);
    if (query.mode === 'semantic' && vector === null) return [];
    try {
      return await searchPassages(await this.#opened!.tables.toRead(query.pools), query, vector);
    } catch (error) {
      if (mayBeDamage(error) && !INVALID_QUERY.test(messageOf(error)) && !query.signal.aborted)
        this.#rebuildLater();
      return throwBriefly(error);
    }
  }

  async problems(): Promise<readonly string[]> {
    const waiting = await this.#countWaiting().catch(throwBriefly);
    const why = this.#embeddingProblem ?? 'they are being embedded';
    const problems = [
      this.#backgroundProblem,
      await this.#readerProblem(),
      ...this.#unreadProblems(),
      waiting === 0
        ? null
        : `${String(waiting)} passages have no vector and are found by their words only: ${why}`,
      this.#queryProblem,
    ];
    return problems.filter((each) => each !== null);
  }

  async details(): Promise<Readonly<Record<string, unknown>>> {
    const { folder, embedder, lock } = this.#opened!;
    return {
      folder,
      notes: await this.#count("revision != ''"),
      passages: await this.#count(),
      embedding: embedder === null ? 'none' : `${embedder.provider}/${embedder.model}`,
      waiting: await this.#countWaiting(),
      writes: lock.isHeld,
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
    await this.#embedding;
    this.#opened?.tables.close();
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
      if (this.#embeddingProblem !== null) this.#embedLater();
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
    for (const { table } of await this.#opened!.tables.toRead(this.#pools.pools))
      count += await table.count(where);
    return count;
  }

  async #countWaiting(): Promise<number> {
    return this.#opened!.embedder === null ? 0 : this.#count(WITHOUT_VECTOR);
  }

  /** Makes the tables anew in the background, after an error of LanceDB. */
  #rebuildLater(): void {
    if (this.#stop.signal.aborted || this.#isRebuilt) return;
    const { lock, tables } = this.#opened!;
    if (!lock.isHeld) {
      // The process that writes may have made others.
      tables.forget();
      return;
    }
    this.#isRebuilt = true;
    const rebuilt = async (): Promise<void> => {
      await this.#updates.acquire(this.#stop.signal);
      await this.#rebuild().finally(() => {
        this.#updates.release();
      });
      this.#embedLater();
    };
    void rebuilt().catch((error: unknown) => {
      this.#isIndexed = false;
      this.#backgroundProblem = `the table is not up to date: ${briefly(error)}`;
    });
  }

  async #rebuild(): Promise<void> {
    await this.#opened!.tables.removeAll();
    this.#isIndexed = false;
    await this.#index([]);
  }

  async #index(paths: readonly string[]): Promise<void> {
    const isWhole = !this.#isIndexed;
    const { tables, embedder } = this.#opened!;
    const pools = await this.#pools.locate(this.#pools.pools, () => undefined);
    if (isWhole) this.#unread.clear();
    const given = (await Promise.all(paths.map(pathsOf))).flat();
    this.#forgetUnread(new Set(given));
    const groups = await tables.toWrite(pools);
    const options = {
      thread: this.#thread.ownedBy(''),
      countingProvider: embedder === null ? ('none' as const) : ('local' as const),
      signal: this.#stop.signal,
      report: (file: string, why: string) => void this.#unread.set(file, why),
    };
    for (const group of groups) {
      const parts = group.pools.map((pool) => ({
        pool,
        below: isWhole ? [''] : given.flatMap((each) => keysOf(pool, each)),
      }));
      const changed = parts.filter(({ below }) => below.length > 0);
      if (changed.length > 0) await indexPools({ ...options, table: group.table }, changed);
    }
    for (const { table, pools: those } of groups) {
      // The folder of a pool may have been removed.
      await table.keepFolders(foldersOf(those));
      await table.optimize({ isWriting: false });
    }
    this.#isIndexed = true;
  }

  /** Files that are read again may be readable now. */
  #forgetUnread(paths: ReadonlySet<string>): void {
    for (const file of this.#unread.keys())
      for (let each = file; ; each = path.dirname(each)) {
        if (paths.has(each)) this.#unread.delete(file);
        if (each === path.dirname(each)) break;
      }
  }

  /** Embeds in the background what has no vector. A query that the model answers starts it again after it has failed. */
  #embedLater(): void {
    this.#embedding = this.#embedding.then(() => this.#embed());
  }

  async #embed(): Promise<void> {
    const { embedder, tables, lock } = this.#opened!;
    const { signal } = this.#stop;
    try {
      for (const table of embedder === null ? [] : tables.open) {
        if (!lock.isHeld || signal.aborted) return;
        await embedPassages(table, embedder!, { signal });
        await table.optimize({ isWriting: false });
      }
      this.#embeddingProblem = null;
    } catch (error) {
      this.#embeddingProblem = briefly(error);
    }
  }

  /** Of a process that reads: the pools of which the one that writes has no notes. */
  async #readerProblem(): Promise<string | null> {
    const { lock, tables } = this.#opened!;
    if (lock.isHeld || !this.#isReader) return null;
    const missing: string[] = [];
    for (const pool of await this.#pools.locate(this.#pools.pools, () => undefined)) {
      const [group] = await tables.toRead([pool]);
      const notes = (await group?.table.count(among('folder', foldersOf([pool])))) ?? 0;
      if (notes === 0) missing.push(pool.id);
    }
    return missing.length === 0
      ? null
      : `another process indexes the pools, and has no notes of ${missing.join(', ')}`;
  }

  #unreadProblems(): string[] {
    const named = [...this.#unread]
      .slice(0, MAX_NAMED_PATHS)
      .map(([file, why]) => `${file} is not read: ${why}`);
    const others = this.#unread.size - named.length;
    return others === 0 ? named : [...named, `${String(others)} more files or folders are not read`];
  }
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

const SQLITE_BUSY = 5;

/**
 * Lets one process at a time write to a folder. The lock is that of a transaction of SQLite on an empty file: the system frees it when
 * the process ends in any way. It is held until `release`.
 */
class WriterLock {
  readonly #folder: string;
  #connection: DatabaseSync | null = null;

  /** @param folder exists */
  constructor(folder: string) {
    this.#folder = folder;
  }

  get isHeld(): boolean {
    return this.#connection !== null;
  }

  /** Whether this process may write, from now on. */
  acquire(): boolean {
    if (this.#connection !== null) return true;
    const file = path.join(this.#folder, 'writer.lock');
    let connection: DatabaseSync | null = null;
    try {
      connection = new DatabaseSync(file, { timeout: 0 });
      connection.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      connection?.close();
      if ((error as { readonly errcode?: number }).errcode === SQLITE_BUSY) return false;
      throw new LociError('internal', `${file} cannot be used as a lock: ${messageOf(error)}`, {
        cause: error,
      });
    }
    this.#connection = connection;
    return true;
  }

  release(): void {
    this.#connection?.close();
    this.#connection = null;
  }
}

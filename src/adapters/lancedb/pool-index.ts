import path from 'node:path';
import { Semaphore } from '../../core/threads/semaphore.ts';
import { TaskThread } from '../../core/threads/task-thread.ts';
import type { Embedder, EmbedOptions } from '../../embed/embedder.ts';
import { RefusedTextsError, type TextResult } from '../../embed/refused-texts.ts';
import { PoolSet, type LocatedPool } from '../pools/pool-set.ts';
import type { PassageRow } from './arrow-rows.ts';
import { indexPools, keysOf, pathsOf, type PoolPart } from './index-pool.ts';
import { briefly } from './package.ts';
import { among, foldersOf, mayBeDamage, type PassageTable, type TableOptions } from './passage-table.ts';
import { type PoolGroup, PoolTables } from './pool-tables.ts';
import { WriterLock } from './writer-lock.ts';

interface PoolIndexOptions extends Omit<TableOptions, 'dimensions'> {
  /** How the names of the tables begin. */
  readonly name: string;
  /** `null` for tables without vectors. */
  readonly embedder: Embedder | null;
}

/** Paths that a status names. */
const MAX_NAMED_PATHS = 3;

/**
 * Keeps tables that are what the pools are. One process writes, and the others read what it has written. Tables are derived: where one
 * may be damaged, all are made anew.
 */
export class PoolIndex {
  readonly #options: PoolIndexOptions;
  readonly #lock: WriterLock;
  readonly #thread = new TaskThread();
  readonly #tables: PoolTables;
  #pools = new PoolSet([]);
  /** Whether this process has made the tables what the pools are. */
  #isIndexed = false;
  /** Queries have the tables made anew once: an error that comes again has another cause. */
  #isRebuilt = false;
  readonly #updates = new Semaphore(1);
  readonly #stop = new AbortController();
  #embedding: Promise<void> = Promise.resolve();
  #retrying: Promise<void> | null = null;
  #embeddingProblem: string | null = null;
  /** Why the table does not have what was to be written in the background. */
  #backgroundProblem: string | null = null;
  readonly #unread = new Map<string, string>();

  constructor(options: PoolIndexOptions) {
    this.#options = options;
    this.#lock = new WriterLock(options.folder);
    const dimensions = options.embedder?.dimensions ?? null;
    this.#tables = new PoolTables(options.name, { ...options, dimensions });
  }

  get writerPid(): number | null {
    return this.#lock.writer()?.pid ?? null;
  }

  /** The tables to read for these pools, as far as there are any. */
  groupsOf(pools: readonly LocatedPool[]): Promise<PoolGroup[]> {
    return this.#tables.toRead(pools);
  }

  /** The number of rows of all pools that meet a condition. */
  async count(where?: string): Promise<number> {
    let count = 0;
    for (const { table } of await this.#tables.toRead(this.#pools.pools)) count += await table.count(where);
    return count;
  }

  async register(pools: PoolSet): Promise<void> {
    this.#pools = pools;
    this.#isIndexed = false;
    await this.update([]);
  }

  /** Indexes these paths, or the pools if that was not done yet. Does nothing while another process writes. */
  async update(paths: readonly string[]): Promise<void> {
    await this.#updates.acquire(this.#stop.signal);
    try {
      if (!this.#lock.isHeld) {
        if (!this.#lock.acquire()) return;
        this.#tables.forget();
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
    } finally {
      this.#updates.release();
    }
    this.embedLater();
  }

  /** Makes the tables anew in the background, after an error of LanceDB. */
  rebuildLater(): void {
    if (this.#stop.signal.aborted || this.#isRebuilt) return;
    if (!this.#lock.isHeld) {
      // The process that writes may have made others.
      this.#tables.forget();
      return;
    }
    this.#isRebuilt = true;
    const rebuilt = async (): Promise<void> => {
      await this.#updates.acquire(this.#stop.signal);
      await this.#rebuild().finally(() => {
        this.#updates.release();
      });
      this.embedLater();
    };
    void rebuilt().catch((error: unknown) => {
      this.#isIndexed = false;
      this.#backgroundProblem = `the table is not up to date: ${briefly(error)}`;
    });
  }

  /** Embeds in the background what has no vector. */
  embedLater(): void {
    this.#embedding = this.#embedding.then(() => this.#embed());
  }

  get hasUnembedded(): boolean {
    return this.#embeddingProblem !== null;
  }

  settled(): Promise<void> {
    return this.#embedding;
  }

  /** The number of passages that are to be embedded. */
  async countWaiting(): Promise<number> {
    if (this.#options.embedder === null) return 0;
    return this.count(WITHOUT_VECTOR);
  }

  /** Sentences about what is missing. */
  async problems(): Promise<string[]> {
    const waiting = await this.countWaiting();
    const why = this.#embeddingProblem ?? 'they are being embedded';
    return [
      ...(this.#backgroundProblem === null ? [] : [this.#backgroundProblem]),
      ...(await this.#writerProblems()),
      ...this.#unreadProblems(),
      ...(waiting === 0
        ? []
        : [`${String(waiting)} passages have no vector and are found by their words only: ${why}`]),
    ];
  }

  async #rebuild(): Promise<void> {
    await this.#tables.removeAll();
    this.#isIndexed = false;
    await this.#index([]);
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
    await this.#retrying;
    this.#tables.close();
    this.#lock.release();
  }

  async #index(paths: readonly string[]): Promise<void> {
    const isWhole = !this.#isIndexed;
    const pools = await this.#pools.locate(this.#pools.pools, () => undefined);
    if (isWhole) {
      this.#lock.announce([]);
      this.#unread.clear();
    }
    const given = (await Promise.all(paths.map(pathsOf))).flat();
    this.#forgetUnread(new Set(given));
    const groups = await this.#tables.toWrite(pools);
    for (const group of groups) {
      const parts = group.pools.map((pool) => ({
        pool,
        below: isWhole ? [''] : given.flatMap((each) => keysOf(pool, each)),
      }));
      await this.#indexParts(
        group.table,
        parts.filter(({ below }) => below.length > 0),
      );
    }
    for (const { table, pools: those } of groups) {
      // The folder of a pool may have been removed.
      await table.keepFolders(foldersOf(those));
      await table.optimize({ isWriting: false });
    }
    this.#isIndexed = true;
    if (isWhole) this.#lock.announce(pools.map((pool) => this.#tables.placeOf(pool)));
  }

  /** Files that are read again may be readable now. */
  #forgetUnread(paths: ReadonlySet<string>): void {
    for (const file of this.#unread.keys())
      for (let each = file; ; each = path.dirname(each)) {
        if (paths.has(each)) this.#unread.delete(file);
        if (each === path.dirname(each)) break;
      }
  }

  async #indexParts(table: PassageTable, parts: readonly PoolPart[]): Promise<void> {
    if (parts.length === 0) return;
    const report = (file: string, why: string): void => void this.#unread.set(file, why);
    const thread = this.#thread.ownedBy('');
    const countingProvider = this.#options.embedder === null ? 'none' : 'local';
    await indexPools({ table, thread, countingProvider, signal: this.#stop.signal, report }, parts);
  }

  /** A provider that does not answer is waited for in the background. */
  async #embed(): Promise<void> {
    try {
      await this.#embedAll({ brief: true });
    } catch (error) {
      this.#embeddingProblem = briefly(error);
      this.#retrying ??= this.#embedAll({ brief: false })
        .catch((problem: unknown) => {
          this.#embeddingProblem = briefly(problem);
        })
        .finally(() => {
          this.#retrying = null;
        });
    }
  }

  async #embedAll({ brief }: { readonly brief: boolean }): Promise<void> {
    const { embedder } = this.#options;
    if (embedder === null) return;
    for (const table of this.#tables.open) {
      if (!this.#lock.isHeld || this.#stop.signal.aborted) return;
      await embedPassages(table, embedder, { brief, signal: this.#stop.signal });
      await table.optimize({ isWriting: false });
    }
    this.#embeddingProblem = null;
  }

  /** Of a process that reads: whether the one that writes does so for all pools of this one. */
  async #writerProblems(): Promise<string[]> {
    if (this.#lock.isHeld) return [];
    const writer = this.#lock.writer();
    const pools = await this.#pools.locate(this.#pools.pools, () => undefined);
    if (writer === null || pools.length === 0) return [];
    const written = new Set(writer.places);
    const missing = pools.filter((pool) => !written.has(this.#tables.placeOf(pool))).map(({ id }) => id);
    if (missing.length === 0) return [];
    return [`the process ${String(writer.pid)} indexes the pools, without ${missing.join(', ')}`];
  }

  #unreadProblems(): string[] {
    const named = [...this.#unread]
      .slice(0, MAX_NAMED_PATHS)
      .map(([file, why]) => `${file} is not read: ${why}`);
    const others = this.#unread.size - named.length;
    return others === 0 ? named : [...named, `${String(others)} more files or folders are not read`];
  }
}

/** A run that stops loses these. */
const PASSAGES_OF_BATCH = 512;
const WITHOUT_VECTOR = 'vector IS NULL';

/**
 * Embeds each passage that has no vector. Texts that the provider refuses stay without one.
 * @throws LociError `embedding_unavailable`, `aborted`
 */
async function embedPassages(
  table: PassageTable,
  embedder: Embedder,
  options: Required<Pick<EmbedOptions, 'brief' | 'signal'>>,
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
  options: Pick<EmbedOptions, 'brief' | 'signal'>,
): Promise<readonly TextResult[]> {
  try {
    return await embedder.embed(texts, { ...options, purpose: 'passage' });
  } catch (error) {
    if (error instanceof RefusedTextsError) return error.results;
    throw error;
  }
}

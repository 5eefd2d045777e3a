import { LociError, messageOf } from '../../core/errors.ts';
import { Semaphore } from '../../core/threads/semaphore.ts';
import { TaskThread } from '../../core/threads/task-thread.ts';
import type { Embedder } from '../../embed/embedder.ts';
import { PoolSet, type LocatedPool } from '../pools/pool-set.ts';
import { embedPassages, WITHOUT_VECTOR } from './embed-passages.ts';
import { folderIdOf, indexPool, keysOf, pathsOf } from './index-pool.ts';
import type { Connection, LancedbPackage } from './package.ts';
import { mayBeDamage, PassageTable } from './passage-table.ts';
import { WriterLock } from './writer-lock.ts';

interface PoolIndexOptions {
  /** Where the tables are. */
  readonly folder: string;
  /** The name of the table. */
  readonly name: string;
  readonly loaded: LancedbPackage;
  readonly connection: Connection;
  /** `null` for a table without vectors. */
  readonly embedder: Embedder | null;
}

/** Paths that a status names. */
const MAX_NAMED_PATHS = 3;

/**
 * Keeps a table that is what the pools are. One process writes; the others read what it has written, and take over when it has ended.
 * A table is derived: one that is damaged is made anew.
 */
export class PoolIndex {
  readonly #options: PoolIndexOptions;
  readonly #lock: WriterLock;
  readonly #thread = new TaskThread();
  #table: PassageTable | null = null;
  #pools = new PoolSet([]);
  /** Whether this process has made the table what the pools are. */
  #isIndexed = false;
  /** A table is repaired once: an error that comes again has another cause. */
  #isRepaired = false;
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
  }

  get writerPid(): number | null {
    return this.#lock.writer()?.pid ?? null;
  }

  /** The table to read; `null` if there is none yet. */
  async table(): Promise<PassageTable | null> {
    const { loaded, connection, name, embedder } = this.#options;
    const dimensions = embedder?.dimensions ?? null;
    this.#table ??= await PassageTable.openToRead(loaded, connection, { name, dimensions });
    return this.#table;
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
      const isTakenOver = !this.#lock.isHeld;
      if (!this.#lock.acquire()) return;
      if (isTakenOver) this.#table = null;
      try {
        await this.#index(paths, { isDamaged: false });
      } catch (error) {
        // Also other notes are read again, because these paths will not be named again.
        this.#isIndexed = false;
        if (this.#stop.signal.aborted || this.#isRepaired || !mayBeDamage(error)) throw error;
        await this.#repair();
      }
      this.#backgroundProblem = null;
    } finally {
      this.#updates.release();
    }
    this.embedLater();
  }

  /** Takes over in the background if the process that wrote has ended. */
  takeOver(): void {
    if (this.#isIndexed || this.#lock.isHeld || !this.#lock.acquire()) return;
    this.#table = null;
    void this.update([]).catch(this.#keepProblem);
  }

  /** Repairs the table in the background after an error of LanceDB. */
  repairLater(): void {
    if (this.#stop.signal.aborted || this.#isRepaired) return;
    if (!this.#lock.isHeld) {
      // The process that writes may have made another one.
      this.#table = null;
      return;
    }
    const repaired = async (): Promise<void> => {
      await this.#updates.acquire(this.#stop.signal);
      await this.#repair().finally(() => {
        this.#updates.release();
      });
      this.embedLater();
    };
    void repaired().catch(this.#keepProblem);
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
    return (await (await this.table())?.count(WITHOUT_VECTOR)) ?? 0;
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
    this.#table?.close();
    this.#table = null;
    this.#lock.release();
  }

  async #index(paths: readonly string[], { isDamaged }: { readonly isDamaged: boolean }): Promise<void> {
    const table = await this.#writable(isDamaged);
    const pools = await this.#pools.locate(this.#pools.pools, () => undefined);
    const byFolder = new Map(pools.map((pool) => [folderIdOf(pool.root), pool]));
    const isWhole = !this.#isIndexed;
    if (isWhole) {
      this.#announce(byFolder, { isComplete: false });
      this.#unread.clear();
    }
    const given = isWhole ? [] : (await Promise.all(paths.map(pathsOf))).flat();
    for (const pool of byFolder.values()) {
      const below = isWhole ? [''] : given.flatMap((each) => keysOf(pool, each));
      if (below.length > 0) await this.#indexPool(table, pool, below);
    }
    // The folder of a pool may have been removed.
    await table.keepFolders([...byFolder.keys()]);
    await table.optimize({ isWriting: false });
    this.#isIndexed = true;
    if (isWhole) this.#announce(byFolder, { isComplete: true });
  }

  async #indexPool(table: PassageTable, pool: LocatedPool, below: readonly string[]): Promise<void> {
    const report = (file: string, why: string): void => void this.#unread.set(file, why);
    const thread = this.#thread.ownedBy('');
    const countingProvider = this.#options.embedder === null ? 'none' : 'local';
    try {
      await indexPool({ table, thread, countingProvider, signal: this.#stop.signal, report }, pool, below);
    } catch (error) {
      if (!(error instanceof LociError) || error.code === 'aborted') throw error;
      report(pool.root, error.message);
    }
  }

  /** Makes the index of the table anew, or all of it if rows cannot be read. Vectors may be expensive. */
  async #repair(): Promise<void> {
    const isDamaged = (await this.#table?.isReadable()) === false;
    this.#isRepaired = true;
    this.#isIndexed = false;
    if (isDamaged) this.#table = null;
    await this.#table?.makeIndex();
    await this.#index([], { isDamaged });
  }

  readonly #keepProblem = (error: unknown): void => {
    if (!this.#stop.signal.aborted)
      this.#backgroundProblem = `the table is not up to date: ${messageOf(error)}`;
  };

  async #writable(isDamaged: boolean): Promise<PassageTable> {
    const { folder, name, loaded, connection, embedder } = this.#options;
    const dimensions = embedder?.dimensions ?? null;
    this.#table ??= await PassageTable.openToWrite(loaded, connection, {
      folder,
      name,
      dimensions,
      isDamaged,
    });
    return this.#table;
  }

  #announce(pools: ReadonlyMap<string, LocatedPool>, state: { readonly isComplete: boolean }): void {
    this.#lock.announce({ folders: [...pools.keys()], table: this.#options.name, ...state });
  }

  /** A provider that does not answer is waited for in the background. */
  async #embed(): Promise<void> {
    try {
      await this.#embedAll({ brief: true });
    } catch (error) {
      this.#embeddingProblem = messageOf(error);
      this.#retrying ??= this.#embedAll({ brief: false })
        .catch((problem: unknown) => {
          this.#embeddingProblem = messageOf(problem);
        })
        .finally(() => {
          this.#retrying = null;
        });
    }
  }

  async #embedAll({ brief }: { readonly brief: boolean }): Promise<void> {
    const { embedder } = this.#options;
    const table = this.#table;
    if (embedder === null || table === null || !this.#lock.isHeld || this.#stop.signal.aborted) return;
    await embedPassages(table, embedder, { brief, signal: this.#stop.signal });
    await table.optimize({ isWriting: false });
    this.#embeddingProblem = null;
  }

  /** Of a process that reads: whether the one that writes does so for all pools of this one. */
  async #writerProblems(): Promise<string[]> {
    if (this.#lock.isHeld) return [];
    const writer = this.#lock.writer();
    const pools = await this.#pools.locate(this.#pools.pools, () => undefined);
    if (writer === null || pools.length === 0) return [];
    const of = `the process ${String(writer.pid)} indexes the pools`;
    if (writer.table !== this.#options.name) return [`${of}, with another embedding model`];
    const missing = pools.filter(({ root }) => !writer.folders.includes(folderIdOf(root)));
    if (missing.length > 0) return [`${of}, without ${missing.map(({ id }) => id).join(', ')}`];
    return writer.isComplete ? [] : [`${of} and is not done yet`];
  }

  #unreadProblems(): string[] {
    const named = [...this.#unread]
      .slice(0, MAX_NAMED_PATHS)
      .map(([file, why]) => `${file} is not read: ${why}`);
    const others = this.#unread.size - named.length;
    return others === 0 ? named : [...named, `${String(others)} more files or folders are not read`];
  }
}

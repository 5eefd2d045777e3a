import path from 'node:path';
import { LociError, messageOf } from '../core/errors.ts';
import { within } from '../core/time/deadline.ts';
import type { Backend } from './backend.ts';
import { checked, isListOfTexts } from './check-query.ts';
import type {
  AdapterFolders,
  LociAdapter,
  MemoryAdapterStatus,
  MemoryPoolDefinition,
  MemoryQuery,
  MemoryResult,
} from './contract.ts';
import { type AgentRoles, PoolSet } from './pools/pool-set.ts';
import { resolveReference } from './pools/resolve-reference.ts';

export interface PoolAdapterOptions {
  readonly dataDir: string;
  readonly vaultRoot?: string | undefined;
  /** The pools until others are registered. */
  readonly pools: readonly MemoryPoolDefinition[];
  readonly roles: AgentRoles;
  /** How long a recall may take, in milliseconds; 0 for no deadline. */
  readonly deadlineMs: number;
  /** Used in place of `backend` if that cannot be opened. */
  readonly fallback?: Backend;
  /** Called once with each message about something that does not work. */
  readonly onWarning: (message: string) => void;
}

/**
 * Makes an adapter of a backend: it decides which pools a query may search, and gives each recall a deadline. A recall never fails:
 * the answer is empty then, and the status says why.
 */
export class PoolAdapter implements LociAdapter {
  #backend: Backend;
  readonly #options: PoolAdapterOptions;
  #folders: AdapterFolders;
  #opening: Promise<void> | null = null;
  #pools: PoolSet;
  /** Calls that change the index run one after the other. */
  #changes: Promise<unknown> = Promise.resolve();
  #registered: PoolSet | null = null;
  /** Why the backend that was asked for is not used. */
  #fallbackReason: string | null = null;
  /** Why the index does not have the last change, or those before. */
  #changeProblem: string | null = null;
  /** Why the last recall was empty. */
  #recallProblem: string | null = null;
  readonly #warned = new Set<string>();
  #closing: Promise<void> | null = null;

  /** @throws LociError `invalid_input` for a pool that is not valid */
  constructor(backend: Backend, options: PoolAdapterOptions) {
    this.#backend = backend;
    this.#options = options;
    this.#folders = {
      dataDir: options.dataDir,
      ...(options.vaultRoot !== undefined && { vaultRoot: options.vaultRoot }),
    };
    this.#pools = this.#setOf(options.pools);
  }

  get id(): string {
    return this.#backend.id;
  }

  get capabilities(): LociAdapter['capabilities'] {
    return this.#backend.capabilities;
  }

  /** @throws LociError `invalid_input` for pools of the settings that are not below this root of the vault */
  async init(folders: AdapterFolders): Promise<void> {
    const { dataDir, vaultRoot = this.#folders.vaultRoot } = folders;
    this.#folders = { dataDir, ...(vaultRoot !== undefined && { vaultRoot }) };
    this.#pools = this.#setOf(this.#pools.definitions);
    await this.#open();
  }

  /** @throws LociError `invalid_input` that names the pool; nothing is changed then */
  async registerPools(pools: readonly MemoryPoolDefinition[]): Promise<void> {
    this.#pools = this.#setOf(pools);
    await this.prepare(this.#backend.maxSettleMs);
  }

  /**
   * Reads what has changed in the pools, as the first recall does, but without its deadline.
   * @param maxSettleMs how long to wait until it is embedded; 0 for no limit
   */
  async prepare(maxSettleMs?: number): Promise<void> {
    await this.#register();
    await this.#settled(maxSettleMs);
  }

  /** @throws LociError `invalid_input` */
  async indexPaths(paths: readonly string[]): Promise<void> {
    if (!isListOfTexts(paths)) throw new LociError('invalid_input', 'the paths are not a list of texts');
    const absolute = paths.map((each) => path.resolve(this.#folders.vaultRoot ?? process.cwd(), each));
    await this.#register();
    await this.#change(() => this.#backend.indexPaths(absolute));
    await this.#settled(this.#backend.maxSettleMs);
  }

  async recall(query: MemoryQuery): Promise<MemoryResult[]> {
    const stop = new AbortController();
    const { deadlineMs } = this.#options;
    const late = (): never => {
      throw new LociError(
        'internal',
        `the recall took longer than ${String(deadlineMs)} ms, and its answer is empty`,
      );
    };
    try {
      const results = await within(this.#recall(query, stop.signal), deadlineMs, late);
      this.#recallProblem = null;
      return results;
    } catch (error) {
      this.#recallProblem = messageOf(error);
      this.#warn(this.#recallProblem);
      return [];
    } finally {
      stop.abort();
    }
  }

  async status(): Promise<MemoryAdapterStatus> {
    const problems: string[] = [];
    let details = {};
    try {
      await this.#open();
      problems.push(
        ...[this.#fallbackReason, this.#changeProblem, this.#recallProblem].filter((each) => each !== null),
      );
      problems.push(...(await this.#pools.problemsOf(this.#pools.pools)));
      problems.push(...(await this.#backend.problems()));
      details = await this.#backend.details();
    } catch (error) {
      problems.push(messageOf(error));
    }
    const pools = this.#pools.pools.map(({ folder, ...definition }) => ({ ...definition, path: folder }));
    return {
      ok: problems.length === 0,
      ...(problems.length > 0 && { message: [...new Set(problems)].join('\n') }),
      details: { adapter: this.id, pools, ...details },
    };
  }

  /** What is wrong with the pools that an agent sees; `null` if the backend does not tell it apart from other pools. */
  async problemsFor(agentId: string): Promise<readonly string[] | null> {
    const seen = await this.#pools.locate(this.#pools.seenBy(agentId), () => undefined);
    return (await this.#backend.problemsOf?.(seen)) ?? null;
  }

  async resolveReference(reference: string, agentId: string): Promise<MemoryResult | null> {
    for (;;) {
      const set = this.#pools;
      const note = await resolveReference(set, reference, { agentId, base: this.#folders.vaultRoot });
      if (this.#closing !== null) return null;
      // If other pools were registered meanwhile, the note may be of a pool that the agent does not see any more.
      if (this.#pools === set) return note;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#backend.stop?.();
    await this.#opening?.catch(() => undefined);
    await this.#changes.catch(() => undefined);
    await this.#backend.close();
  }

  #setOf(pools: readonly MemoryPoolDefinition[]): PoolSet {
    const { roles } = this.#options;
    return new PoolSet(pools, { vaultRoot: this.#folders.vaultRoot, roles, previous: this.#pools });
  }

  #assertOpen(): void {
    if (this.#closing !== null) throw new LociError('aborted', 'the adapter is closed');
  }

  #open(): Promise<void> {
    this.#assertOpen();
    this.#opening ??= this.#openOrFallBack().catch((error: unknown) => {
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }

  async #openOrFallBack(): Promise<void> {
    const { fallback } = this.#options;
    const { dataDir } = this.#folders;
    try {
      await this.#backend.open({ dataDir });
    } catch (error) {
      if (fallback === undefined || fallback === this.#backend) throw error;
      const unusable = this.#backend;
      this.#backend = fallback;
      this.#fallbackReason = `${unusable.id} cannot be used, and ${this.#backend.id} is in its place: ${messageOf(error)}`;
      this.#warn(this.#fallbackReason);
      await unusable.close().catch(() => undefined);
      await this.#backend.open({ dataDir });
    }
  }

  async #register(): Promise<void> {
    await this.#open();
    const pools = this.#pools;
    // A recall does not wait for files that are indexed meanwhile.
    if (this.#registered === pools) return;
    await this.#change(async () => {
      if (this.#registered?.equals(pools) !== true) {
        // If it fails, the index is neither that of these pools nor that of the last ones.
        this.#registered = null;
        await this.#backend.registerPools(pools);
      }
      this.#registered = pools;
    });
    for (const problem of await pools.problemsOf(pools.pools)) this.#warn(problem);
  }

  async #settled(maxMs = 0): Promise<void> {
    await within(this.#backend.settled?.() ?? Promise.resolve(), maxMs, () => undefined);
  }

  #change(work: () => Promise<void>): Promise<void> {
    const run = async (): Promise<void> => {
      this.#assertOpen();
      try {
        await work();
        this.#changeProblem = null;
      } catch (error) {
        this.#changeProblem = `the index of the pools is not up to date: ${messageOf(error)}`;
        throw error;
      }
    };
    const change = this.#changes.then(run, run);
    this.#changes = change;
    return change;
  }

  async #recall(query: MemoryQuery, signal: AbortSignal): Promise<MemoryResult[]> {
    const { text, limit, filters, mode } = checked(query);
    if (limit === 0 || text === '') return [];
    for (;;) {
      const set = this.#pools;
      const searched = set.searchedBy(query);
      if (searched.length === 0) return [];
      await this.#open();
      // What was indexed before can be searched where nothing can be written. The status says so.
      await this.#register().catch(() => {
        this.#assertOpen();
      });
      const pools = await set.locate(searched, () => undefined);
      signal.throwIfAborted();
      const results =
        pools.length === 0 ? [] : await this.#backend.recall({ text, limit, pools, filters, mode, signal });
      // If other pools were registered meanwhile, the results may be of a pool that the agent does not see any more.
      if (this.#pools === set) return results.slice(0, limit);
      signal.throwIfAborted();
    }
  }

  #warn(message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    try {
      this.#options.onWarning(message);
    } catch {
      // A recall does not fail either if it cannot warn.
    }
  }
}

import path from 'node:path';
import { LociError, messageOf } from '../core/errors.ts';
import { within } from '../core/time/deadline.ts';
import type {
  AdapterFolders,
  LociAdapter,
  MemoryAdapterStatus,
  MemoryPoolDefinition,
  MemoryQuery,
  MemoryResult,
  MemoryRetrievalAdapter,
} from './contract.ts';
import { type AgentRoles, DEFAULT_LIMIT, type LocatedPool, PoolSet, TIERS } from './pools/pool-set.ts';
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
    await this.#change(async () => this.#backend.readPools(await this.#pools.locatedAt(absolute)));
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
    let details: BackendState['details'] = {};
    try {
      await this.#open();
      problems.push(
        ...[this.#fallbackReason, this.#changeProblem, this.#recallProblem].filter((each) => each !== null),
      );
      problems.push(...(await this.#pools.problemsOf(this.#pools.pools)));
      const state = await this.#backend.state();
      problems.push(...state.problems);
      ({ details } = state);
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

/** The most results of a recall. */
const MAX_LIMIT = 1000;
/** A longer query is cut, in UTF-16 units. */
const MAX_QUERY_LENGTH = 10_000;
/** Properties and, of all of them, values that a query filters by. */
const MAX_PROPERTIES = 50;
const MAX_VALUES = 1000;

/** @throws LociError `invalid_input` that names the wrong field */
export function checked(given: MemoryQuery): Pick<PoolQuery, 'text' | 'limit' | 'filters' | 'mode'> {
  if (typeof given !== 'object' || (given as unknown) === null)
    throw new LociError('invalid_input', 'the query is not an object with agentId and query');
  const { agentId, query, limit = DEFAULT_LIMIT, poolIds, tiers, filters = {}, mode } = given;
  const invalid = (field: string, expected: string): LociError =>
    new LociError('invalid_input', `${field} of the query is not ${expected}`);
  if (typeof agentId !== 'string' || agentId === '') throw invalid('agentId', 'a text');
  if (typeof query !== 'string') throw invalid('query', 'a text');
  if (!Number.isInteger(limit) || limit < 0) throw invalid('limit', 'a whole number from 0');
  if (poolIds !== undefined && !isListOfTexts(poolIds)) throw invalid('poolIds', 'a list of ids');
  if (tiers !== undefined && !(isListOfTexts(tiers) && tiers.every((tier) => TIERS.includes(tier))))
    throw invalid('tiers', `a list of ${TIERS.join(', ')}`);
  if (mode !== undefined && !['semantic', 'keyword'].includes(mode))
    throw invalid('mode', 'semantic or keyword');
  if (
    typeof filters !== 'object' ||
    (filters as unknown) === null ||
    Array.isArray(filters) ||
    Object.values(filters).some((each) => typeof each !== 'string' && !isListOfTexts(each))
  )
    throw invalid('filters', 'a map of texts or lists of texts');
  const properties = Object.entries(filters).map(([property, value]) => [property, [value].flat()] as const);
  if (
    properties.length > MAX_PROPERTIES ||
    properties.reduce((sum, [, values]) => sum + values.length, 0) > MAX_VALUES
  )
    throw invalid(
      'filters',
      `a map of at most ${String(MAX_PROPERTIES)} properties with ${String(MAX_VALUES)} values in sum`,
    );
  return {
    text: query.slice(0, MAX_QUERY_LENGTH).trim(),
    limit: Math.min(limit, MAX_LIMIT),
    filters: Object.fromEntries(properties),
    mode: mode ?? 'all',
  };
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** A query with its defaults, for the pools that the agent sees. */
export interface PoolQuery {
  /** Not empty. */
  readonly text: string;
  /** At least 1. */
  readonly limit: number;
  /** At least one. */
  readonly pools: readonly LocatedPool[];
  /** The values of each property of the front matter, one of which a note must have. */
  readonly filters: Readonly<Record<string, readonly string[]>>;
  readonly mode: 'semantic' | 'keyword' | 'all';
  /** Fires when the answer is not waited for any more. */
  readonly signal: AbortSignal;
}

/** What a backend says of itself in a status. */
export interface BackendState {
  /** Sentences about what it cannot answer from. */
  readonly problems: readonly string[];
  /** Facts such as the number of notes. `waiting` is the number of texts that are still to be embedded. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** What searches pools. `PoolAdapter` makes an adapter of it: it checks who sees what, and catches failures. */
export interface Backend extends Pick<MemoryRetrievalAdapter, 'id' | 'capabilities'> {
  /** @throws if it cannot work on this machine */
  open(folders: Required<Pick<AdapterFolders, 'dataDir'>>): Promise<void>;
  /** Makes the index that of these pools, which differ from the last ones of this process, and reads what has changed in them. */
  registerPools(pools: PoolSet): Promise<void>;
  /** Reads what has changed in some of these pools. */
  readPools(pools: readonly LocatedPool[]): Promise<void>;
  /** Resolves when what `registerPools` and `readPools` left for later is done. Recalls do not wait for it. */
  settled?(): Promise<void>;
  /** How long the adapter's `registerPools` and `indexPaths` wait for that, in milliseconds. Without it, until it is done. */
  readonly maxSettleMs?: number;
  recall(query: PoolQuery): Promise<readonly MemoryResult[]>;
  state(): Promise<BackendState>;
  /** Makes calls end soon that change the index. `close` is called once they have. */
  stop?(): void;
  close(): Promise<void>;
}

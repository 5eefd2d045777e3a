/** The contract of retrieval adapters: other programs own the structure of a memory, and an adapter finds things in it. */

export type MemoryTier = 'hot' | 'warm' | 'cold';

/** A named part of a memory: the notes below a folder. */
export interface MemoryPoolDefinition {
  /** Stable, and unique among the pools. */
  readonly id: string;
  readonly tier: MemoryTier;
  /** A folder: absolute, or below the root of the vault. */
  readonly path: string;
  /** The roles whose agents see the pool. */
  readonly roles?: readonly string[];
  /** The agents that see the pool. Without roles and agents, every agent does. */
  readonly agents?: readonly string[];
}

/** What an agent asks for. */
export interface MemoryQuery {
  /** The agent that asks. It sees the pools that name it, or one of its roles, and those that name nobody. */
  readonly agentId: string;
  /** Natural language, or keywords. */
  readonly query: string;
  /** The largest number of results: a whole number from 0. Default 10. */
  readonly limit?: number;
  /** The only pools that are searched, among those that the agent sees. */
  readonly poolIds?: readonly string[];
  /** The only tiers that are searched. Default hot and warm. */
  readonly tiers?: readonly MemoryTier[];
  /**
   * What the front matter of a note must have: each key with this value, or with one of these values. A property that is a list has
   * each of its entries.
   */
  readonly filters?: Readonly<Record<string, string | readonly string[]>>;
  /** Searches by meaning or by words only. By default, by all that the adapter is capable of. */
  readonly mode?: 'semantic' | 'keyword';
}

export interface MemoryResult {
  /** The id of the adapter for what was found. It is unique among the results. */
  readonly id: string;
  /** The absolute path of the file, with the lines that were found: `/notes/Oven.md#L3-L9`. `resolveReference` accepts it. */
  readonly uri: string;
  /** The relevance, above 0. Only scores of one recall can be compared. */
  readonly score?: number;
  /** The part of the note that fits best, to be shown in a context. */
  readonly snippet?: string;
  /** The whole text; only from `resolveReference`. */
  readonly content?: string;
  /** The front matter of the note, and `pool`, `tier`, `path` (below the pool) and `title`. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface MemoryAdapterStatus {
  /** Whether recall answers from everything that it should answer from. */
  readonly ok: boolean;
  /** What is wrong, and what to do. */
  readonly message?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface AdapterFolders {
  /** Where an adapter keeps its index. */
  readonly dataDir: string;
  /** The folder that relative paths of pools start from. */
  readonly vaultRoot?: string;
}

/** Finds notes in pools. */
export interface MemoryRetrievalAdapter {
  /** A stable name, such as `filesystem`. */
  readonly id: string;
  readonly capabilities: {
    /** By meaning. */
    readonly semantic: boolean;
    /** By words. */
    readonly keyword: boolean;
    /** By connections between notes. */
    readonly graph?: boolean;
  };
  /** Called once, before anything else. */
  init?(options: AdapterFolders): Promise<void>;
  /**
   * Replaces the list of pools. The index of a pool that is not in the list is removed, and a pool with another path is indexed anew.
   * The same list again changes nothing.
   */
  registerPools(pools: readonly MemoryPoolDefinition[]): Promise<void>;
  /** Reads files and folders again, those that are gone too. Adapters without an index need not do anything. */
  indexPaths(paths: readonly string[]): Promise<void>;
  /** The best results, best first; an empty list if there are none. */
  recall(query: MemoryQuery): Promise<MemoryResult[]>;
  status?(): Promise<MemoryAdapterStatus>;
  /**
   * The whole file that a reference names: an absolute path, one below the root of the vault, or the `uri` of a result, whose lines
   * alone are returned. `null` if it is in no pool that the agent sees.
   */
  resolveReference?(reference: string, agentId: string): Promise<MemoryResult | null>;
  /** Frees what the adapter holds. */
  close?(): Promise<void>;
}

/** An adapter of Loci, which has everything that the contract has. */
export type LociAdapter = Required<MemoryRetrievalAdapter>;

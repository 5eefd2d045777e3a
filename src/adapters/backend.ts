import type { AdapterFolders, MemoryResult, MemoryRetrievalAdapter } from './contract.ts';
import type { LocatedPool, PoolSet } from './pools/pool-set.ts';

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

/** What searches pools. `PoolAdapter` makes an adapter of it: it checks who sees what, and catches failures. */
export interface Backend extends Pick<MemoryRetrievalAdapter, 'id' | 'capabilities'> {
  /** @throws if it cannot work on this machine */
  open(folders: Required<Pick<AdapterFolders, 'dataDir'>>): Promise<void>;
  /** Makes the index that of these pools, which differ from the last ones of this process, and reads what has changed in them. */
  registerPools(pools: PoolSet): Promise<void>;
  /** Reads absolute paths of files and folders again. */
  indexPaths(paths: readonly string[]): Promise<void>;
  /** Resolves when what `registerPools` and `indexPaths` left for later is done. Recalls do not wait for it. */
  settled?(): Promise<void>;
  /** How long the adapter's `registerPools` and `indexPaths` wait for that, in milliseconds. Without it, until it is done. */
  readonly maxSettleMs?: number;
  recall(query: PoolQuery): Promise<readonly MemoryResult[]>;
  /** Sentences about what it cannot answer from. */
  problems(): Promise<readonly string[]>;
  /** Those that tell nothing of other pools than these. Without it, who does not see all pools learns only that there are some. */
  problemsOf?(pools: readonly LocatedPool[]): Promise<readonly string[]>;
  /** Facts for `status`, such as the number of notes. `waiting` is the number of texts that are still to be embedded. */
  details(): Promise<Readonly<Record<string, unknown>>>;
  /** Makes calls end soon that change the index. `close` is called once they have. */
  stop?(): void;
  close(): Promise<void>;
}

import type { Caller } from '../core/caller.ts';
import type { Config, VaultConfig } from '../core/config/schema.ts';
import { refuseOldRuntime } from '../core/runtime.ts';
import type { Timestamp } from '../core/types.ts';
import type { FacetField, FacetValue } from '../store/facets.ts';
import { openStore } from '../store/registry.ts';
import type { SearchFilter } from '../store/store.ts';
import { EngineContext } from './context.ts';
import { find, type FindRequest, type FindResponse } from './find.ts';
import type { Check } from './check.ts';
import { examine, status, type Status } from './health.ts';
import { forgetSource } from './forget.ts';
import { indexVaults, type IndexOptions, type IndexReport, type LongCallOptions } from './index-vaults.ts';
import { read, type ReadRecord } from './read.ts';
import { reindex, type ReindexOptions, type ReindexReport } from './reindex.ts';
import { refuseTakenNames } from './vault-names.ts';
import { vaultStates, type VaultStates } from './vault-states.ts';
import { write, type WriteRequest, type WriteResponse } from './write.ts';

/** An open memory. Calls may run side by side; `close` ends it. */
export interface Loci {
  search(request: FindRequest): Promise<FindResponse>;
  get(citation: string): Promise<ReadRecord>;
  /** What records have in a field, most records first: the values to filter a search by. */
  facet(field: FacetField, filter?: Omit<SearchFilter, 'now'>): Promise<FacetValue[]>;
  write(request: WriteRequest): Promise<WriteResponse>;
  /** The configured vaults, unless others are given. */
  index(options?: IndexOptions & { readonly vaults?: readonly VaultConfig[] }): Promise<IndexReport>;
  /** As `index` does first. @throws LociError `invalid_config` for a vault whose name is another folder's */
  refuseTakenNames(vaults: readonly VaultConfig[]): Promise<void>;
  reindex(options?: ReindexOptions): Promise<ReindexReport>;
  status(): Promise<Status>;
  /** The configured vaults and what changed in them, and vaults that are configured no more. */
  vaults(): Promise<VaultStates>;
  /** Takes out what a vault or source brought; answers how many records. */
  forget(source: string, options?: Pick<LongCallOptions, 'signal'>): Promise<number>;
  doctor(): Promise<Check[]>;
  /** For whom this engine works. */
  readonly caller: Caller;
  /** The same engine on behalf of somebody else: nothing of one namespace is seen from another. `close` ends both. */
  as(caller: Caller): Loci;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Makes the store when it is not there. Default true. */
  readonly create?: boolean;
  /** What time it is; for tests. */
  readonly now?: () => Timestamp;
}

/**
 * Opens the store that the configuration names. The embedding model starts at its first use.
 * @throws LociError `unsupported_runtime`, `store_not_found`, `store_newer`, `store_corrupt`, `unreadable`
 */
export async function openLoci(config: Config, options: OpenOptions = {}): Promise<Loci> {
  refuseOldRuntime();
  const { path, busyTimeout } = config.store;
  const store = await openStore({ driver: 'sqlite', path, busyTimeout, create: options.create ?? true });
  return engineOf(EngineContext.open(config, store, options.now));
}

function engineOf(context: EngineContext): Loci {
  const { config, store, namespace } = context;
  return {
    search: (request) => find(context, request),
    get: (citation) => read(context, citation),
    facet: (field, filter) => store.facet(namespace, field, { ...filter, now: context.now() }),
    write: (request) => write(context, request),
    index: ({ vaults, ...rest } = {}) => indexVaults(context, vaults ?? config.vaults, rest),
    refuseTakenNames: (vaults) => refuseTakenNames(context, vaults),
    reindex: (reindexOptions) => reindex(context, reindexOptions),
    status: () => status(context),
    vaults: () => vaultStates(context),
    forget: (source, forgetOptions) => forgetSource(context, source, forgetOptions),
    doctor: () => examine(context),
    caller: context.caller,
    as: (caller) => engineOf(context.as(caller)),
    close: () => context.close(),
  };
}

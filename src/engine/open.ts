import type { Caller } from '../core/caller.ts';
import type { Config } from '../config/schema.ts';
import type { VaultConfig } from '../config/sources-schema.ts';
import { assertSupportedNode } from '../core/runtime.ts';
import type { LociRecord, Timestamp } from '../core/types.ts';
import type { FacetField, FacetValue } from '../store/facets.ts';
import { openStore } from '../store/registry.ts';
import type { SearchFilter } from '../store/store.ts';
import { type Access, accessOf } from './access/access.ts';
import { EngineContext } from './context.ts';
import { search, type SearchRequest, type SearchResponse } from './records/search.ts';
import type { Check } from './health/check.ts';
import { answers, examine, status, totals, type Status, type Totals } from './health/health.ts';
import { auditEntries, type AuditListed, type AuditRequest } from './audit/audit.ts';
import { corpus, type Corpus, type CorpusRequest } from './facts/corpus.ts';
import {
  deleteRecord,
  undeleteRecord,
  type DeleteResponse,
  type UndeleteResponse,
} from './records/delete.ts';
import {
  factCategories,
  listFacts,
  recallFact,
  storeFact,
  type FactRequest,
  type FactResponse,
  type FactsPage,
  type FactsRequest,
} from './facts/facts.ts';
import { forgetFacts, type ForgetRequest, type Forgotten } from './facts/forget-facts.ts';
import type { Run } from './audit/history-log.ts';
import { importFrom, type ImportRequest, type ImportResult } from './portable/import.ts';
import { exportToFile, exportToFolder, type ExportOptions } from './portable/export/export-files.ts';
import {
  exportPage,
  exportSteps,
  noExportCounts,
  type ExportCounts,
  type ExportPage,
} from './portable/export/export-pages.ts';
import {
  removeStartup,
  setStartup,
  startup,
  startupEntries,
  type StartupRequest,
  type StartupSetRequest,
  type StartupSetResponse,
  type StartupText,
} from './startup/startup.ts';
import { update, type UpdateRequest, type UpdateResponse } from './records/update.ts';
import type { FactCategory } from '../store/listing.ts';
import type { StartupEntry } from '../store/startup.ts';
import { forgetSource } from './vaults/forget-source.ts';
import { indexVaults, type IndexReport } from './vaults/index-vaults.ts';
import { type IndexOptions, type LongCallOptions } from '../core/long-call.ts';
import { get, type GetResponse } from './records/get.ts';
import { reindex, type ReindexOptions, type ReindexReport } from './health/reindex.ts';
import { hiddenSources, ownSources, withoutSources } from './sources/source-policies.ts';
import { type Sources, sourcesOf } from './sources/sources.ts';
import { assertNamesAreFree } from './vaults/vault-names.ts';
import { isEnabled, vaultStates, type VaultStates } from './vaults/vault-states.ts';
import { write, type WriteRequest, type WriteResponse } from './records/write.ts';

/** An open memory. Calls may run side by side; `close` ends it. */
export interface Loci {
  search(request: SearchRequest): Promise<SearchResponse>;
  get(citation: string): Promise<GetResponse>;
  /** What records have in a field, most records first: the values to filter a search by. */
  facet(field: FacetField, filter?: Omit<SearchFilter, 'now'>): Promise<FacetValue[]>;
  write(request: WriteRequest): Promise<WriteResponse>;
  update(request: UpdateRequest): Promise<UpdateResponse>;
  /** Out of every answer and every index; it can be brought back until it is purged. */
  delete(id: number): Promise<DeleteResponse>;
  undelete(id: number): Promise<UndeleteResponse>;
  readonly facts: Facts;
  readonly startup: Startup;
  /** All of it, to take elsewhere and to bring back. */
  readonly portable: PortableMemory;
  /** Who changed what, newest first. */
  audit(request: AuditRequest): Promise<AuditListed[]>;
  /** Notes a run of a tool or of several steps. */
  note(run: Run): void;
  /** Commands that tell what is to be known: todos, calendars, whatever prints JSON. */
  readonly sources: Sources;
  /** The caller's facts and runs, as documents for another memory. */
  corpus(request: CorpusRequest): Promise<Corpus>;
  /** The configured vaults, unless others are given. */
  index(options?: IndexOptions & { readonly vaults?: readonly VaultConfig[] }): Promise<IndexReport>;
  /** As `index` does first. @throws LociError `invalid_config` for a vault whose name is another folder's */
  refuseTakenNames(vaults: readonly VaultConfig[]): Promise<void>;
  reindex(options?: ReindexOptions): Promise<ReindexReport>;
  status(): Promise<Status>;
  /** What the store holds in all its namespaces, for whoever runs it. */
  totals(): Promise<Totals>;
  /** The configured vaults and what changed in them, and vaults that are configured no more. */
  vaults(): Promise<VaultStates>;
  /** Takes out what a vault or source brought; answers how many records. */
  forget(source: string, options?: Pick<LongCallOptions, 'signal'>): Promise<number>;
  doctor(): Promise<Check[]>;
  /** Resolves when the store and the embedding model answer. @throws LociError what keeps them from it */
  answers(): Promise<void>;
  readonly access: Access;
  /** For whom this engine works. */
  readonly caller: Caller;
  /** The same engine on behalf of somebody else: nothing of one namespace is seen from another. `close` ends both. */
  as(caller: Caller): Loci;
  close(): Promise<void>;
}

/** What agents keep under a key, each until its time is over. */
export interface Facts {
  store(request: FactRequest): Promise<FactResponse>;
  recall(key: string, category?: string): Promise<LociRecord>;
  list(request: FactsRequest): Promise<FactsPage>;
  forget(request: ForgetRequest): Promise<Forgotten>;
  /** With the keys stored last, at most `recent` of each. */
  categories(recent: number): Promise<FactCategory[]>;
}

/** What an agent is told before it begins. */
export interface Startup {
  inject(request: StartupRequest): Promise<StartupText>;
  list(): Promise<StartupEntry[]>;
  set(request: StartupSetRequest): Promise<StartupSetResponse>;
  remove(key: string, agent?: string): Promise<StartupEntry>;
}

/** The caller's whole namespace, as docs/export-format.md describes it. */
export interface PortableMemory {
  /** As JSON Lines, without their ends. */
  lines(options?: LongCallOptions): AsyncGenerator<string, ExportCounts>;
  /** Some of the lines; behind the page that `after` came with. */
  page(after?: string): Promise<ExportPage>;
  toFile(path: string, options?: ExportOptions): Promise<ExportCounts>;
  toFolder(path: string, options?: ExportOptions): Promise<ExportCounts>;
  import(request: ImportRequest): Promise<ImportResult>;
}

/** How long a call waits for another process that writes to the store. */
const BUSY_TIMEOUT_MS = 5000;

export interface OpenOptions {
  /** Makes the store when it is not there. Default true. */
  readonly create?: boolean;
  /** The current time; for tests. */
  readonly now?: () => Timestamp;
  /** The longest passage, in tokens of the embedding model; for tests. */
  readonly maxPassageTokens?: number;
  /**
   * Lets the sources of `config` run without `loci sources approve`: for a host whose own settings they are. Sources of
   * skills are asked for all the same.
   */
  readonly trustsSettings?: boolean;
}

/**
 * Opens the store that the configuration names. The embedding model starts at its first use.
 * @throws LociError `unsupported_runtime`, `store_not_found`, `store_newer`, `store_corrupt`, `unreadable`
 */
export async function openLoci(config: Config, options: OpenOptions = {}): Promise<Loci> {
  assertSupportedNode();
  const { path } = config.store;
  const store = await openStore({
    driver: 'sqlite',
    path,
    busyTimeout: BUSY_TIMEOUT_MS,
    create: options.create ?? true,
  });
  return engineOf(EngineContext.open(config, store, options));
}

function engineOf(context: EngineContext): Loci {
  const { config, store, namespace } = context;
  return {
    search: (request) => search(context, request),
    get: (citation) => get(context, citation),
    facet: async (field, filter) => {
      await context.expire();
      const { vaults, sources } = await ownSources(context);
      const shown = withoutSources(filter ?? {}, hiddenSources(vaults, sources, 'user'));
      return store.facet(namespace, field, { ...shown, now: context.now() });
    },
    write: (request) => write(context, request),
    update: (request) => update(context, request),
    delete: (id) => deleteRecord(context, id),
    undelete: (id) => undeleteRecord(context, id),
    facts: factsOf(context),
    startup: startupOf(context),
    portable: portableOf(context),
    audit: (request) => auditEntries(context, request),
    note: (run) => {
      context.history.note(namespace, run);
    },
    sources: sourcesOf(context),
    corpus: (request) => corpus(context, request),
    index: ({ vaults = config.vaults.filter(isEnabled), ...rest } = {}) => indexVaults(context, vaults, rest),
    refuseTakenNames: (vaults) => assertNamesAreFree(context, vaults),
    reindex: (reindexOptions) => reindex(context, reindexOptions),
    status: () => status(context),
    totals: () => totals(context),
    vaults: () => vaultStates(context),
    forget: (source, forgetOptions) => forgetSource(context, source, forgetOptions),
    doctor: () => examine(context),
    answers: () => answers(context),
    access: accessOf(context),
    caller: context.caller,
    as: (caller) => engineOf(context.as(caller)),
    close: () => context.close(),
  };
}

function factsOf(context: EngineContext): Facts {
  return {
    store: (request) => storeFact(context, request),
    recall: (key, category) => recallFact(context, key, category),
    list: (request) => listFacts(context, request),
    forget: (request) => forgetFacts(context, request),
    categories: (recent) => factCategories(context, recent),
  };
}

function portableOf(context: EngineContext): PortableMemory {
  return {
    async *lines(options = {}) {
      const counts = noExportCounts();
      for await (const { lines } of exportSteps(context, options, counts)) yield* lines;
      return counts;
    },
    page: (after) => exportPage(context, after),
    toFile: (path, options = {}) => exportToFile(context, path, options),
    toFolder: (path, options = {}) => exportToFolder(context, path, options),
    import: (request) => importFrom(context, request),
  };
}

function startupOf(context: EngineContext): Startup {
  return {
    inject: (request) => startup(context, request),
    list: () => startupEntries(context),
    set: (request) => setStartup(context, request),
    remove: (key, agent) => removeStartup(context, key, agent),
  };
}

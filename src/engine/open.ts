import type { Caller } from '../core/caller.ts';
import type { Config } from '../config/schema.ts';
import type { VaultConfig } from '../config/sources-schema.ts';
import type { ProgressOptions } from '../core/progress.ts';
import type { IndexOptions } from './vaults/refresh-vault.ts';
import { assertSupportedNode } from '../core/runtime.ts';
import type { LociRecord, Timestamp } from '../core/types.ts';
import type { FacetField, FacetValue } from '../store/facets.ts';
import type { FactCategory } from '../store/listing.ts';
import { openStore } from '../store/registry.ts';
import type { StartupEntry } from '../store/startup.ts';
import type { SearchFilter } from '../store/store.ts';
import type { Access } from './access/access.ts';
import type { AuditListed, AuditRequest } from './audit/audit.ts';
import type { Run } from './audit/history-log.ts';
import { EngineContext } from './context.ts';
import type { Corpus, CorpusRequest } from './facts/corpus.ts';
import type { FactRequest, FactResponse, FactsPage, FactsRequest } from './facts/facts.ts';
import type { Forgotten, ForgetRequest } from './facts/forget-facts.ts';
import type { Check } from './health/check.ts';
import type { Status, Totals } from './health/health.ts';
import type { ReindexOptions, ReindexReport } from './health/reindex.ts';
import type { ExportOptions } from './portable/export/export-files.ts';
import type { ExportCounts, ExportPage } from './portable/export/export-pages.ts';
import type { ImportRequest, ImportResult } from './portable/import.ts';
import type { DeleteResponse, UndeleteResponse } from './records/delete.ts';
import type { GetResponse } from './records/get.ts';
import { search, type SearchRequest, type SearchResponse } from './records/search.ts';
import type { UpdateRequest, UpdateResponse } from './records/update.ts';
import type { WriteRequest, WriteResponse } from './records/write.ts';
import type { Sources } from './sources/sources.ts';
import type {
  StartupRequest,
  StartupSetRequest,
  StartupSetResponse,
  StartupText,
} from './startup/startup.ts';
import type { IndexReport } from './vaults/index-vaults.ts';
import { assertNamesAreFree, isEnabled } from './vaults/vault-names.ts';
import type { VaultStates } from './vaults/vault-states.ts';

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
  forget(source: string, options?: Pick<ProgressOptions, 'signal'>): Promise<number>;
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
  lines(options?: ProgressOptions): AsyncGenerator<string, ExportCounts>;
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

/** Only what a search needs is loaded at once: each other method loads its module when it is called. */
function engineOf(context: EngineContext): Loci {
  const { config, store, namespace } = context;
  return {
    search: (request) => search(context, request),
    get: async (citation) => (await import('./records/get.ts')).get(context, citation),
    facet: async (field, filter) => {
      const { hiddenSources, ownSources, withoutSources } = await import('./sources/source-policies.ts');
      await context.expire();
      const { vaults, sources } = await ownSources(context);
      const visible = withoutSources(filter ?? {}, hiddenSources(vaults, sources, 'user'));
      return store.facet(namespace, field, { ...visible, now: context.now() });
    },
    write: async (request) => (await import('./records/write.ts')).write(context, request),
    update: async (request) => (await import('./records/update.ts')).update(context, request),
    delete: async (id) => (await import('./records/delete.ts')).deleteRecord(context, id),
    undelete: async (id) => (await import('./records/delete.ts')).undeleteRecord(context, id),
    facts: factsOf(context),
    startup: startupOf(context),
    portable: portableOf(context),
    audit: async (request) => (await import('./audit/audit.ts')).auditEntries(context, request),
    note: (run) => {
      context.history.note(namespace, run);
    },
    sources: sourcesOf(context),
    corpus: async (request) => (await import('./facts/corpus.ts')).corpus(context, request),
    index: async ({ vaults = config.vaults.filter(isEnabled), ...rest } = {}) =>
      (await import('./vaults/index-vaults.ts')).indexVaults(context, vaults, rest),
    refuseTakenNames: (vaults) => assertNamesAreFree(context, vaults),
    reindex: async (options) => (await import('./health/reindex.ts')).reindex(context, options),
    status: async () => (await import('./health/health.ts')).status(context),
    totals: async () => (await import('./health/health.ts')).totals(context),
    vaults: async () => (await import('./vaults/vault-states.ts')).vaultStates(context),
    forget: async (source, options) =>
      (await import('./vaults/forget-source.ts')).forgetSource(context, source, options),
    doctor: async () => (await import('./health/health.ts')).examine(context),
    answers: async () => (await import('./health/health.ts')).answers(context),
    access: accessOf(context),
    caller: context.caller,
    as: (caller) => engineOf(context.as(caller)),
    close: () => context.close(),
  };
}

function factsOf(context: EngineContext): Facts {
  const facts = () => import('./facts/facts.ts');
  return {
    store: async (request) => (await facts()).storeFact(context, request),
    recall: async (key, category) => (await facts()).recallFact(context, key, category),
    list: async (request) => (await facts()).listFacts(context, request),
    forget: async (request) => (await import('./facts/forget-facts.ts')).forgetFacts(context, request),
    categories: async (recent) => (await facts()).factCategories(context, recent),
  };
}

function portableOf(context: EngineContext): PortableMemory {
  const pages = () => import('./portable/export/export-pages.ts');
  const files = () => import('./portable/export/export-files.ts');
  return {
    async *lines(options = {}) {
      const { exportSteps, noExportCounts } = await pages();
      const counts = noExportCounts();
      for await (const { lines } of exportSteps(context, options, counts)) yield* lines;
      return counts;
    },
    page: async (after) => (await pages()).exportPage(context, after),
    toFile: async (path, options = {}) => (await files()).exportToFile(context, path, options),
    toFolder: async (path, options = {}) => (await files()).exportToFolder(context, path, options),
    import: async (request) => (await import('./portable/import.ts')).importFrom(context, request),
  };
}

function startupOf(context: EngineContext): Startup {
  const module = () => import('./startup/startup.ts');
  return {
    inject: async (request) => (await module()).startup(context, request),
    list: async () => (await module()).startupEntries(context),
    set: async (request) => (await module()).setStartup(context, request),
    remove: async (key, agent) => (await module()).removeStartup(context, key, agent),
  };
}

function accessOf(context: EngineContext): Access {
  const access = async () => (await import('./access/access.ts')).accessOf(context);
  return {
    create: async (request) => (await access()).create(request),
    list: async () => (await access()).list(),
    revoke: async (idOrName) => (await access()).revoke(idOrName),
    isKnown: async (subject) => (await access()).isKnown(subject),
    find: async (text) => (await access()).find(text),
  };
}

function sourcesOf(context: EngineContext): Sources {
  const sources = async () => (await import('./sources/sources.ts')).sourcesOf(context);
  return {
    list: async () => (await sources()).list(),
    refresh: async (ids, options) => (await sources()).refresh(ids, options),
    test: async (id, signal) => (await sources()).test(id, signal),
    approve: async (id, fingerprint) => (await sources()).approve(id, fingerprint),
    pause: async (id, paused) => (await sources()).pause(id, paused),
    forget: async (id, signal) => (await sources()).forget(id, signal),
    keepFresh: (options) => {
      const keeper = sources().then((loaded) => loaded.keepFresh(options));
      return { close: async () => (await keeper).close() };
    },
    stop: () => context.stop(),
  };
}

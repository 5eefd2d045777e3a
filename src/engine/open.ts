import type { Caller } from '../core/caller.ts';
import type { Config } from '../config/schema.ts';
import type { VaultConfig } from '../config/sources-schema.ts';
import type { ProgressOptions } from '../core/progress.ts';
import type { IndexOptions } from './vaults/refresh-vault.ts';
import { LociError } from '../core/errors.ts';
import { assertSupportedNode } from '../core/runtime.ts';
import type { LociRecord, Timestamp } from '../core/types.ts';
import type { FacetField, FacetValue, FactCategory } from '../store/model.ts';
import type { StartupEntry } from '../store/admin-model.ts';
import type { SearchFilter } from '../store/search-model.ts';
import type { Receipt } from '../pack/receipt.ts';
import type { GoldenQuery } from '../store/item-model.ts';
import type { StoredLabel } from '../store/item-model.ts';
import { openStore } from '../store/registry.ts';
import { ADMIN_NAMESPACE } from '../store/rules/admin-namespace.ts';
import { storedLabels } from '../store/items/kinds.ts';
import { sourceStates } from '../store/items/source-state.ts';
import type { Access } from './access/access.ts';
import type { AuditListed, AuditRequest } from './audit/audit.ts';
import type { Run } from './audit/history-log.ts';
import { EngineContext } from './context.ts';
import type { BackfillOptions, BackfillReport } from './embedding/backfill.ts';
import type { CompareOptions, Comparison } from './embedding/compare.ts';
import type { PruneOptions, PruneReport } from './embedding/prune.ts';
import type { SwitchOptions, SwitchReport } from './embedding/switch.ts';
import type { Corpus, CorpusRequest } from './facts/corpus.ts';
import type { FactRequest, FactResponse, FactsPage, FactsRequest } from './facts/facts.ts';
import type { Forgotten, ForgetRequest } from './facts/forget-facts.ts';
import type { GraphDifference } from '../graph/diff.ts';
import type { ExportedGraph } from '../graph/export-schema.ts';
import type { GraphExportPage, GraphExportRequest } from './graph/export-graph.ts';
import type { GraphStatus } from './graph/graph-status.ts';
import type { GraphScope } from './graph/graph-view.ts';
import type { Neighbourhood, NeighbourhoodRequest } from './graph/neighbourhood.ts';
import type { NoticeRequest } from './graph/graph-notices.ts';
import type { FoundPath, PathRequest, ShowRequest, ShownNodes } from './graph/show-nodes.ts';
import type { Check } from './health/check.ts';
import type { Status, Totals } from './health/status.ts';
import type { MadeChange } from './graph/concepts/change-concepts.ts';
import type {
  ConceptConflict,
  ConceptDetails,
  ConceptListRequest,
  ConceptPage,
} from './graph/concepts/concepts.ts';
import type { ListedChange } from './graph/concepts/find-concept.ts';
import type { ReindexOptions, ReindexReport } from './health/reindex.ts';
import type { ExportOptions } from './portable/export/export-files.ts';
import type { ExportCounts, ExportPage } from './portable/export/export-pages.ts';
import type { ImportRequest, ImportResult } from './portable/import.ts';
import type { GraphIndexRequest, GraphIndexResponse } from './packs/graph-index.ts';
import type { GraphPackRequest, GraphPackResponse } from './packs/graph-pack.ts';
import type { PackRequest, PackResponse, RecallRequest } from './packs/memory-pack.ts';
import type { DeleteResponse, UndeleteResponse } from './records/delete.ts';
import type { GetResponse } from './records/get.ts';
import type { ListPage, ListRequest } from './records/list.ts';
import type { GoldenDifference } from './golden/diff.ts';
import type { GoldenRequest, RecordedGolden } from './golden/golden-queries.ts';
import type { GoldenRun, ReplayOptions } from './golden/replay.ts';
import type { LabelRequest } from './packs/labels.ts';
import type { ReceiptsPage, ReceiptsRequest, ShownReceipt } from './packs/receipts.ts';
import type { TimelineRequest, TimelineResponse } from './packs/timeline.ts';
import type { VerifyRequest, VerifyResponse } from './packs/verify-receipt.ts';
import { search, type SearchRequest, type SearchResponse } from './records/search.ts';
import type { UpdateRequest, UpdateResponse } from './records/update.ts';
import type { WriteRequest, WriteResponse } from './records/write.ts';
import { dropCachedSources } from './sources/configured-sources.ts';
import type { Sources } from './sources/sources.ts';
import type {
  StartupRequest,
  StartupSetRequest,
  StartupSetResponse,
  StartupText,
} from './startup/startup.ts';
import type { IndexReport } from './vaults/index-vaults.ts';
import { assertVaultNamesAreFree, isEnabled, vaultName } from './vaults/vault-names.ts';
import type { VaultStates } from './vaults/vault-states.ts';

/** An open memory. Calls may run concurrently. */
export interface Loci {
  search(request: SearchRequest): Promise<SearchResponse>;
  /** A text within a budget of tokens, of what is remembered about something; for the context of a model. */
  pack(request: PackRequest): Promise<PackResponse>;
  /** A pack that a host puts before a message. The caller stores its receipt with `receipts.record` if it is used. */
  recall(request: RecallRequest): Promise<Omit<PackResponse, 'receiptId'>>;
  get(citation: string): Promise<GetResponse>;
  /** The records that pass a filter, those that were stored last first. */
  list(request: ListRequest): Promise<ListPage>;
  /** The records before and after a record or a moment, in the order of their time. */
  timeline(request: TimelineRequest): Promise<TimelineResponse>;
  /** The values that records have in a field, the most frequent first. */
  facet(field: FacetField, filter?: Omit<SearchFilter, 'now'>): Promise<FacetValue[]>;
  write(request: WriteRequest): Promise<WriteResponse>;
  update(request: UpdateRequest): Promise<UpdateResponse>;
  /** Removes a record from all results and indexes; `undelete` restores it until it is purged. */
  delete(id: number): Promise<DeleteResponse>;
  undelete(id: number): Promise<UndeleteResponse>;
  readonly facts: Facts;
  readonly startup: Startup;
  readonly concepts: Concepts;
  readonly graph: Graph;
  /** Export and import. */
  readonly portable: PortableMemory;
  readonly receipts: Receipts;
  readonly golden: Golden;
  /** Entries of the audit log, newest first. */
  audit(request: AuditRequest): Promise<AuditListed[]>;
  /** Records a run of a tool or of a multi-step operation in the history. */
  recordRun(run: Run): void;
  /** Commands that print documents as JSON: todos, calendars, mail. */
  readonly sources: Sources;
  /** The caller's facts and runs, as documents that another memory can index. */
  corpus(request: CorpusRequest): Promise<Corpus>;
  /** Indexes the configured vaults unless others are given. */
  index(options?: IndexOptions & { readonly vaults?: readonly VaultConfig[] }): Promise<IndexReport>;
  /** `index` calls this first. @throws LociError `invalid_config` for a vault whose name belongs to another folder */
  assertVaultNamesAreFree(vaults: readonly VaultConfig[]): Promise<void>;
  reindex(options?: ReindexOptions): Promise<ReindexReport>;
  readonly embedding: EmbeddingAdmin;
  status(): Promise<Status>;
  /** Totals over all namespaces of the store. */
  totals(): Promise<Totals>;
  /** The names of the vaults and sources that were read at least once, even if they were empty. */
  readSources(): Promise<Set<string>>;
  /**
   * The configured vaults with their changes, and indexed vaults that are no longer configured.
   * @param given other vaults in place of the configured ones
   */
  vaults(given?: readonly VaultConfig[]): Promise<VaultStates>;
  /** Removes all records of a vault or source. Returns their number. */
  forgetVault(source: string, options?: Pick<ProgressOptions, 'signal'>): Promise<number>;
  doctor(options?: ProgressOptions): Promise<Check[]>;
  /** Checks that the store and the embedding model work. @throws LociError their error */
  assertReady(): Promise<void>;
  readonly access: Access;
  /**
   * Makes the next calls read what this process reads only every ten seconds: when records expire, and the folders of skills.
   * They then see everything that other processes have changed.
   */
  dropCaches(): void;
  /** The user or agent that uses this engine. */
  readonly caller: Caller;
  /** The same engine on behalf of another caller, who sees only its own namespace. `close` closes both. */
  as(caller: Caller): Loci;
  close(): Promise<void>;
}

/** Values with a key and an expiry. */
interface Facts {
  store(request: FactRequest): Promise<FactResponse>;
  recall(key: string, category?: string): Promise<LociRecord>;
  list(request: FactsRequest): Promise<FactsPage>;
  forget(request: ForgetRequest): Promise<Forgotten>;
  /** @param recent maximum number of recent keys for each category */
  categories(recent: number): Promise<FactCategory[]>;
}

/** A change of the embedding model, for all namespaces. */
interface EmbeddingAdmin {
  backfill(options?: BackfillOptions): Promise<BackfillReport>;
  switch(options?: SwitchOptions): Promise<SwitchReport>;
  prune(options?: PruneOptions): Promise<PruneReport>;
  /** How the vectors of searches and those of the configured model do on the golden queries. */
  compare(options?: CompareOptions): Promise<Comparison>;
}

/** The text for an agent at the start of a session. */
interface Startup {
  inject(request: StartupRequest): Promise<StartupText>;
  list(): Promise<StartupEntry[]>;
  set(request: StartupSetRequest): Promise<StartupSetResponse>;
  remove(key: string, agent?: string): Promise<StartupEntry>;
}

/** The concepts that titles, aliases, tags and phrases of records name. */
interface Concepts {
  /** Derives what has changed, as every other call does, and reports its progress. */
  derive(options?: ProgressOptions): Promise<void>;
  list(request: ConceptListRequest): Promise<ConceptPage>;
  /** @param concept an id, or any of the names */
  show(concept: string, project?: string): Promise<ConceptDetails>;
  conflicts(project?: string): Promise<ConceptConflict[]>;
  changes(project?: string): Promise<ListedChange[]>;
  merge(into: string, from: readonly string[], project?: string): Promise<MadeChange>;
  split(concept: string, names: readonly string[], project?: string): Promise<MadeChange>;
  rename(concept: string, label: string, project?: string): Promise<MadeChange>;
  undo(change: string): Promise<MadeChange>;
}

/** How records, tasks, projects and tags are connected. It is derived from the records. */
interface Graph {
  status(scope?: GraphScope): Promise<GraphStatus>;
  /** Nodes with their edges. Unknown names are listed, and do not keep the others from being found. */
  show(request: ShowRequest): Promise<ShownNodes>;
  /** The shortest path between two nodes. */
  path(request: PathRequest): Promise<FoundPath>;
  /** Sentences about why a request leads to less than its caller may expect. */
  notices(request: NoticeRequest): Promise<string[]>;
  /** What is near some records, within `graph.deadline`. It never throws. */
  neighbourhood(request: NeighbourhoodRequest): Promise<Neighbourhood>;
  /** A short text within a budget of tokens: the best candidates for a query, and what to look at next. */
  index(request: GraphIndexRequest): Promise<GraphIndexResponse>;
  /** A text within a budget of tokens: summaries of nodes and of what is around them. */
  pack(request: GraphPackRequest): Promise<GraphPackResponse>;
  /** The whole graph as the text of a JSON file, in pieces; docs/graph.schema.json describes it. */
  export(request?: GraphExportRequest): AsyncGenerator<string>;
  /** One page of the nodes, then of the edges. @param after `next` of the page before */
  exportPage(request?: GraphExportRequest, after?: string): Promise<GraphExportPage>;
  /** What one export has and another has not, or has differently. */
  diff(before: ExportedGraph, after: ExportedGraph): Promise<GraphDifference>;
}

/** What was given to agents, and why; and what the operator says about it. */
interface Receipts {
  list(request: ReceiptsRequest): Promise<ReceiptsPage>;
  show(id: string): Promise<ShownReceipt>;
  /** Rebuilds the pieces of a receipt from their records, says what changed, and finds them in a prompt. */
  verify(request: VerifyRequest): Promise<VerifyResponse>;
  /** Stores a receipt in the background. An error is a warning. */
  record(make: () => Promise<Receipt>): void;
  /** Marks an item of a receipt as useful or not. */
  label(request: LabelRequest): Promise<StoredLabel>;
  /** The labels by sequence, after one. */
  labels(after: number | null, limit: number): Promise<StoredLabel[]>;
}

/** Recorded queries and the records that they should find, to see what a change does to searches. */
interface Golden {
  record(request: GoldenRequest): Promise<RecordedGolden>;
  list(): Promise<GoldenQuery[]>;
  remove(id: string): Promise<GoldenQuery>;
  replay(options?: Omit<ReplayOptions, 'vectors'>): Promise<GoldenRun>;
  /** What two runs find differently. */
  diff(before: GoldenRun, after: GoldenRun): Promise<GoldenDifference>;
}

/** Export and import of the caller's namespace, as docs/export-format.md describes it. */
interface PortableMemory {
  /** The lines of the JSON Lines export. */
  exportLines(options?: ProgressOptions): AsyncGenerator<string, ExportCounts>;
  /** One page of these lines. @param after the cursor of the page before */
  exportPage(after?: string): Promise<ExportPage>;
  exportToFile(path: string, options?: ExportOptions): Promise<ExportCounts>;
  exportToFolder(path: string, options?: ExportOptions): Promise<ExportCounts>;
  import(request: ImportRequest): Promise<ImportResult>;
}

/** How long a call waits for another process that writes to the store. */
const BUSY_TIMEOUT_MS = 5000;

export interface OpenOptions {
  /** Creates the store if it does not exist. Default true. */
  readonly create?: boolean;
  /** The current time; for tests. */
  readonly now?: () => Timestamp;
  /** The longest passage, in tokens of the embedding model; for tests. */
  readonly maxPassageTokens?: number;
  /**
   * Lets the sources of `config` run without `loci sources approve`, for a host that wrote these settings itself. Sources
   * of skills still need approval.
   */
  readonly trustsSettings?: boolean;
  /** Whether nothing but Loci runs in this process, so that it may set options of V8. Default false. */
  readonly ownsProcess?: boolean;
  /**
   * Whether the store has threads of its own, so that its calls do not block the caller. Default true. A program that makes a few
   * calls and ends starts faster without them.
   */
  readonly storeThreads?: boolean;
  /** Told what went wrong without failing a call. By default a warning of the process. */
  readonly onWarning?: (message: string) => void;
}

/**
 * Opens the store that the configuration names. The embedding model starts at its first use.
 * @throws LociError `unsupported_runtime`, `store_not_found`, `store_newer`, `store_corrupt`, `unreadable`
 */
export async function openLoci(config: Config, options: OpenOptions = {}): Promise<Loci> {
  assertSupportedNode();
  const store = await openStore({
    driver: 'sqlite',
    path: config.store.path,
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    create: options.create ?? true,
    threads: options.storeThreads ?? true,
  });
  const generations = await store.vectors.generations(ADMIN_NAMESPACE).catch(() => []);
  const active = generations.find((generation) => generation.active)?.id ?? null;
  return engineOf(EngineContext.create(config, store, { ...options, activeGeneration: active }));
}

/** A search needs no other module than those imported above. Each other method imports its module when it is called. */
function engineOf(context: EngineContext): Loci {
  const { config, store, namespace } = context;
  return {
    search: (request) => search(context, request),
    pack: async (request) => (await import('./packs/memory-pack.ts')).memoryPack(context, request),
    recall: async (request) => (await import('./packs/memory-pack.ts')).recallPack(context, request),
    get: async (citation) => (await import('./records/get.ts')).get(context, citation),
    list: async (request) => (await import('./records/list.ts')).listRecords(context, request),
    timeline: async (request) => (await import('./packs/timeline.ts')).timeline(context, request),
    facet: async (field, filter) => {
      const { hiddenSources, sourcesOfNamespace, excludeSources } =
        await import('./sources/source-policies.ts');
      await context.expire();
      const { vaults, sources } = await sourcesOfNamespace(context);
      const visible = excludeSources(filter ?? {}, hiddenSources(vaults, sources, 'user'));
      return store.records.facet(namespace, field, { ...visible, now: context.now() });
    },
    write: async (request) => (await import('./records/write.ts')).write(context, request),
    update: async (request) => (await import('./records/update.ts')).update(context, request),
    delete: async (id) => (await import('./records/delete.ts')).deleteRecord(context, id),
    undelete: async (id) => (await import('./records/delete.ts')).undelete(context, id),
    facts: factsOf(context),
    startup: startupOf(context),
    concepts: conceptsOf(context),
    graph: graphOf(context),
    portable: portableOf(context),
    receipts: receiptsOf(context),
    golden: goldenOf(context),
    audit: async (request) => (await import('./audit/audit.ts')).audit(context, request),
    recordRun: (run) => {
      context.history.record(namespace, run);
    },
    sources: sourcesOf(context),
    corpus: async (request) => (await import('./facts/corpus.ts')).corpus(context, request),
    index: async ({ vaults = config.vaults.filter(isEnabled), ...rest } = {}) =>
      (await import('./vaults/index-vaults.ts')).indexVaults(context, vaults, rest),
    assertVaultNamesAreFree: (vaults) => assertVaultNamesAreFree(context, vaults),
    reindex: async (options) => (await import('./health/reindex.ts')).reindex(context, options),
    embedding: {
      backfill: async (options) => (await import('./embedding/backfill.ts')).backfill(context, options),
      compare: async (options) =>
        (await import('./embedding/compare.ts')).compareGenerations(context, options),
      prune: async (options) => (await import('./embedding/prune.ts')).prune(context, options),
      switch: async (options) => (await import('./embedding/switch.ts')).switchGeneration(context, options),
    },
    status: async () => (await import('./health/status.ts')).status(context),
    totals: async () => (await import('./health/status.ts')).totals(context),
    readSources: async () => {
      const states = await sourceStates(store.records, namespace);
      return new Set([...states].filter(([, { readAt }]) => readAt !== null).map(([name]) => name));
    },
    vaults: async (given) => (await import('./vaults/vault-states.ts')).vaultStates(context, given),
    forgetVault: async (source, options) =>
      (await import('./vaults/forget-source.ts')).forgetSource(context, source, options),
    doctor: async (options) => (await import('./health/doctor.ts')).doctor(context, options),
    assertReady: async () => (await import('./health/doctor.ts')).assertReady(context),
    access: accessOf(context),
    dropCaches: () => {
      context.invalidateNextExpiry();
      dropCachedSources(context);
    },
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
    async *exportLines(options = {}) {
      const { exportSteps, noExportCounts } = await pages();
      const counts = noExportCounts();
      for await (const { lines } of exportSteps(context, options, counts)) yield* lines;
      return counts;
    },
    exportPage: async (after) => (await pages()).exportPage(context, after),
    exportToFile: async (path, options = {}) => (await files()).exportToFile(context, path, options),
    exportToFolder: async (path, options = {}) => (await files()).exportToFolder(context, path, options),
    import: async (request) => (await import('./portable/import.ts')).importMemory(context, request),
  };
}

function graphOf(context: EngineContext): Graph {
  const nodes = () => import('./graph/show-nodes.ts');
  const exports = () => import('./graph/export-graph.ts');
  return {
    status: async (scope = {}) => (await import('./graph/graph-status.ts')).graphStatus(context, scope),
    show: async (request) => (await nodes()).showNodes(context, request),
    path: async (request) => (await nodes()).findPath(context, request),
    notices: async (request) => (await import('./graph/graph-notices.ts')).graphNotices(context, request),
    neighbourhood: async (request) =>
      (await import('./graph/neighbourhood.ts')).neighbourhood(context, request),
    index: async (request) => (await import('./packs/graph-index.ts')).graphIndex(context, request),
    pack: async (request) => (await import('./packs/graph-pack.ts')).graphPack(context, request),
    async *export(request) {
      yield* (await exports()).exportGraph(context, request);
    },
    exportPage: async (request = {}, after) =>
      (await exports()).exportGraphPage(context, request, after ?? null),
    diff: async (before, after) => (await import('../graph/diff.ts')).diffGraphs(before, after),
  };
}

function receiptsOf(context: EngineContext): Receipts {
  const { store, namespace, receipts } = context;
  return {
    list: async (request) => (await import('./packs/receipts.ts')).listReceipts(context, request),
    show: async (id) => (await import('./packs/receipts.ts')).showReceipt(context, id),
    verify: async (request) => (await import('./packs/verify-receipt.ts')).verifyReceipt(context, request),
    record: (make) => {
      receipts.record(namespace, make);
    },
    label: async (request) => (await import('./packs/labels.ts')).labelItem(context, request),
    labels: (after, limit) => storedLabels(store.records, namespace, null, { after, limit }),
  };
}

function goldenOf(context: EngineContext): Golden {
  const queries = () => import('./golden/golden-queries.ts');
  return {
    record: async (request) => (await queries()).recordGolden(context, request),
    list: async () => (await queries()).goldenQueries(context),
    remove: async (id) => (await queries()).removeGolden(context, id),
    replay: async (options) => (await import('./golden/replay.ts')).replayGolden(context, options),
    diff: async (before, after) => (await import('./golden/diff.ts')).diffGolden(before, after),
  };
}

function startupOf(context: EngineContext): Startup {
  const module = () => import('./startup/startup.ts');
  return {
    inject: async (request) => (await module()).injectStartup(context, request),
    list: async () => (await module()).listStartup(context),
    set: async (request) => (await module()).setStartup(context, request),
    remove: async (key, agent) => (await module()).removeStartup(context, key, agent),
  };
}

function conceptsOf(context: EngineContext): Concepts {
  const reads = () => import('./graph/concepts/concepts.ts');
  const writes = () => import('./graph/concepts/change-concepts.ts');
  return {
    derive: async (options) =>
      (await import('./graph/concepts/update-concepts.ts')).updateConcepts(context, options),
    list: async (request) => (await reads()).listConcepts(context, request),
    show: async (concept, project) => (await reads()).showConcept(context, concept, project),
    conflicts: async (project) => (await reads()).conceptConflicts(context, project),
    changes: async (project) => (await reads()).conceptChanges(context, project),
    merge: async (into, from, project) => (await writes()).mergeConcepts(context, into, from, project),
    split: async (concept, names, project) => (await writes()).splitConcept(context, concept, names, project),
    rename: async (concept, label, project) =>
      (await writes()).renameConcept(context, concept, label, project),
    undo: async (change) => (await writes()).undoConceptChange(context, change),
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
    register: (source) => {
      const { registeredSources, config, namespace } = context;
      if (namespace === config.namespace)
        return registeredSources.register(source, [
          ...config.vaults.map(vaultName),
          ...config.sources.map(({ id }) => id),
        ]);
      throw new LociError('forbidden', `only the namespace ${config.namespace} has sources`, {
        hint: 'Register the source with the engine that openLoci() returned.',
      });
    },
    test: async (id, signal) => (await sources()).test(id, signal),
    approve: async (id, fingerprint) => (await sources()).approve(id, fingerprint),
    pause: async (id, paused) => (await sources()).pause(id, paused),
    forget: async (id, signal) => (await sources()).forget(id, signal),
    keepFresh: (options) => {
      const scheduler = sources().then((loaded) => loaded.keepFresh(options));
      return { close: async () => (await scheduler).close() };
    },
    stop: () => context.stop(),
  };
}

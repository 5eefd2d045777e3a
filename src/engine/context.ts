import { dirname, join } from 'node:path';
import { ADMIN_NAMESPACE } from '../store/rules/admin-namespace.ts';
import type { Caller } from '../core/caller.ts';
import type { Config } from '../config/schema.ts';
import { userName } from '../core/runtime.ts';
import { type TaskRunner, TaskThread } from '../core/threads/task-thread.ts';
import type { Timestamp } from '../core/types.ts';
import type { Embedder } from '../embed/embedder.ts';
import { openEmbedder } from '../embed/registry.ts';
import type { Reranker } from '../embed/rerank/reranker.ts';
import { withConcepts } from '../graph/concepts/concept-graph.ts';
import type { Chunking } from '../ingest/passages.ts';
import type { VectorIndexRef } from '../search/run.ts';
import { ReceiptLog } from './packs/receipt-log.ts';
import { RetentionSweeper } from './records/retention-sweeper.ts';
import {
  activeGeneration,
  generationOf,
  mismatch,
  modelSpec,
  previousNotice,
} from './embedding/generations.ts';
import { HistoryLog } from './audit/history-log.ts';
import { HitCounter } from './sources/hits.ts';
import { RegisteredSources } from './sources/registered-sources.ts';
import { LociError } from '../core/errors.ts';
import type { Generation } from '../store/search-model.ts';
import type { Store } from '../store/store.ts';

/** Beside the store: whether the embedding provider answers, unless it is the bundled model. */
const EMBEDDING_STATE_FILE = 'embedding-state.json';
/** The same of the model that the settings had before, while its vectors are still searched. */
const PREVIOUS_STATE_FILE = 'previous-embedding-state.json';

interface ContextOptions {
  /** The current time; for tests. */
  readonly now?: () => Timestamp;
  readonly trustsSettings?: boolean;
  readonly ownsProcess?: boolean;
  /** The longest passage, in tokens of the embedding model. */
  readonly maxPassageTokens?: number;
  /** See `OpenOptions`. */
  readonly onWarning?: (message: string) => void;
  /** The generation that is active when the engine is opened; `null` if none is. */
  readonly activeGeneration?: number | null;
}

/** Something that the engine closes. */
export interface Closable {
  close(): Promise<void>;
}

/** What all callers of an open engine share. */
class EngineServices {
  readonly config: Config;
  readonly store: Store;
  readonly now: () => Timestamp;
  /** Parses and cuts long texts. */
  readonly thread: TaskThread = new TaskThread();
  readonly retention: RetentionSweeper;
  readonly history: HistoryLog;
  readonly hits: HitCounter;
  readonly receipts: ReceiptLog;
  readonly registeredSources: RegisteredSources;
  readonly trustsSettings: boolean;
  readonly ownsProcess: boolean;
  readonly maxPassageTokens: number | undefined;
  /** The active generation when the engine was opened, then the one that it has used. */
  usedGeneration: number | null;
  readonly #open = new Set<Closable>();
  #isStopped = false;
  #embedder: Promise<Embedder | null> | null = null;
  #reranker: Promise<Reranker | null> | null = null;
  readonly #previousModels = new Map<number, Promise<Embedder>>();

  constructor(config: Config, store: Store, options: ContextOptions) {
    const { onWarning = emitWarning } = options;
    const { now = Date.now, trustsSettings = false, ownsProcess = false, maxPassageTokens } = options;
    this.usedGeneration = options.activeGeneration ?? null;
    this.config = config;
    this.store = withConcepts(store);
    this.now = now;
    this.trustsSettings = trustsSettings;
    this.ownsProcess = ownsProcess;
    this.maxPassageTokens = maxPassageTokens;
    this.hits = new HitCounter(store, now);
    this.registeredSources = new RegisteredSources();
    const { purgeAfterDays } = config.retention;
    const { retentionDays } = config.receipts;
    this.retention = new RetentionSweeper(store, { purgeAfterDays, receiptDays: retentionDays }, now);
    this.receipts = new ReceiptLog({ store, retentionDays, now, warn: onWarning });
    this.history = new HistoryLog(store, this.thread.ownedBy(ADMIN_NAMESPACE), config.writes.maskPersonal);
  }

  embedder(): Promise<Embedder | null> {
    const stateFile = join(dirname(this.config.store.path), EMBEDDING_STATE_FILE);
    this.#embedder ??= openEmbedder({
      ...this.config.embedding,
      separateProcess: !this.ownsProcess,
      stateFile,
    });
    return this.#embedder;
  }

  reranker(): Promise<Reranker | null> {
    const settings = this.config.rerank;
    if (settings.provider === 'none') return Promise.resolve(null);
    this.#reranker ??= import('../embed/rerank/registry.ts').then(({ openReranker }) =>
      openReranker(settings),
    );
    return this.#reranker;
  }

  previousModel(generation: Generation): Promise<Embedder> {
    const known = this.#previousModels.get(generation.id);
    if (known !== undefined) return known;
    const stateFile = join(dirname(this.config.store.path), PREVIOUS_STATE_FILE);
    const options = { separateProcess: !this.ownsProcess, stateFile };
    const opened = import('./embedding/previous-model.ts').then(({ openPreviousModel }) =>
      openPreviousModel(generation, this.config.embedding, options),
    );
    this.#previousModels.set(generation.id, opened);
    return opened;
  }

  /** Closes it with the engine, unless the returned object closes it before. */
  closeWithEngine(resource: Closable): Closable {
    this.#open.add(resource);
    if (this.#isStopped) void resource.close();
    return {
      close: () => {
        this.#open.delete(resource);
        return resource.close();
      },
    };
  }

  /** Closes all resources; those added later are closed at once. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.allSettled([...this.#open].map((resource) => resource.close()));
  }

  async close(): Promise<void> {
    await this.stop();
    const embedder = await this.#embedder?.catch(() => null);
    await Promise.allSettled([
      this.retention.close(),
      this.history.flush(),
      this.hits.flush(),
      this.receipts.flush(),
    ]);
    const reranker = await this.#reranker?.catch(() => null);
    const previous = await Promise.allSettled(this.#previousModels.values());
    await Promise.all([
      ...previous.map((each) => (each.status === 'fulfilled' ? each.value.close() : undefined)),
      ...[this.store.close(), embedder?.close(), reranker?.close(), this.thread.close()],
    ]);
  }
}

/** The services of an open engine, on behalf of one caller. */
export class EngineContext {
  readonly #services: EngineServices;
  readonly caller: Caller;
  readonly namespace: string;
  readonly config: Config;
  readonly store: Store;
  readonly now: () => Timestamp;
  readonly thread: TaskRunner;
  /** Records runs. */
  readonly history: HistoryLog;
  /** Counts the searches that find a source. */
  readonly hits: HitCounter;
  /** Writes what was given to agents, and why. */
  readonly receipts: ReceiptLog;
  readonly registeredSources: RegisteredSources;
  /** Whether the sources in the settings may run without approval. */
  readonly trustsSettings: boolean;

  private constructor(services: EngineServices, caller: Caller) {
    this.#services = services;
    this.caller = caller;
    this.namespace = caller.namespace;
    this.config = services.config;
    this.store = services.store;
    this.now = services.now;
    this.thread = services.thread.ownedBy(caller.namespace);
    this.history = services.history;
    this.hits = services.hits;
    this.receipts = services.receipts;
    this.registeredSources = services.registeredSources;
    this.trustsSettings = services.trustsSettings;
  }

  /** The context of the owner in the configuration. */
  static create(config: Config, store: Store, options: ContextOptions = {}): EngineContext {
    return new EngineContext(new EngineServices(config, store, options), ownerCaller(config));
  }

  /** The same engine on behalf of another caller. */
  as(caller: Caller): EngineContext {
    return new EngineContext(this.#services, caller);
  }

  /** Closes it with the engine, unless the returned object closes it before. */
  closeWithEngine(resource: Closable): Closable {
    return this.#services.closeWithEngine(resource);
  }

  /** Closes all resources before the engine. */
  stop(): Promise<void> {
    return this.#services.stop();
  }

  /** Purges all expired records of the namespace, also from the indexes. */
  expire(): Promise<void> {
    return this.#services.retention.expire(this.namespace);
  }

  /** Called after a write whose record may be the next to expire. */
  invalidateNextExpiry(): void {
    this.#services.retention.invalidateNextExpiry(this.namespace);
  }

  /** Starts a purge of old deleted records in the background; called after a write. */
  schedulePurge(): void {
    this.#services.retention.schedulePurge();
  }

  /** The configured provider, opened at the first call; `null` for `none`. */
  embedder(): Promise<Embedder | null> {
    return this.#services.embedder();
  }

  /** The configured reranker, opened at the first call; `null` for `none`. @throws LociError `invalid_config` */
  reranker(): Promise<Reranker | null> {
    return this.#services.reranker();
  }

  async chunking(): Promise<Chunking> {
    const { threadedChunking } = await import('../ingest/threaded-chunking.ts');
    const { MAX_PASSAGE_TOKENS } = await import('../ingest/passages.ts');
    const { maxPassageTokens = MAX_PASSAGE_TOKENS } = this.#services;
    return threadedChunking(this.thread, await this.embedder(), maxPassageTokens);
  }

  /**
   * The model and vectors of searches; `null` with the provider `none`, or before the first record is embedded.
   * @throws LociError `embedding_mismatch` when the store's vectors are of another model
   */
  async vectors(): Promise<VectorIndexRef | null> {
    const embedder = await this.embedder();
    if (embedder === null) return null;
    const generations = await this.store.vectors.generations(ADMIN_NAMESPACE);
    const active = activeGeneration(generations);
    if (active === undefined) return null;
    const own = generationOf(generations, embedder);
    // A process that was opened before a switch goes on with its model, whose vectors are still there.
    if (own === undefined || !(own.active || own.id === this.#services.usedGeneration))
      throw mismatch(active, embedder);
    this.#services.usedGeneration = own.id;
    return { embedder, generation: own.id };
  }

  /**
   * The model and vectors of a search. While those of the configured model are being made, the previous ones answer, if their
   * model can be reached, with a notice.
   * @throws LociError `embedding_mismatch` when nothing was made with the configured model yet
   */
  async vectorsOfSearch(): Promise<VectorIndexRef | null> {
    try {
      return await this.vectors();
    } catch (error) {
      if (!(error instanceof LociError) || error.code !== 'embedding_mismatch') throw error;
      const generations = await this.store.vectors.generations(ADMIN_NAMESPACE);
      const active = activeGeneration(generations);
      const embedder = await this.embedder();
      const own = embedder === null ? undefined : generationOf(generations, embedder);
      if (active === undefined || own === undefined) throw error;
      const notice = previousNotice(active, own, this.config.embedding.provider);
      return { embedder: await this.previousModel(active), generation: active.id, notice };
    }
  }

  /** The model of vectors that were made with earlier settings. It answers no query if it cannot be reached. */
  previousModel(generation: Generation): Promise<Embedder> {
    return this.#services.previousModel(generation);
  }

  /**
   * The vector index to write to. The first model that embeds becomes the model of the store.
   * @throws LociError `embedding_mismatch`
   */
  async vectorsToFill(): Promise<VectorIndexRef | null> {
    const vectors = await this.vectors();
    const embedder = await this.embedder();
    if (vectors !== null || embedder === null) return vectors;
    const generation = await this.store.vectors.setGeneration(ADMIN_NAMESPACE, { add: modelSpec(embedder) });
    await this.store.vectors.setGeneration(ADMIN_NAMESPACE, { activate: generation.id });
    return { embedder, generation: generation.id };
  }

  close(): Promise<void> {
    return this.#services.close();
  }
}

function emitWarning(message: string): void {
  process.emitWarning(message, 'LociWarning');
}

/** A program that uses the library acts for the owner of the memory. */
function ownerCaller({ namespace }: Config): Caller {
  return { namespace, actor: userName(), surface: 'library', trust: 'operator' };
}

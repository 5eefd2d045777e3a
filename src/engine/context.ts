import type { Caller } from '../core/caller.ts';
import type { Config } from '../config/schema.ts';
import { LociError } from '../core/errors.ts';
import { userName } from '../core/runtime.ts';
import { TaskThread } from '../core/threads/task-thread.ts';
import type { Timestamp } from '../core/types.ts';
import type { Embedder } from '../embed/embedder.ts';
import { openEmbedder } from '../embed/registry.ts';
import type { Chunking } from '../ingest/passages.ts';
import type { VectorIndexRef } from '../search/run.ts';
import { RetentionSweeper } from './records/retention-sweeper.ts';
import { HistoryLog } from './audit/history-log.ts';
import { HitCounter } from './sources/hits.ts';
import type { Generation } from '../store/embeddings.ts';
import type { Store } from '../store/store.ts';

export interface ContextOptions {
  /** What time it is. */
  readonly now?: () => Timestamp;
  readonly trustsSettings?: boolean;
  /** The longest passage, in tokens of the embedding model. */
  readonly maxPassageTokens?: number;
}

/** Something that ends with the engine. */
export interface Closable {
  close(): Promise<void>;
}

/** What everybody who uses an open engine shares. */
class EngineServices {
  readonly config: Config;
  readonly store: Store;
  readonly now: () => Timestamp;
  /** Where long texts are parsed and cut. */
  readonly thread: TaskThread = new TaskThread();
  readonly ends: RetentionSweeper;
  readonly history: HistoryLog;
  readonly hits: HitCounter;
  /** Whether the settings' own sources may run without `approve`. */
  readonly trustsSettings: boolean;
  readonly maxPassageTokens: number | undefined;
  readonly #open = new Set<Closable>();
  #isStopped = false;
  #embedder: Promise<Embedder | null> | null = null;

  constructor(config: Config, store: Store, options: ContextOptions) {
    const { now = Date.now, trustsSettings = false, maxPassageTokens } = options;
    this.config = config;
    this.store = store;
    this.now = now;
    this.trustsSettings = trustsSettings;
    this.maxPassageTokens = maxPassageTokens;
    this.hits = new HitCounter(store, now);
    this.ends = new RetentionSweeper(store, config.retention.purgeAfterDays, now);
    this.history = new HistoryLog(store, this.thread);
  }

  embedder(): Promise<Embedder | null> {
    this.#embedder ??= openEmbedder({ provider: this.config.embedding.provider });
    return this.#embedder;
  }

  /** Closed with the engine, unless it is closed before. */
  untilClosed(thing: Closable): Closable {
    this.#open.add(thing);
    if (this.#isStopped) void thing.close();
    return {
      close: () => {
        this.#open.delete(thing);
        return thing.close();
      },
    };
  }

  /** Closes what is to be closed with the engine; what comes later is closed as it comes. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.allSettled([...this.#open].map((thing) => thing.close()));
  }

  async close(): Promise<void> {
    await this.stop();
    const embedder = await this.#embedder?.catch(() => null);
    await Promise.allSettled([this.ends.close(), this.history.close(), this.hits.flush()]);
    await Promise.all([this.store.close(), embedder?.close(), this.thread.close()]);
  }
}

/** The parts of an open engine that its verbs share, and for whom they work. */
export class EngineContext {
  readonly #parts: EngineServices;
  readonly caller: Caller;

  private constructor(parts: EngineServices, caller: Caller) {
    this.#parts = parts;
    this.caller = caller;
  }

  /** For the one whom the configuration names, until `as` says otherwise. */
  static open(config: Config, store: Store, options: ContextOptions = {}): EngineContext {
    return new EngineContext(new EngineServices(config, store, options), ownerOf(config));
  }

  /** The same engine on behalf of somebody else. */
  as(caller: Caller): EngineContext {
    return new EngineContext(this.#parts, caller);
  }

  get config(): Config {
    return this.#parts.config;
  }

  get store(): Store {
    return this.#parts.store;
  }

  /** What time it is. */
  get now(): () => Timestamp {
    return this.#parts.now;
  }

  get thread(): TaskThread {
    return this.#parts.thread;
  }

  /** Where runs are noted. */
  get history(): HistoryLog {
    return this.#parts.history;
  }

  /** Where it is counted which sources are found. */
  get hits(): HitCounter {
    return this.#parts.hits;
  }

  get trustsSettings(): boolean {
    return this.#parts.trustsSettings;
  }

  /** Closes it with the engine; what is answered closes it before. */
  untilClosed(thing: Closable): Closable {
    return this.#parts.untilClosed(thing);
  }

  /** Ends, before the engine does, all that was to end with it. */
  stop(): Promise<void> {
    return this.#parts.stop();
  }

  /** After this nothing of the namespace that has expired is left in any index. */
  expire(): Promise<void> {
    return this.#parts.ends.expire(this.namespace);
  }

  /** What is known of the next expiry is read anew. */
  lookAgain(): void {
    this.#parts.ends.invalidateNextExpiry(this.namespace);
  }

  /** After a write: what was deleted long ago may go now, by and by. */
  tidy(): void {
    this.#parts.ends.schedulePurge();
  }

  get namespace(): string {
    return this.caller.namespace;
  }

  /** The configured provider, started at first use; `null` for none. */
  embedder(): Promise<Embedder | null> {
    return this.#parts.embedder();
  }

  async chunking(): Promise<Chunking> {
    const { threadedChunking } = await import('../ingest/threaded-chunking.ts');
    const { MAX_PASSAGE_TOKENS } = await import('../ingest/passages.ts');
    const { maxPassageTokens = MAX_PASSAGE_TOKENS } = this.#parts;
    return threadedChunking(this.thread, await this.embedder(), maxPassageTokens);
  }

  /**
   * What searches compare meaning with; `null` with the provider `none`, or before anything was embedded.
   * @throws LociError `embedding_mismatch` when the store's vectors are of another model
   */
  async vectors(): Promise<VectorIndexRef | null> {
    const embedder = await this.embedder();
    if (embedder === null) return null;
    const active = activeOf(await this.store.generations());
    if (active === undefined) return null;
    refuseMismatch(active, embedder);
    return { embedder, generation: active.id };
  }

  /**
   * The same for writing: the first model that embeds becomes the store's.
   * @throws LociError `embedding_mismatch`
   */
  async vectorsToFill(): Promise<VectorIndexRef | null> {
    const side = await this.vectors();
    const embedder = await this.embedder();
    if (side !== null || embedder === null) return side;
    const generation = await this.store.addGeneration(specOf(embedder));
    await this.store.activateGeneration(generation.id);
    return { embedder, generation: generation.id };
  }

  close(): Promise<void> {
    return this.#parts.close();
  }
}

/** Whoever has the library in a program of their own is the owner of the memory. */
function ownerOf({ namespace }: Config): Caller {
  return { namespace, actor: userName(), surface: 'library', trust: 'operator' };
}

export function specOf({
  provider,
  model,
  dimensions,
}: Embedder): Pick<Embedder, 'provider' | 'model' | 'dimensions'> {
  return { provider, model, dimensions };
}

export function activeOf(generations: readonly Generation[]): Generation | undefined {
  return generations.find(({ active }) => active);
}

function refuseMismatch(active: Generation, embedder: Embedder): void {
  const { provider, model, dimensions } = embedder;
  if (active.provider === provider && active.model === model && active.dimensions === dimensions) return;
  throw new LociError(
    'embedding_mismatch',
    `the store's vectors are of ${active.provider} ${active.model} (${String(active.dimensions)} dimensions), ` +
      `but ${provider} ${model} (${String(dimensions)}) is configured`,
  );
}

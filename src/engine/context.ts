import type { Caller } from '../core/caller.ts';
import type { LiveSettings } from './live-settings.ts';
import type { SettingsPlaces } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { messageOf } from '../core/errors.ts';
import type { ProgressOptions } from '../core/progress.ts';
import { userName } from '../core/runtime.ts';
import { type TaskRunner, TaskThread } from '../core/threads/task-thread.ts';
import type { Timestamp } from '../core/types.ts';
import { ConceptGraph } from '../graph/concepts/concept-graph.ts';
import type { Store } from '../store/store.ts';

interface ContextOptions {
  /** The current time; for tests. */
  readonly now?: () => Timestamp;
  readonly trustsSettings?: boolean;
  readonly ownsProcess?: boolean;
  /** The longest passage, in tokens of the embedding model. */
  readonly maxPassageTokens?: number;
  /** See `OpenOptions`. */
  readonly onWarning?: (message: string) => void;
  readonly settingsPlaces?: SettingsPlaces;
  readonly liveSettings?: LiveSettings;
  /** The generation that is active when the engine is opened; `null` if none is. */
  readonly activeGeneration?: number | null;
  /** See `EngineContext.updateRelations`. */
  readonly updateRelations?: (context: EngineContext, options: RelationOptions) => Promise<Unrelated>;
}

export interface RelationOptions extends ProgressOptions {
  /** Does nothing if more records than this wait. Without it, there is no limit. */
  readonly maxRecords?: number;
  /** How long to wait while another process does it, or until the lease of one that was killed has ended, in milliseconds. */
  readonly waitMs?: number;
}

/** The records that are not related to the others yet, or not as they are now. */
export interface Unrelated {
  readonly records: number;
  /** The share of the work that is done, from 0 to 1. */
  readonly share: number;
  /** The process that relates them now, in words; `null` if none does. */
  readonly process: string | null;
}

export const NOTHING_UNRELATED: Unrelated = { records: 0, share: 1, process: null };

/** Something that the engine closes. */
export interface Closable {
  close(): Promise<void>;
}

/**
 * What all callers of an open engine share. It knows nothing of the folders of the engine: they add their objects with `shared`, and
 * say what is to be closed.
 */
export class EngineServices {
  readonly #config: Config;
  readonly store: Store;
  readonly graph: ConceptGraph;
  readonly now: () => Timestamp;
  /** When the engine was opened. */
  readonly openedAt: Timestamp;
  /** Parses and cuts long texts. */
  readonly thread: TaskThread = new TaskThread();
  readonly options: ContextOptions;
  readonly #shared = new Map<unknown, object>();
  readonly #running = new Set<Closable>();
  readonly #pending: (() => Promise<void>)[] = [];
  readonly #resources: Closable[] = [];
  #isStopped = false;
  #warnedSettings: string | null = null;
  readonly #failures = new Set<string>();

  constructor(config: Config, store: Store, options: ContextOptions) {
    this.#config = config;
    this.store = store;
    this.graph = new ConceptGraph(store);
    this.now = options.now ?? Date.now;
    this.openedAt = this.now();
    this.options = options;
  }

  /** The settings in force. */
  get config(): Config {
    return this.options.liveSettings?.values ?? this.#config;
  }

  /** Uses what the file of the settings says now. Says once what of it cannot be used. */
  async updateSettings(): Promise<void> {
    await this.options.liveSettings?.update();
    const problem = this.options.liveSettings?.problem ?? null;
    if (problem !== null && problem !== this.#warnedSettings) this.warn(problem);
    this.#warnedSettings = problem;
  }

  /** The object of this class that the engine has, made at the first call. */
  shared<Shared extends object>(Class: new (services: EngineServices) => Shared): Shared {
    const made = this.#shared.get(Class) ?? new Class(this);
    this.#shared.set(Class, made);
    return made as Shared;
  }

  /** Receives messages about errors that fail no call. */
  warn(message: string): void {
    const { onWarning = emitWarning } = this.options;
    onWarning(message);
  }

  /** Says once why work in the background, or beside an answer, failed. */
  warnOfFailure(work: string, error: unknown): void {
    const message = `${work}: ${messageOf(error)}`;
    if (!this.#failures.has(message)) this.warn(message);
    this.#failures.add(message);
  }

  /** Closes work that runs when the engine is stopped, unless the returned object closes it before. */
  closeWithEngine(work: Closable): Closable {
    this.#running.add(work);
    if (this.#isStopped) void work.close();
    return {
      close: () => {
        this.#running.delete(work);
        return work.close();
      },
    };
  }

  /** Calls this after the work that runs was closed, to write what is pending. */
  flushOnClose(flush: () => Promise<void>): void {
    this.#pending.push(flush);
  }

  /** Closes this together with the store, when nothing is pending. */
  closeWithStore(resource: Closable): void {
    this.#resources.push(resource);
  }

  /** Closes all work that runs; work that is added later is closed at once. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.allSettled([...this.#running].map((work) => work.close()));
  }

  async close(): Promise<void> {
    await this.stop();
    await Promise.allSettled(this.#pending.map((flush) => flush()));
    await Promise.all([this.store, ...this.#resources, this.thread].map((resource) => resource.close()));
  }
}

/** The services of an open engine, on behalf of one caller. */
export class EngineContext {
  readonly #services: EngineServices;
  readonly caller: Caller;
  readonly namespace: string;
  /** The settings when this context was made. `current` has those of the file as it is now. */
  readonly config: Config;
  readonly store: Store;
  /** The graph of the store with the nodes and edges of concepts. */
  readonly graph: ConceptGraph;
  readonly now: () => Timestamp;
  readonly thread: TaskRunner;
  /** Whether the sources in the settings may run without approval. */
  readonly trustsSettings: boolean;
  readonly settingsPlaces: SettingsPlaces;

  private constructor(services: EngineServices, caller: Caller) {
    this.#services = services;
    this.caller = caller;
    this.namespace = caller.namespace;
    this.config = services.config;
    this.store = services.store;
    this.graph = services.graph;
    this.now = services.now;
    this.thread = services.thread.ownedBy(caller.namespace);
    this.trustsSettings = services.options.trustsSettings ?? false;
    this.settingsPlaces = services.options.settingsPlaces ?? {};
  }

  /** The context of the owner in the configuration. */
  static create(config: Config, store: Store, options: ContextOptions = {}): EngineContext {
    return new EngineContext(new EngineServices(config, store, options), ownerCaller(config));
  }

  /** The same engine on behalf of another caller. */
  as(caller: Caller): EngineContext {
    return new EngineContext(this.#services, caller);
  }

  /** The same caller, with the settings as they are in the file now. */
  async current(): Promise<EngineContext> {
    await this.#services.updateSettings();
    return this.as(this.caller);
  }

  /** Why what the file of the settings says now is not in force; `null` if it is. */
  get settingsProblem(): string | null {
    return this.#services.options.liveSettings?.problem ?? null;
  }

  /** The object of this class that all callers of the engine share, made at the first call. */
  shared<Shared extends object>(Class: new (services: EngineServices) => Shared): Shared {
    return this.#services.shared(Class);
  }

  /** Says once why work in the background, or beside an answer, failed. */
  warnOfFailure(work: string, error: unknown): void {
    this.#services.warnOfFailure(work, error);
  }

  /** Closes work that runs when the engine is stopped, unless the returned object closes it before. */
  closeWithEngine(work: Closable): Closable {
    return this.#services.closeWithEngine(work);
  }

  /**
   * Updates what is derived from several records together, after records of the namespace have changed. Returns what is left.
   * @throws LociError `aborted`, and the errors of the store
   */
  async updateRelations(options: RelationOptions = {}): Promise<Unrelated> {
    return (await this.#services.options.updateRelations?.(this, options)) ?? NOTHING_UNRELATED;
  }

  /** Closes all work that runs before the engine. */
  stop(): Promise<void> {
    return this.#services.stop();
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

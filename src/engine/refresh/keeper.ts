import { LociError, messageOf } from '../../core/errors.ts';
import type { VaultConfig } from '../../config/sources-schema.ts';
import type { SyncReport } from '../../ingest/sync.ts';
import type { SourceState } from '../../store/source-states.ts';
import type { EngineContext } from '../context.ts';
import { embedNew } from '../vaults/embed-new.ts';
import { refreshVault } from '../vaults/refresh-vault.ts';
import { isEnabled, ownVaults, vaultName } from '../vaults/vault-names.ts';
import { configuredSources, type ConfiguredSource } from '../sources/configured.ts';
import { refreshSource, type Refreshed, type RefreshOptions } from './refresh.ts';
import { isDue } from './schedule.ts';

/** What whoever keeps sources fresh does, as it happens. */
export type KeeperEvent =
  | { readonly kind: 'begun'; readonly source: string }
  | { readonly kind: 'refreshed'; readonly source: string; readonly report: Refreshed | SyncReport }
  | { readonly kind: 'failed'; readonly source: string; readonly error: LociError }
  /** Its command must be approved first. Told once for each state of it. */
  | { readonly kind: 'waiting'; readonly source: string; readonly error: LociError }
  /** It was begun, and is another process's by now. */
  | { readonly kind: 'left'; readonly source: string }
  | { readonly kind: 'embedded'; readonly contents: number };

export interface KeepOptions {
  readonly onEvent?: (event: KeeperEvent) => void;
  /** Vaults that were never read too; else they wait for `index`. */
  readonly newVaults?: boolean;
}

/** Milliseconds. At least so often it is looked what is due: others approve and pause, and clocks jump. */
const LOOK = 5000;
const SOONEST = 100;
/** Commands that are begun at once. */
const MOST_RUNNING = 4;
/**
 * Milliseconds after which a command that still runs gives its place to the next: it waits for something more than it
 * works, and a bound on all that run would let so many that hang keep the others waiting. Each source runs once at a time.
 */
const LONG = 1000;
/** A vault is looked through again after so many times as long as that took. */
const VAULT_REST = 50;

interface Task {
  readonly source: string;
  readonly interval: number;
  /** Vaults are read one at a time. */
  readonly isVault: boolean;
  readonly run: (options: RefreshOptions) => Promise<Refreshed | SyncReport>;
}

interface Running {
  readonly isVault: boolean;
  readonly ended: Promise<void>;
  /** Whether others wait for its place. */
  holdsPlace: boolean;
}

/** Keeps vaults and sources fresh while the store is open: each when it is due, whoever of several processes comes first. */
export class SourceKeeper {
  readonly #context: EngineContext;
  readonly #options: KeepOptions;
  readonly #running = new Map<string, Running>();
  /** Source → when it is tried again here, by `performance.now`, after an attempt that came to nothing. */
  readonly #rests = new Map<string, number>();
  /** Those that the store knew of once. */
  readonly #known = new Set<string>();
  /** Whether something that is due found no place. */
  #isCrowded = false;
  /** Source → what was said when it was last refused. */
  readonly #refused = new Map<string, string>();
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> = Promise.resolve();
  #looksAgain = false;
  #embedding: Promise<void> | null = null;
  #embedsAgain = false;

  constructor(context: EngineContext, options: KeepOptions) {
    this.#context = context;
    this.#options = options;
  }

  start(): void {
    this.#looking = this.#look();
  }

  /** Ends what is running, with the processes it started. */
  async close(): Promise<void> {
    this.#stop.abort(new LociError('aborted', 'Loci is closing'));
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#looking;
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
    await this.#embedding;
  }

  async #look(): Promise<void> {
    this.#looksAgain = false;
    // What fails now (a store that is busy, a folder that is gone) is looked at again.
    const next = await this.#startDue().catch(() => LOOK);
    this.#lookIn(next);
  }

  #lookIn(milliseconds: number): void {
    if (this.#stop.signal.aborted) return;
    const wait = this.#looksAgain ? SOONEST : milliseconds;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#looking = this.#look();
    }, wait).unref();
  }

  /** What was refreshed is due again at a time of its own, and has made room for what waits. */
  #lookSoon(): void {
    // A look that is at work may have passed it already.
    this.#looksAgain = true;
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#lookIn(SOONEST);
  }

  /** Begins what is due; answers in how many milliseconds to look again. */
  async #startDue(): Promise<number> {
    const { store, namespace, now } = this.#context;
    const states = await store.sourceStates(namespace);
    let soonest = LOOK;
    this.#isCrowded = false;
    const failures = ({ source }: Task): number => states.get(source)?.failures ?? 0;
    // What failed last time comes last.
    const tasks = (await this.#tasks(states)).toSorted((a, b) => failures(a) - failures(b));
    for (const task of tasks) {
      const state = states.get(task.source);
      if (state !== undefined) this.#known.add(task.source);
      // It was taken out, by somebody whose settings are newer than those that were read here.
      else if (this.#known.has(task.source)) continue;
      if (state?.paused === true || this.#running.has(task.source)) continue;
      const time = now();
      const rest = (this.#rests.get(task.source) ?? 0) - performance.now();
      if (rest > 0) {
        soonest = Math.min(soonest, rest);
        continue;
      }
      if (state !== undefined && !isDue(state, task.interval, time)) {
        soonest = Math.min(soonest, (state.nextAt ?? time) - time);
        continue;
      }
      if (this.#hasRoomFor(task)) this.#begin(task);
      else this.#isCrowded = true;
    }
    return Math.max(SOONEST, soonest);
  }

  async #tasks(states: ReadonlyMap<string, SourceState>): Promise<Task[]> {
    const { sources } = await configuredSources(this.#context);
    const commands = sources
      .filter(({ settings }) => settings.enabled)
      .map((source) => this.#commandTask(source));
    const vaults = ownVaults(this.#context)
      .filter(isEnabled)
      .map((vault) => this.#vaultTask(vault, states.get(vaultName(vault))))
      .filter(
        ({ source }) => this.#options.newVaults === true || (states.get(source)?.readAt ?? null) !== null,
      );
    return [...commands, ...vaults];
  }

  #commandTask(source: ConfiguredSource): Task {
    return {
      source: source.id,
      interval: source.settings.refreshInterval,
      isVault: false,
      run: (options) => refreshSource(this.#context, source, options),
    };
  }

  #vaultTask(vault: VaultConfig, state: SourceState | undefined): Task {
    const interval = Math.max(vault.refreshInterval ?? 0, (state?.tookMs ?? 0) * VAULT_REST);
    return {
      source: vaultName(vault),
      interval,
      isVault: true,
      run: (options) => refreshVault(this.#context, vault, { ...options, interval }),
    };
  }

  #hasRoomFor({ isVault }: Task): boolean {
    const held = [...this.#running.values()].filter((each) => each.isVault === isVault && each.holdsPlace);
    return held.length < (isVault ? 1 : MOST_RUNNING);
  }

  #begin(task: Task): void {
    const ended = this.#run(task).then((isRefreshed) => {
      clearTimeout(timer);
      this.#running.delete(task.source);
      if (!isRefreshed) this.#rests.set(task.source, performance.now() + LOOK);
      if (isRefreshed || this.#isCrowded) this.#lookSoon();
    });
    const running: Running = { isVault: task.isVault, ended, holdsPlace: true };
    const timer = setTimeout(() => {
      running.holdsPlace = task.isVault;
      if (this.#isCrowded) this.#lookSoon();
    }, LONG).unref();
    this.#running.set(task.source, running);
  }

  /** Answers whether it was refreshed here. */
  async #run({ source, run }: Task): Promise<boolean> {
    let isOurs = false;
    const onHeld = (): void => {
      isOurs = true;
      this.#tell({ kind: 'begun', source });
    };
    try {
      const report = await run({ onlyIfDue: true, onHeld, signal: this.#stop.signal });
      this.#refused.delete(source);
      this.#known.add(source);
      this.#tell({ kind: 'refreshed', source, report });
      if (report.added + report.updated > 0) this.#embed();
      return true;
    } catch (error) {
      this.#tellFailure(source, error, isOurs);
      return false;
    }
  }

  #tellFailure(source: string, error: unknown, isOurs = true): void {
    const told =
      error instanceof LociError ? error : new LociError('internal', messageOf(error), { cause: error });
    if (told.code === 'conflict' || told.code === 'aborted') {
      if (!isOurs) return;
      this.#known.add(source);
      this.#tell({ kind: 'left', source });
      return;
    }
    const mayNotRun = told.code === 'not_approved' || told.code === 'invalid_config';
    if (!mayNotRun) {
      this.#tell({ kind: 'failed', source, error: told });
      return;
    }
    if (this.#refused.get(source) === told.message) return;
    this.#refused.set(source, told.message);
    this.#tell({ kind: 'waiting', source, error: told });
  }

  /** One at a time, and once more for what came meanwhile. */
  #embed(): void {
    this.#embedsAgain = true;
    this.#embedding ??= this.#embedAll().finally(() => {
      this.#embedding = null;
    });
  }

  async #embedAll(): Promise<void> {
    while (this.#embedsAgain) {
      this.#embedsAgain = false;
      try {
        const contents = await embedNew(this.#context, { signal: this.#stop.signal });
        if (contents > 0) this.#tell({ kind: 'embedded', contents });
      } catch (error) {
        // They are found by text; the next round, or `loci index`, tries again.
        this.#tellFailure('embedding', error);
      }
    }
  }

  #tell(event: KeeperEvent): void {
    this.#options.onEvent?.(event);
  }
}

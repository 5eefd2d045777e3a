import type { VaultConfig } from '../../config/sources-schema.ts';
import { LociError, messageOf } from '../../core/errors.ts';
import { Refusals } from '../../ingest/embed.ts';
import type { SyncReport } from '../../ingest/sync.ts';
import { formatCount } from '../../core/text/format-count.ts';
import type { SourceState } from '../../store/admin-model.ts';
import { sourceStates } from '../../store/items/kinds.ts';
import type { EngineContext } from '../context.ts';
import { configuredSources, type ConfiguredSource } from './configured/configured-sources.ts';
import { hasNewModel, UnembeddedWrites } from '../embedding/models.ts';
import { embedNew } from './embed-new.ts';
import { refreshVault } from './refresh/refresh-vault.ts';
import { isEnabled, vaultName, vaultsOfNamespace } from './configured/vault-names.ts';
import { refreshSource, type RefreshOptions } from './refresh/refresh.ts';
import { isDue } from './configured/schedule.ts';
import type { Refreshed } from './source-schemas.ts';

export type RefreshEvent =
  | { readonly kind: 'begun'; readonly source: string }
  | { readonly kind: 'refreshed'; readonly source: string; readonly report: Refreshed | SyncReport }
  | { readonly kind: 'failed'; readonly source: string; readonly error: LociError }
  /** The command cannot run before it is approved or corrected. Emitted once for each message. */
  | { readonly kind: 'waiting'; readonly source: string; readonly error: LociError }
  /** The refresh was stopped because another process took the lease. */
  | { readonly kind: 'left'; readonly source: string }
  | { readonly kind: 'embedded'; readonly contents: number }
  /** The settings of loci.yaml have changed, and are in force. The engine warns of those that are not. */
  | { readonly kind: 'settings' };

export interface RefreshSchedulerOptions {
  readonly onEvent?: (event: RefreshEvent) => void;
  /** Also reads vaults that were never read. Otherwise those that the settings had from the beginning wait for `index`. */
  readonly newVaults?: boolean;
  /** See `DERIVATION_REST_MS`; for tests. */
  readonly derivationRestMs?: number;
}

/** The scheduler polls at least this often, because other processes approve and pause sources, and clocks are adjusted. */
const MAX_POLL_INTERVAL_MS = 5000;
const MIN_POLL_INTERVAL_MS = 100;
/** The shortest interval between two reads of a vault is this multiple of the duration of the last read. */
const VAULT_REST_FACTOR = 50;

/** The shortest time between two runs that embed what other processes wrote, or after a failure. */
const DERIVATION_REST_MS = 30_000;

interface Task {
  readonly source: string;
  readonly interval: number;
  /** Only one vault is read at a time. */
  readonly isVault: boolean;
  readonly run: (options: RefreshOptions) => Promise<Refreshed | SyncReport>;
}

interface RunningTask {
  readonly isVault: boolean;
  readonly ended: Promise<void>;
}

/** Refreshes vaults and sources when they are due, until it is closed. Several processes may run a scheduler at once. */
export class RefreshScheduler {
  /** Has the settings of the last poll. */
  #context: EngineContext;
  readonly #options: RefreshSchedulerOptions;
  readonly #running = new Map<string, RunningTask>();
  /** Source → the time of `performance.now` at which this process tries it again after a failure. */
  readonly #retryAt = new Map<string, number>();
  /** The vaults that the settings had when the scheduler began. */
  readonly #firstVaults: ReadonlySet<string>;
  /** Sources that had a state in the store. */
  readonly #seen = new Set<string>();
  /** Source → the message of the last `waiting` event. */
  readonly #waitingMessages = new Map<string, string>();
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #polling: Promise<void> = Promise.resolve();
  #pollsAgain = false;
  #deriving: Promise<void> | null = null;
  /** The last change of a record, and the `UnembeddedWrites`, of the last time; `null` before the first time and after a failure. */
  #derivedFrom: string | null = null;
  /** The time of `performance.now` before which nothing is derived again. */
  #deriveAt = 0;
  #lastDerivationError = '';
  /** `index` alone sends these texts again. */
  readonly #refusals = new Refusals();

  constructor(context: EngineContext, options: RefreshSchedulerOptions) {
    this.#context = context;
    this.#options = options;
    this.#firstVaults = new Set(vaultsOfNamespace(context).map(vaultName));
  }

  start(): void {
    this.#polling = this.#poll();
  }

  /** Stops running refreshes, with the processes that they started. */
  async close(): Promise<void> {
    this.#stop.abort(new LociError('aborted', 'Loci is closing'));
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#polling;
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
    await this.#deriving;
  }

  async #poll(): Promise<void> {
    this.#pollsAgain = false;
    // Failures such as a busy store or a missing folder are retried at the next poll.
    const delay = await this.#startDue().catch((error: unknown) => {
      this.#context.warnOfFailure('Due refreshes were not started', error);
      return MAX_POLL_INTERVAL_MS;
    });
    this.#pollIn(delay);
  }

  #pollIn(milliseconds: number): void {
    if (this.#stop.signal.aborted) return;
    const delay = this.#pollsAgain ? MIN_POLL_INTERVAL_MS : milliseconds;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#polling = this.#poll();
    }, delay).unref();
  }

  /** A finished refresh has a new due time. */
  #pollSoon(): void {
    // A poll that is running may have passed this source already.
    this.#pollsAgain = true;
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#pollIn(MIN_POLL_INTERVAL_MS);
  }

  /** Starts the due refreshes. Returns the milliseconds until the next poll. */
  async #startDue(): Promise<number> {
    const { config } = this.#context;
    this.#context = await this.#context.current();
    if (config !== this.#context.config) this.#emit({ kind: 'settings' });
    const { store, namespace, now } = this.#context;
    await this.#startDeriving();
    // A refresh that ends from here on is not in the states.
    const runningBefore = new Set(this.#running.keys());
    const states = await sourceStates(store.records, namespace);
    let delay = MAX_POLL_INTERVAL_MS;
    for (const task of await this.#tasks(states)) {
      const state = states.get(task.source);
      if (state !== undefined) this.#seen.add(task.source);
      // The source was removed by a process whose settings are newer than ours.
      else if (this.#seen.has(task.source)) continue;
      if (state?.paused === true || runningBefore.has(task.source) || this.#running.has(task.source))
        continue;
      const time = now();
      const untilRetry = (this.#retryAt.get(task.source) ?? 0) - performance.now();
      if (untilRetry > 0) {
        delay = Math.min(delay, untilRetry);
        continue;
      }
      if (state !== undefined && !isDue(state, task.interval, time)) {
        delay = Math.min(delay, (state.nextAt ?? time) - time);
        continue;
      }
      // Commands mostly wait, so that all that are due run at once.
      const isHeldUp = task.isVault && [...this.#running.values()].some(({ isVault }) => isVault);
      if (!isHeldUp) this.#begin(task);
    }
    return Math.max(MIN_POLL_INTERVAL_MS, delay);
  }

  async #tasks(states: ReadonlyMap<string, SourceState>): Promise<Task[]> {
    const { sources } = await configuredSources(this.#context);
    const commands = sources
      .filter(({ settings }) => settings.enabled)
      .map((source) => this.#commandTask(source));
    const vaults = vaultsOfNamespace(this.#context)
      .filter(isEnabled)
      .map((vault) => this.#vaultTask(vault, states.get(vaultName(vault))))
      .filter(
        ({ source }) =>
          this.#options.newVaults === true ||
          !this.#firstVaults.has(source) ||
          (states.get(source)?.readAt ?? null) !== null,
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
    const interval = Math.max(vault.refreshInterval ?? 0, (state?.tookMs ?? 0) * VAULT_REST_FACTOR);
    return {
      source: vaultName(vault),
      interval,
      isVault: true,
      run: (options) => refreshVault(this.#context, vault, { ...options, interval }),
    };
  }

  #begin(task: Task): void {
    const ended = this.#run(task).then((isRefreshed) => {
      this.#running.delete(task.source);
      if (!isRefreshed) this.#retryAt.set(task.source, performance.now() + MAX_POLL_INTERVAL_MS);
      // Another vault may have waited for this one.
      if (isRefreshed || task.isVault) this.#pollSoon();
    });
    this.#running.set(task.source, { isVault: task.isVault, ended });
  }

  /** Returns whether this process refreshed it. */
  async #run({ source, run }: Task): Promise<boolean> {
    let isBegun = false;
    const onAcquired = (): void => {
      isBegun = true;
      this.#emit({ kind: 'begun', source });
    };
    try {
      const report = await run({ onlyIfDue: true, onAcquired, signal: this.#stop.signal });
      this.#waitingMessages.delete(source);
      this.#seen.add(source);
      this.#emit({ kind: 'refreshed', source, report });
      // New documents are embedded at the next poll, without the usual rest.
      if (report.added + report.updated > 0) this.#deriveAt = 0;
      return true;
    } catch (error) {
      this.#emitFailure(source, error, isBegun);
      return false;
    }
  }

  #emitFailure(source: string, failure: unknown, isBegun = true): void {
    const error =
      failure instanceof LociError
        ? failure
        : new LociError('internal', messageOf(failure), { cause: failure });
    if (error.code === 'conflict' || error.code === 'aborted') {
      if (!isBegun) return;
      this.#seen.add(source);
      this.#emit({ kind: 'left', source });
      return;
    }
    if (error.code !== 'not_approved' && error.code !== 'invalid_config') {
      this.#emit({ kind: 'failed', source, error });
      return;
    }
    if (this.#waitingMessages.get(source) === error.message) return;
    this.#waitingMessages.set(source, error.message);
    this.#emit({ kind: 'waiting', source, error });
  }

  /**
   * Embeds what has no vector yet, and updates the edges of documents, if a record of the namespace has changed since the last time,
   * or a write in any namespace was not embedded. Covers what an interrupted run or an unavailable model left, and what other
   * processes wrote.
   */
  async #startDeriving(): Promise<void> {
    if (this.#deriving !== null || performance.now() < this.#deriveAt) return;
    const { lastChange } = await this.#context.store.records.bounds(this.#context.namespace);
    const { count } = this.#context.shared(UnembeddedWrites);
    const from = `${String(lastChange)} ${String(count)}`;
    if (from === this.#derivedFrom) return;
    this.#deriveAt = performance.now() + (this.#options.derivationRestMs ?? DERIVATION_REST_MS);
    this.#deriving = this.#derive(from).finally(() => {
      this.#deriving = null;
    });
  }

  async #derive(from: string): Promise<void> {
    const signal = this.#stop.signal;
    try {
      const refusedBefore = this.#refusals.count;
      const { embedded } = await embedNew(this.#context, { signal, refusals: this.#refusals });
      if (embedded > 0) this.#emit({ kind: 'embedded', contents: embedded });
      this.#reportRefusals(refusedBefore);
      const { records } = await this.#context.updateRelations({ signal });
      // Another process that relates them may be killed, and a run may end before all are compared.
      // So may a new model not have answered.
      this.#derivedFrom = records === 0 && !(await hasNewModel(this.#context)) ? from : null;
      this.#lastDerivationError = '';
    } catch (error) {
      // Text search finds the documents meanwhile.
      this.#derivedFrom = null;
      const message = messageOf(error);
      if (message !== this.#lastDerivationError) this.#emitFailure('embedding', error);
      this.#lastDerivationError = message;
    }
  }

  #reportRefusals(before: number): void {
    const [first, ...others] = this.#refusals.texts.slice(before);
    if (first === undefined) return;
    const message = `the provider refuses ${formatCount(1 + others.length, 'text')}: ${first.why}`;
    this.#emitFailure('embedding', new LociError('embedding_unavailable', message));
  }

  #emit(event: RefreshEvent): void {
    this.#options.onEvent?.(event);
  }
}

import type { Timestamp } from '../../../core/types.ts';
import type { SourceState } from '../../../store/admin-model.ts';
import type { Fence } from '../../../store/model.ts';
import type { EngineContext } from '../../context.ts';
import { nextRead, nextTry } from '../configured/schedule.ts';
import { sourceStateChange } from '../../../store/items/kinds.ts';

export interface AttemptStart {
  /** Of the settings. */
  readonly section: 'vaults' | 'sources';
  readonly lease: Fence;
  /** The state of the source before the attempt. */
  readonly before: SourceState | undefined;
  /** Milliseconds until the source is due again. */
  readonly interval: number;
}

/** One attempt to refresh a vault or a source, and how it changes the state of the source. */
export class RefreshAttempt {
  readonly #context: EngineContext;
  readonly #source: string;
  readonly #start: AttemptStart;
  readonly #startedAt: Timestamp;

  constructor(context: EngineContext, source: string, start: AttemptStart) {
    this.#context = context;
    this.#source = source;
    this.#start = start;
    this.#startedAt = context.now();
  }

  get tookMs(): number {
    return Math.max(0, this.#context.now() - this.#startedAt);
  }

  /** The change of state for documents that are stored. The store keeps the first of the problems. */
  success(problems: readonly string[]): Partial<SourceState> {
    const refreshes = (this.#start.before?.refreshes ?? 0) + 1;
    return { ...this.answered(problems), readAt: this.#context.now(), refreshes };
  }

  /** The change of state for an answer, whether its documents are stored or not. */
  answered(problems: readonly string[]): Partial<SourceState> {
    const nextAt = nextRead(this.#context.now(), this.#start.interval);
    const settings = this.#context.settingsPlaces[this.#start.section] ?? null;
    return { ...this.#tried(false), settings, nextAt, consecutiveFailures: 0, error: null, problems };
  }

  recordFailure(error: string): Promise<void> {
    const { before, interval } = this.#start;
    const failures = (before?.consecutiveFailures ?? 0) + 1;
    const nextAt = nextTry(this.#context.now(), interval, failures);
    return this.record({
      ...this.#tried(true),
      nextAt,
      consecutiveFailures: failures,
      totalFailures: (before?.totalFailures ?? 0) + 1,
      error,
    });
  }

  async record(change: Partial<SourceState>): Promise<void> {
    const { store, namespace } = this.#context;
    await store.records.commit(namespace, {
      items: [sourceStateChange(this.#source, change)],
      fence: this.#start.lease,
    });
  }

  #tried(failed: boolean): Partial<SourceState> {
    const run = { at: this.#startedAt, tookMs: this.tookMs, failed };
    const recentRuns = [...(this.#start.before?.recentRuns ?? []), run];
    return { triedAt: run.at, tookMs: run.tookMs, recentRuns };
  }
}

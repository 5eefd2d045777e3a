import type { Timestamp } from '../../core/types.ts';
import type { SourceState } from '../../store/source-states.ts';
import type { EngineContext } from '../context.ts';
import type { LeaseHandle } from './lease.ts';
import { nextRead, nextTry } from './schedule.ts';

/** What an attempt begins with. */
export interface AttemptStart {
  readonly held: LeaseHandle;
  /** How it stood with the source. */
  readonly before: SourceState | undefined;
  /** Milliseconds until it is due again. */
  readonly interval: number;
}

/** One attempt to read a vault or a source, and what its state is told of it, under the lease of whoever makes it. */
export class RefreshAttempt {
  readonly #context: EngineContext;
  readonly #source: string;
  readonly #turn: AttemptStart;
  readonly #began: Timestamp;

  constructor(context: EngineContext, source: string, turn: AttemptStart) {
    this.#context = context;
    this.#source = source;
    this.#turn = turn;
    this.#began = context.now();
  }

  /** Milliseconds until now. */
  get tookMs(): number {
    return Math.max(0, this.#context.now() - this.#began);
  }

  /** What a success says; the store keeps the first of the problems. */
  success(problems: readonly string[]): Partial<SourceState> {
    const refreshes = (this.#turn.before?.refreshes ?? 0) + 1;
    return { ...this.answered(problems), readAt: this.#context.now(), refreshes };
  }

  /** What is said of an answer, whether it is taken for the state of the source or not. */
  answered(problems: readonly string[]): Partial<SourceState> {
    const nextAt = nextRead(this.#context.now(), this.#turn.interval);
    return { ...this.#tried(), nextAt, failures: 0, error: null, problems };
  }

  noteFailure(error: string): Promise<void> {
    const { before, interval } = this.#turn;
    const failures = (before?.failures ?? 0) + 1;
    const nextAt = nextTry(this.#context.now(), interval, failures);
    return this.note({ ...this.#tried(), nextAt, failures, failed: (before?.failed ?? 0) + 1, error });
  }

  note(change: Partial<SourceState>): Promise<void> {
    const { store, namespace } = this.#context;
    return store.changeSourceState(namespace, this.#source, change, this.#turn.held);
  }

  #tried(): Partial<SourceState> {
    return { triedAt: this.#began, tookMs: this.tookMs };
  }
}

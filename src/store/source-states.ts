import type { Timestamp } from '../core/types.ts';
import type { Fence } from './leases.ts';
import { wellFormed } from './well-formed.ts';
import { assertSafeIntegers } from './whole-numbers.ts';

/** How it stands with a source: a vault, a command, or a folder that was imported. */
export interface SourceState {
  /** The folder it was read from; `null` for what is no folder, or where an earlier Loci did not note it. */
  readonly root: string | null;
  /** When it was last read through with success. */
  readonly readAt: Timestamp | null;
  /** When it was last tried. */
  readonly triedAt: Timestamp | null;
  /** How long that took, milliseconds. */
  readonly tookMs: number | null;
  /** When it is due again. */
  readonly nextAt: Timestamp | null;
  /** How often it was read with success. */
  readonly refreshes: number;
  /** How often it failed since. */
  readonly failures: number;
  /** How often it failed in all. */
  readonly failed: number;
  /** Why the last attempt failed; `null` once it works. */
  readonly error: string | null;
  /** What was wrong with single documents at the last success; at most 20, each of at most 300 characters. */
  readonly problems: readonly string[];
  /** How often in a row it answered nothing. */
  readonly empties: number;
  /** Whether the operator stopped it. */
  readonly paused: boolean;
  /** Fingerprint of the command that was approved and what is noted of it, with when and by whom. */
  readonly approval: string | null;
  readonly approvedAt: Timestamp | null;
  readonly approvedBy: string | null;
  /** Searches that something of it was among the results of, and when it last was. */
  readonly hits: number;
  readonly hitAt: Timestamp | null;
}

/** States are of this store: an export does not hold them. */
export interface SourceStates {
  /** By source. */
  sourceStates(namespace: string): Promise<Map<string, SourceState>>;
  /**
   * Changes what is given; makes the state where there is none. Problems that are too many or too long are cut.
   * @throws LociError `invalid_input` for a time or a number that is not whole; `conflict` when another process took
   *   the lease over
   */
  changeSourceState(
    namespace: string,
    source: string,
    change: Partial<SourceState>,
    fence?: Fence,
  ): Promise<void>;
  /** Does nothing where there is none. */
  dropSourceState(namespace: string, source: string): Promise<void>;
  /**
   * Adds to the hits of sources; those that have no state are passed over. Written durably: several searches go
   * together.
   */
  addHits(namespace: string, hits: ReadonlyMap<string, number>, at: Timestamp): Promise<void>;
}

/** Of a source. */
export const MOST_PROBLEMS = 20;
const PROBLEM_LENGTH = 300;

const UNTRIED: SourceState = {
  root: null,
  readAt: null,
  triedAt: null,
  tookMs: null,
  nextAt: null,
  refreshes: 0,
  failures: 0,
  failed: 0,
  error: null,
  problems: [],
  empties: 0,
  paused: false,
  approval: null,
  approvedAt: null,
  approvedBy: null,
  hits: 0,
  hitAt: null,
};

/**
 * The state after a change; `undefined` where there was none before.
 * @throws LociError `invalid_input` for a time or a number that is not whole
 */
export function changedState(before: SourceState | undefined, change: Partial<SourceState>): SourceState {
  const { readAt, triedAt, nextAt, approvedAt, hitAt, ...state } = { ...(before ?? UNTRIED), ...change };
  const { tookMs, refreshes, failures, failed, empties, hits } = state;
  const times = { readAt, triedAt, nextAt, approvedAt, hitAt };
  assertSafeIntegers({ ...times, tookMs, refreshes, failures, failed, empties, hits });
  const problems = state.problems.slice(0, MOST_PROBLEMS).map((each) => each.slice(0, PROBLEM_LENGTH));
  return wellFormed({ ...state, ...times, problems });
}

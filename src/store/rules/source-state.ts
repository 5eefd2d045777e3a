import type { SourceState } from '../admin-model.ts';
import { assertSafeIntegers } from './validation.ts';
import { wellFormed } from './well-formed.ts';

export const MAX_PROBLEMS = 20;
const MAX_PROBLEM_LENGTH = 300;

const INITIAL_STATE: SourceState = {
  root: null,
  readAt: null,
  triedAt: null,
  tookMs: null,
  nextAt: null,
  refreshes: 0,
  consecutiveFailures: 0,
  totalFailures: 0,
  error: null,
  problems: [],
  consecutiveEmpty: 0,
  paused: false,
  approval: null,
  approvedAt: null,
  approvedBy: null,
  hits: 0,
  hitAt: null,
};

/**
 * The state after a change; `before` is `undefined` for a new state.
 * @throws LociError `invalid_input` for a time or a number that is not whole
 */
export function changedState(before: SourceState | undefined, change: Partial<SourceState>): SourceState {
  const { readAt, triedAt, nextAt, approvedAt, hitAt, ...state } = {
    ...(before ?? INITIAL_STATE),
    ...change,
  };
  const { tookMs, refreshes, consecutiveFailures, totalFailures, consecutiveEmpty, hits } = state;
  const times = { readAt, triedAt, nextAt, approvedAt, hitAt };
  assertSafeIntegers({
    ...times,
    tookMs,
    refreshes,
    consecutiveFailures,
    totalFailures,
    consecutiveEmpty,
    hits,
  });
  const problems = state.problems.slice(0, MAX_PROBLEMS).map((each) => each.slice(0, MAX_PROBLEM_LENGTH));
  return wellFormed({ ...state, ...times, problems });
}

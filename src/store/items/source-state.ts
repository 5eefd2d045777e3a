import type { Timestamp } from '../../core/types.ts';
import type { SourceState } from '../admin-model.ts';
import type { ItemChange } from '../item-model.ts';
import { assertSafeIntegers } from '../rules/validation.ts';
import type { StoreRecords } from '../store.ts';
import { bodyOf, EVERY } from './kinds.ts';

export const MAX_PROBLEMS = 20;
const MAX_PROBLEM_LENGTH = 300;
const MAX_RECENT_RUNS = 30;

const INITIAL_STATE = {
  root: null,
  readAt: null,
  settings: null,
  triedAt: null,
  tookMs: null,
  nextAt: null,
  refreshes: 0,
  consecutiveFailures: 0,
  totalFailures: 0,
  recentRuns: [],
  error: null,
  problems: [],
  consecutiveEmpty: 0,
  paused: false,
  approval: null,
  approvedAt: null,
  approvedBy: null,
  hits: 0,
  hitAt: null,
} satisfies SourceState;

/** The states of all sources, by name. */
export async function sourceStates(
  items: Pick<StoreRecords, 'items'>,
  namespace: string,
): Promise<Map<string, SourceState>> {
  const found = await items.items(namespace, { kind: 'source_state', by: 'key' }, EVERY);
  // Earlier versions wrote states without some of the fields.
  return new Map(
    found.map((item) => [item.key, { ...INITIAL_STATE, ...(bodyOf(item) as Partial<SourceState>) }]),
  );
}

/**
 * Changes the state of a source, or creates it; `null` removes it. Lists of problems and runs, and long problems are truncated.
 * @throws LociError `invalid_input` for a time or a number that is not whole
 */
export function sourceStateChange(source: string, change: Partial<SourceState> | null): ItemChange {
  const id = { kind: 'source_state', key: source } as const;
  if (change === null) return { remove: id };
  const { problems, recentRuns, ...rest } = change;
  assertSafeIntegers(
    Object.fromEntries(
      Object.entries(rest).filter((each): each is [string, number] => typeof each[1] === 'number'),
    ),
  );
  const kept = problems?.slice(0, MAX_PROBLEMS).map((each) => each.slice(0, MAX_PROBLEM_LENGTH));
  return {
    change: id,
    set: {
      ...rest,
      ...(kept !== undefined && { problems: kept }),
      ...(recentRuns !== undefined && {
        recentRuns: recentRuns.slice(-MAX_RECENT_RUNS).map((run) => ({ ...run })),
      }),
    },
    initial: INITIAL_STATE,
  };
}

/** Adds search hits to the states of sources. A source without a state is skipped. */
export function hitChanges(bySource: ReadonlyMap<string, number>, at: Timestamp): ItemChange[] {
  return [...bySource].map(([source, hits]) => ({
    change: { kind: 'source_state', key: source },
    set: { hitAt: at },
    add: { hits },
  }));
}

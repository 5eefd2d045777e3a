import { storedJson } from '../../sql/stored-json.ts';
import type { SourceState } from '../../admin-model.ts';
import type { CommitBatch } from '../../model.ts';
import { changedState } from '../../rules/source-state.ts';
import { wellFormed } from '../../rules/well-formed.ts';
import type { Database } from '../database/database.ts';
import type { Row } from '../../sql/rows.ts';

/** The column of each field. */
const COLUMNS: Readonly<Record<keyof SourceState, string>> = {
  root: 'root',
  readAt: 'read_at',
  triedAt: 'tried_at',
  tookMs: 'took_ms',
  nextAt: 'next_at',
  refreshes: 'refreshes',
  consecutiveFailures: 'failures',
  totalFailures: 'failed',
  error: 'error',
  problems: 'problems',
  consecutiveEmpty: 'empties',
  paused: 'paused',
  approval: 'approval',
  approvedAt: 'approved_at',
  approvedBy: 'approved_by',
  hits: 'hits',
  hitAt: 'hit_at',
};
const FIELDS = Object.keys(COLUMNS) as (keyof SourceState)[];
const NAMES = Object.values(COLUMNS).join(', ');
const VALUES = FIELDS.map(() => '?').join(', ');

export function sourceStates(db: Database, ns: number): Map<string, SourceState> {
  const rows = db.prepare(`SELECT source, ${NAMES} FROM source_state WHERE ns = ? ORDER BY source`).all(ns);
  return new Map(rows.map((row) => [row['source'] as string, stateOf(row)]));
}

/** Within a transaction. */
export function changeSourceState(
  db: Database,
  ns: number,
  { source, change }: NonNullable<CommitBatch['sourceState']>,
): void {
  const name = wellFormed(source);
  if (change === null) {
    db.prepare('DELETE FROM source_state WHERE ns = ? AND source = ?').run(ns, name);
    return;
  }
  const row = db.prepare(`SELECT ${NAMES} FROM source_state WHERE ns = ? AND source = ?`).get(ns, name);
  const state = changedState(row === undefined ? undefined : stateOf(row), change);
  const write = db.prepare(
    `INSERT OR REPLACE INTO source_state (ns, source, ${NAMES}) VALUES (?, ?, ${VALUES})`,
  );
  write.run(ns, name, ...FIELDS.map((field) => columnOf(state[field])));
}

/** Within a transaction. */
export function addHits(db: Database, ns: number, { bySource, at }: NonNullable<CommitBatch['hits']>): void {
  const states = sourceStates(db, ns);
  for (const [source, count] of bySource) {
    const state = states.get(wellFormed(source));
    if (state === undefined) continue;
    changeSourceState(db, ns, { source, change: { hits: state.hits + count, hitAt: at } });
  }
}

function columnOf(value: SourceState[keyof SourceState]): string | number | null {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

function stateOf(row: Row): SourceState {
  const fields = FIELDS.map((field) => [field, row[COLUMNS[field]]]);
  const state = Object.fromEntries(fields) as SourceState & { paused: unknown; problems: unknown };
  return {
    ...state,
    paused: row['paused'] === 1,
    problems: storedJson(
      row['problems'],
      () => `the list of problems of source ${String(row['source'])}`,
    ) as string[],
  };
}

import type { Timestamp } from '../../core/types.ts';
import type { Fence } from '../leases.ts';
import { changedState, type SourceState } from '../source-states.ts';
import { wellFormed } from '../well-formed.ts';
import type { Database } from './database.ts';
import { holdFence } from './leases.ts';
import { ensureNamespace } from './namespaces.ts';
import type { Row } from './rows.ts';

/** Each field's column; flags and lists apart, they are as they stand. */
const COLUMNS: Readonly<Record<keyof SourceState, string>> = {
  root: 'root',
  readAt: 'read_at',
  triedAt: 'tried_at',
  tookMs: 'took_ms',
  nextAt: 'next_at',
  refreshes: 'refreshes',
  failures: 'failures',
  failed: 'failed',
  error: 'error',
  problems: 'problems',
  empties: 'empties',
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

export function changeSourceState(
  db: Database,
  namespace: string,
  source: string,
  change: Partial<SourceState>,
  fence?: Fence,
): void {
  db.transaction(() => {
    if (fence !== undefined) holdFence(db, fence);
    writeSourceState(db, ensureNamespace(db, namespace), source, change);
  });
}

/** Within a transaction. */
export function writeSourceState(
  db: Database,
  ns: number,
  source: string,
  change: Partial<SourceState>,
): void {
  const name = wellFormed(source);
  const held = db.prepare(`SELECT ${NAMES} FROM source_state WHERE ns = ? AND source = ?`).get(ns, name);
  const state = changedState(held === undefined ? undefined : stateOf(held), change);
  const write = db.prepare(
    `INSERT OR REPLACE INTO source_state (ns, source, ${NAMES}) VALUES (?, ?, ${VALUES})`,
  );
  write.run(ns, name, ...FIELDS.map((field) => columnOf(state[field])));
}

export function dropSourceState(db: Database, ns: number, source: string): void {
  db.prepare('DELETE FROM source_state WHERE ns = ? AND source = ?').run(ns, wellFormed(source));
}

export function addHits(db: Database, ns: number, hits: ReadonlyMap<string, number>, at: Timestamp): void {
  db.transaction(() => {
    const known = sourceStates(db, ns);
    for (const [source, count] of hits) {
      const state = known.get(wellFormed(source));
      if (state === undefined) continue;
      writeSourceState(db, ns, source, { hits: state.hits + count, hitAt: at });
    }
  });
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
    problems: JSON.parse(row['problems'] as string) as string[],
  };
}

import type { Timestamp } from '../../../core/types.ts';
import type { StartupEntry } from '../../../store/admin-model.ts';
import type { ForeignDatabase, ForeignRow } from '../../../store/store.ts';
import { isRefusal, type ImportJob, type Located } from '../items/item-type.ts';
import { CONTENT, contentOf, textColumn, timeColumn, timeOf } from './columns.ts';
import type { ForeignTable } from './tables.ts';

/** Of one table. ShadowDB puts all of them before one message, so that there are few. */
const MAX_ENTRIES = 1000;
const MAX_PRIORITY = 9;

/** The tables of startup entries, the newer one first. */
export const STARTUP_TABLES: readonly string[] = ['primer', 'startup'];

/** Entries that are to be imported. A row that cannot be one is named in the report. */
export async function readStartup(
  { report }: Pick<ImportJob, 'report'>,
  database: ForeignDatabase,
  tables: readonly ForeignTable[],
  agent: string,
  fallback: Timestamp,
): Promise<Located<StartupEntry>[]> {
  const entries = new Map<string, Located<StartupEntry>>();
  for (const table of tables) {
    if (!table.columns.has('key') || !table.columns.has('content')) {
      report.addProblem(table.label, 'it has no columns key and content that this user may read');
      continue;
    }
    const rows = await startupRows(database, table);
    if (rows.length > MAX_ENTRIES)
      report.addProblem(table.label, `the entries after the first ${String(MAX_ENTRIES)} by their keys`);
    const kept = rows.slice(0, MAX_ENTRIES);
    const priorities = prioritiesOf(kept);
    if (priorities.changes !== null) report.addProblem(table.label, priorities.changes);
    for (const [i, row] of kept.entries()) {
      // The key may be a secret, so that the report must not have it.
      const location = `${table.label}, row ${String(i + 1)} by its key`;
      try {
        const updatedAt = timeOf(row['updated_at']) ?? fallback;
        const entry: StartupEntry = {
          agent,
          key: row['key'] ?? '',
          content: contentOf(row),
          priority: priorities.of(row),
          reinforce: isTrue(row['always'] ?? row['reinforce']),
          createdAt: updatedAt,
          updatedAt,
          deletedAt: (row['enabled'] ?? null) === null || isTrue(row['enabled']) ? null : updatedAt,
        };
        if (entries.has(entry.key))
          report.addProblem(location, 'another entry with the same key comes first');
        else entries.set(entry.key, { location, value: entry });
      } catch (error) {
        if (!isRefusal(error)) throw error;
        report.addRefused(report.startup, location, error);
      }
    }
  }
  return [...entries.values()];
}

function startupRows(database: ForeignDatabase, table: ForeignTable): Promise<ForeignRow[]> {
  const texts = ['key', 'priority', 'always', 'reinforce', 'enabled'].map((column) =>
    textColumn(table, column),
  );
  return database.query(
    `SELECT ${CONTENT}, ${[...texts, timeColumn(table, 'updated_at')].join(', ')} FROM ${table.name} AS t
     ORDER BY t.key LIMIT ${String(MAX_ENTRIES + 1)}`,
  );
}

function isTrue(text: string | null | undefined): boolean {
  return /^(t|true|1)$/.test(text ?? '');
}

/** Priorities as they are if all are from 0 to 9; else numbers from 0 to 9 in the same order. Rows without one are last. */
function prioritiesOf(rows: readonly ForeignRow[]): {
  changes: string | null;
  of: (row: ForeignRow) => number;
} {
  const given = ({ priority = null }: ForeignRow): number => {
    const number = Number(priority ?? Number.NaN);
    return Number.isNaN(number) ? Number.POSITIVE_INFINITY : number;
  };
  const numbers = [...new Set(rows.map(given))].sort((a, b) => a - b);
  const isKept = numbers.every(
    (number) =>
      number === Number.POSITIVE_INFINITY ||
      (Number.isInteger(number) && number >= 0 && number <= MAX_PRIORITY),
  );
  if (isKept) return { changes: null, of: (row) => Math.min(given(row), MAX_PRIORITY) };
  const size = Math.max(numbers.length, MAX_PRIORITY + 1);
  const places = new Map(numbers.map((number, i) => [number, Math.floor((i * (MAX_PRIORITY + 1)) / size)]));
  const finite = [...places].filter(([number]) => number !== Number.POSITIVE_INFINITY).slice(0, 20);
  const list = finite.map(([number, place]) => `${String(number)} is ${String(place)}`).join(', ');
  return {
    changes: `its priorities, which are from 0 to ${String(MAX_PRIORITY)} here, in the same order: ${list}`,
    of: (row) => places.get(given(row)) ?? MAX_PRIORITY,
  };
}

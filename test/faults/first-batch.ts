import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import type { RunningLoci } from '../e2e/loci-command.ts';

/** The number of records in the store of a home, including deleted ones; 0 if there is no store yet. */
export function countRecords(home: string): number {
  const file = join(home, 'loci.db');
  if (!existsSync(file)) return 0;
  try {
    using database = new DatabaseSync(file, { readOnly: true });
    return Number(database.prepare('SELECT count(*) AS count FROM record').get()?.['count']);
  } catch {
    // The file or its tables are not complete yet.
    return 0;
  }
}

/** Waits until the store has a part of the records and the process is still running. */
export async function waitForFirstBatch(home: string, { child }: RunningLoci): Promise<void> {
  await expect
    .poll(() => countRecords(home) > 0 || child.exitCode !== null, { interval: 5, timeout: 100_000 })
    .toBe(true);
  expect(child.exitCode).toBeNull();
}

/** Ends the leases of a killed process at once. `source-processes.test.ts` waits until they end by themselves. */
export function expireLeases(home: string): void {
  using database = new DatabaseSync(join(home, 'loci.db'), { timeout: 5000 });
  database.exec('UPDATE lease SET until = 0');
}

/** Whether a process has any lease of the store. */
export function hasLease(home: string, pid: number): boolean {
  using database = new DatabaseSync(join(home, 'loci.db'), { readOnly: true, timeout: 5000 });
  const held = database.prepare("SELECT 1 FROM lease WHERE until > 0 AND holder LIKE ? || '@%'");
  return held.get(String(pid)) !== undefined;
}

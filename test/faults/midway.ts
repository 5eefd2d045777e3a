import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import type { RunningLoci } from '../e2e/loci-command.ts';

/** Records in the store of a home, deleted ones too; 0 where there is none yet. */
export function countRecords(home: string): number {
  const file = join(home, 'loci.db');
  if (!existsSync(file)) return 0;
  try {
    using database = new DatabaseSync(file, { readOnly: true });
    return Number(database.prepare('SELECT count(*) AS count FROM record').get()?.['count']);
  } catch {
    // Not made yet, or its tables are not.
    return 0;
  }
}

/** Waits until the first batch is in the store and more is to come. */
export async function midway(home: string, { child }: RunningLoci): Promise<void> {
  await expect
    .poll(() => countRecords(home) > 0 || child.exitCode !== null, { interval: 5, timeout: 30_000 })
    .toBe(true);
  expect(child.exitCode).toBeNull();
}

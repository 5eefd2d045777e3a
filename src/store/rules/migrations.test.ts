import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { loadMigrations, pendingMigrations } from './migrations.ts';

it('reads the SQL of pending migrations only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'loci-migrations-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  for (const name of ['001-first.sql', '002-second.sql']) writeFileSync(join(folder, name), `-- ${name}`);
  const migrations = loadMigrations(pathToFileURL(`${folder}/`));
  rmSync(join(folder, '001-first.sql'));
  expect(pendingMigrations(migrations, 1, 'store').map(({ sql }) => sql)).toEqual(['-- 002-second.sql']);
});

import { readdirSync, readFileSync } from 'node:fs';
import { LociError } from '../../core/errors.ts';

/** One forward step of a store's schema. `NNN-name.sql` in the driver's `migrations/`; never edited once released. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

const FILE_NAME = /^(\d{3})-(.+)\.sql$/;

/** The migrations of a folder, by version. */
export function loadMigrations(folder: URL): Migration[] {
  const migrations = readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const match = FILE_NAME.exec(file);
      if (match === null) return [];
      return [
        {
          version: Number(match[1]),
          name: match[2] ?? file,
          // Most stores that are opened are current, and need no file.
          get sql(): string {
            return readFileSync(new URL(file, folder), 'utf8');
          },
        },
      ];
    });
  for (const [index, { version, name }] of migrations.entries()) {
    if (version === migrations[index - 1]?.version)
      throw new LociError('internal', `migration ${name} has the number of another, ${String(version)}`);
  }
  return migrations;
}

/** What is left to apply to a store of this version. @throws LociError `store_newer` */
export function pendingMigrations(all: readonly Migration[], version: number, path: string): Migration[] {
  const newest = all.at(-1)?.version ?? 0;
  if (version > newest) {
    throw new LociError(
      'store_newer',
      `${path} has schema ${String(version)}; this Loci knows up to ${String(newest)}`,
    );
  }
  return all.filter((migration) => migration.version > version);
}

import type { Migration } from '../rules/migrations.ts';

const INDEX = /^CREATE (?:UNIQUE )?INDEX (\w+) ON [^;]+/gm;
const TABLE = /^CREATE TABLE (\w+) \(([^;]+)/gm;
const KEY = /PRIMARY KEY \(([^)]+)\)|^\s*(\w+) .*PRIMARY KEY/m;

/** The indexes that the migrations make, by name, with the statement that makes one again which a restore has left out. */
export function expectedIndexes(migrations: readonly Migration[]): Map<string, string> {
  const statements = new Map<string, string>();
  for (const { sql } of migrations) {
    for (const [statement, name] of sql.matchAll(INDEX)) statements.set(name!, statement);
    for (const [, table, columns] of sql.matchAll(TABLE)) {
      const [, several, one] = KEY.exec(columns!) ?? [];
      const key = several ?? one;
      if (key !== undefined)
        statements.set(`${table!}_pkey`, `ALTER TABLE ${table!} ADD PRIMARY KEY (${key})`);
    }
  }
  return statements;
}

/**
 * Upgrades a store to schema 37: `node migration-child.ts STORE STEP`. It is killed before the statement with this number, of all that
 * it runs.
 */
import { subscribe } from 'node:diagnostics_channel';
import { loadMigrations } from '../../src/store/rules/migrations.ts';
import { Database } from '../../src/store/sqlite/database/database.ts';
import { migrate } from '../../src/store/sqlite/admin/migrate.ts';

const [, , path = '', step = ''] = process.argv;
const migrations = loadMigrations(new URL('../../src/store/sqlite/migrations/', import.meta.url));
const db = new Database(path, { busyTimeoutMs: 0 });
const exec = db.exec.bind(db);
// One statement at a time, so that a migration is interrupted between any two of its statements.
db.exec = (sql) => {
  for (const statement of sql.split(/(?<=;)\n/)) exec(statement);
};
let statements = 0;
subscribe('loci.store.statement', () => {
  if (++statements === Number(step)) process.kill(process.pid, 'SIGKILL');
});
await migrate(
  db,
  migrations.filter(({ version }) => version <= 37),
);
db.close();

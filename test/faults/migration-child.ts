/**
 * Brings a store to its next schema: `node migration-child.ts STORE STEP SQL`. It is killed before the statement with the number STEP, of
 * all that it runs.
 */
import { subscribe } from 'node:diagnostics_channel';
import { loadMigrations } from '../../src/store/rules/migrations.ts';
import { Database } from '../../src/store/sqlite/database/database.ts';
import { migrate, MIGRATIONS } from '../../src/store/sqlite/database/storage.ts';

const [, , path = '', step = '', sql = ''] = process.argv;
const migrations = loadMigrations(MIGRATIONS);
const db = new Database(path, { busyTimeoutMs: 0 });
const exec = db.exec.bind(db);
// One statement at a time, so that a migration is interrupted between any two of its statements.
db.exec = (script) => {
  for (const statement of script.split(/(?<=;)\n/)) exec(statement);
};
let statements = 0;
subscribe('loci.store.statement', () => {
  if (++statements === Number(step)) process.kill(process.pid, 'SIGKILL');
});
await migrate(db, [...migrations, { version: migrations.at(-1)!.version + 1, name: 'next', sql }]);
db.close();

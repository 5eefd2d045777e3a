/**
 * The process that the tests kill: `node write-until-killed.ts URL PREFIX`. It writes one record after the other, and prints the key of
 * each before it is written and once more after the store has confirmed it.
 */
import { openStore } from '../../src/store/registry.ts';
import { commit } from './written-keys.ts';

const [, , connectionString = '', prefix = ''] = process.argv;
const store = await openStore({ path: 'loci.db', connectionString }, { create: true });
for (let n = 0; ; n++) {
  const key = `${prefix} ${String(n)}`;
  process.stdout.write(`${key}\n`);
  await commit(store, key);
  process.stdout.write(`${key}\n`);
}

/**
 * A process with an adapter on LanceDB: `node writer.ts HOME POOL=FOLDER…`. It registers the pools and says `registered`; then each line
 * of its input is a path that it indexes, after which it says `indexed`.
 */
import { createInterface } from 'node:readline';
import { createAdapter } from '../../src/adapters/create-adapter.ts';
import { LANCEDB } from './installation.ts';

const [, , home = '', ...pools] = process.argv;
const adapter = await createAdapter(
  {
    memory: { adapter: 'lancedb' },
    embedding: { provider: 'none' },
    adapters: { lancedb: { package: LANCEDB } },
  },
  { home },
);
await adapter.registerPools(
  pools.map((pool) => {
    const [id = '', path = ''] = pool.split('=');
    return { id, path, tier: 'hot' as const };
  }),
);
process.stdout.write('registered\n');
for await (const path of createInterface({ input: process.stdin })) {
  await adapter.indexPaths([path]);
  process.stdout.write('indexed\n');
}
await adapter.close();

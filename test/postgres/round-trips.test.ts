import { expect, it } from 'vitest';
import { openEngine } from '../../src/engine/open.ts';
import { indexVaults } from '../../src/engine/reading/index-vaults.ts';
import type { LoadedOperation, OperationContext } from '../../src/operations/operation.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { runOperation } from '../../src/operations/run.ts';
import { copyExampleVault, settings, temporaryFolder } from '../contract/engines.ts';
import { letterVectors, OLLAMA, startProvider } from '../embedding/provider-server.ts';
import { testDatabase } from './database.ts';
import { Proxy } from './proxy.ts';
import { type Traffic, TrafficCounter } from './round-trips.ts';

/**
 * At most, for a whole operation on the example vault, with vectors. Measured were 6, 10, 4, 3 and 1 round trips: what runs at the same
 * time may count as one after the other. The parts of a pack do so throughout, so that only its statements are limited.
 */
const LIMITS: Readonly<Record<string, Traffic>> = {
  search: { roundTrips: 8, statements: 50 },
  'search, misspelt': { roundTrips: 12, statements: 82 },
  write: { roundTrips: 5, statements: 14 },
  delete: { roundTrips: 4, statements: 14 },
  'pack with the graph': { roundTrips: Infinity, statements: 90 },
  'startup-inject': { roundTrips: 2, statements: 4 },
};

it('operations wait for the server as rarely as this', async () => {
  await using database = await testDatabase();
  await using proxy = await Proxy.start(database.url);
  const counter = new TrafficCounter(proxy);
  await using provider = await startProvider({ format: OLLAMA, embed: letterVectors(64) });
  await using folder = await temporaryFolder();
  await copyExampleVault(`${folder.path}/vault`);
  const loci = await openEngine(
    settings(folder.path, {
      store: { connectionString: proxy.url, path: `${folder.path}/loci.db` },
      vaults: [{ name: 'vault', path: `${folder.path}/vault` }],
      embedding: { provider: 'ollama', model: 'letters', url: provider.origin, dimensions: 64 },
    }),
  );
  try {
    await indexVaults(loci);
    const context = { loci: () => Promise.resolve(loci) } as unknown as OperationContext;
    const run = async (name: string, input: object): Promise<unknown> => {
      const operation = (await OPERATIONS.find((each) => each.name === name)!.load()) as LoadedOperation;
      return runOperation(operation, context, operation.input.parse(input));
    };
    const written: number[] = [];
    const operations: Readonly<Record<string, () => Promise<unknown>>> = {
      search: () => run('search', { query: 'induction oven' }),
      'search, misspelt': () => run('search', { query: 'inductoin ovne' }),
      write: async () => {
        const content = `The kettle ${String(written.length)} is in the cellar.`;
        written.push(((await run('write', { content })) as { id: number }).id);
      },
      delete: () => run('delete', { id: written.pop()! }),
      'pack with the graph': () => run('pack', { query: 'which oven did we decide on', use_graph: true }),
      'startup-inject': () => run('startup-inject', {}),
    };
    for (const [name, operation] of Object.entries(operations)) {
      // The first run fills caches and opens connections.
      await operation();
      if (name === 'write') await operation();
      const { roundTrips, statements } = await counter.measure(operation);
      const limit = LIMITS[name]!;
      expect.soft(roundTrips, `round trips of ${name}`).toBeLessThanOrEqual(limit.roundTrips);
      expect.soft(statements, `statements of ${name}`).toBeLessThanOrEqual(limit.statements);
    }
  } finally {
    await loci.close();
  }
});

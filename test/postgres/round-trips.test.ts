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

/** How often an operation is measured until it is within its limit. */
const ATTEMPTS = 5;

function isWithin(measured: Traffic, limit: Traffic): boolean {
  return measured.roundTrips <= limit.roundTrips && measured.statements <= limit.statements;
}

/** At most, for a whole operation on the example vault, with vectors. */
const LIMITS: Readonly<Record<string, Traffic>> = {
  search: { roundTrips: 4, statements: 23 },
  'search, misspelt': { roundTrips: 5, statements: 32 },
  write: { roundTrips: 4, statements: 14 },
  delete: { roundTrips: 3, statements: 14 },
  'pack with the graph': { roundTrips: 24, statements: 66 },
  'startup-inject': { roundTrips: 1, statements: 1 },
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
      // There is one to delete for each attempt.
      if (name === 'write') for (let i = 0; i < ATTEMPTS; i++) await operation();
      const limit = LIMITS[name]!;
      const measured: Traffic[] = [];
      // With a distance, all that is sent at once is sent before the first answer, unless the machine is busy or works in the background.
      proxy.delay = 25;
      while (measured.length < ATTEMPTS && !measured.some((each) => isWithin(each, limit)))
        measured.push(await counter.measure(operation));
      proxy.delay = 0;
      expect.soft(measured, name).toContainEqual(expect.toSatisfy((each: Traffic) => isWithin(each, limit)));
    }
  } finally {
    await loci.close();
  }
});

import { expect, it } from 'vitest';
import type { EngineContext } from '../../src/engine/context.ts';
import { openEngine } from '../../src/engine/open.ts';
import { totals } from '../../src/engine/health/status.ts';
import { embedNew } from '../../src/engine/reading/embed-new.ts';
import { indexVaults } from '../../src/engine/reading/index-vaults.ts';
import type { LoadedOperation, OperationContext } from '../../src/operations/operation.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { runOperation } from '../../src/operations/run.ts';
import { copyExampleVault, settings, temporaryFolder } from '../contract/engines.ts';
import { note } from '../contract/store-samples.ts';
import { letterVectors, OLLAMA, startProvider } from '../embedding/provider-server.ts';
import { testDatabase } from './database.ts';
import { Proxy } from './proxy.ts';
import { type Traffic, TrafficCounter } from './round-trips.ts';

/**
 * At most, for a whole operation on the example vault, with vectors. Measured were 6, 10, 8, 11 and 1 round trips: what runs at the same
 * time may count as one after the other. The parts of a pack do so throughout, so that only its statements are limited.
 */
const LIMITS: Readonly<Record<string, Traffic>> = {
  search: { roundTrips: 8, statements: 50 },
  'search, misspelt': { roundTrips: 12, statements: 82 },
  write: { roundTrips: 9, statements: 32 },
  delete: { roundTrips: 13, statements: 38 },
  'pack with the graph': { roundTrips: Infinity, statements: 90 },
  'startup-inject': { roundTrips: 2, statements: 4 },
  // Records that are not related to the others yet take three more statements, for the leases of those who do it.
  status: { roundTrips: 4, statements: 16 },
  namespaces: { roundTrips: 2, statements: 5 },
  metrics: { roundTrips: 2, statements: 2 },
  'index, when nothing waits': { roundTrips: 4, statements: 4 },
  'write and index, in one of many namespaces': { roundTrips: 24, statements: 60 },
};

/** A loop over them would exceed every limit. */
const NAMESPACES = 60;

/** An engine behind a proxy that counts. */
interface Counted {
  readonly loci: EngineContext;
  /** Runs an operation. */
  readonly run: (name: string, input: object) => Promise<unknown>;
  /** Compares what work sends the second time with its limit: the first run fills caches and opens connections. */
  readonly expectFew: (name: string, work: () => Promise<unknown>) => Promise<void>;
}

async function withEngine(work: (counted: Counted) => Promise<void>): Promise<void> {
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
  const context = { loci: () => Promise.resolve(loci), home: folder.path } as unknown as OperationContext;
  try {
    await work({
      loci,
      run: async (name, input) => {
        const operation = (await OPERATIONS.find((each) => each.name === name)!.load()) as LoadedOperation;
        return runOperation(operation, context, operation.input.parse(input));
      },
      expectFew: async (name, measured) => {
        await measured();
        if (name === 'write') await measured();
        const { roundTrips, statements } = await counter.measure(measured);
        const limit = LIMITS[name]!;
        expect.soft(roundTrips, `round trips of ${name}`).toBeLessThanOrEqual(limit.roundTrips);
        expect.soft(statements, `statements of ${name}`).toBeLessThanOrEqual(limit.statements);
      },
    });
  } finally {
    await loci.close();
  }
}

it('operations wait for the server as rarely as this', async () => {
  await withEngine(async ({ loci, run, expectFew }) => {
    await indexVaults(loci);
    const written: number[] = [];
    await expectFew('search', () => run('search', { query: 'induction oven' }));
    await expectFew('search, misspelt', () => run('search', { query: 'inductoin ovne' }));
    await expectFew('write', async () => {
      const content = `The kettle ${String(written.length)} is in the cellar.`;
      written.push(((await run('write', { content })) as { id: number }).id);
    });
    await expectFew('delete', () => run('delete', { id: written.pop()! }));
    await expectFew('pack with the graph', () =>
      run('pack', { query: 'which oven did we decide on', use_graph: true }),
    );
    await expectFew('startup-inject', () => run('startup-inject', {}));
    await expectFew('status', () => run('status', {}));
  });
});

it('what concerns all namespaces takes no round trip for each of them', async () => {
  await withEngine(async ({ loci, run, expectFew }) => {
    for (let i = 0; i < NAMESPACES; i++)
      await loci.store.records.commit(`tenant ${String(i)}`, {
        writes: [note('the kettle'), note('the oven')],
      });
    await embedNew(loci);
    await expectFew('status', () => run('status', {}));
    await expectFew('namespaces', () => run('namespaces', {}));
    await expectFew('metrics', () => totals(loci));
    await expectFew('index, when nothing waits', () => embedNew(loci));
    let written = 0;
    await expectFew('write and index, in one of many namespaces', async () => {
      const writes = [note(`the toaster ${String(written++)}`)];
      await loci.store.records.commit('tenant 7', { writes });
      expect(await embedNew(loci)).toMatchObject({ embedded: 1 });
    });
    expect(await totals(loci)).toMatchObject({
      records: 2 * NAMESPACES + 2,
      vectors: 2 * NAMESPACES + 2,
      pending: 0,
    });
  });
});

import { describe, expect, it } from 'vitest';
import { adapterContract } from './contract/suite.ts';
import type { LociAdapter } from '../../src/adapters/contract.ts';
import { createAdapter } from '../../src/adapters/create-adapter.ts';
import { PoolAdapter } from '../../src/adapters/pool-adapter.ts';
import { temporaryFolder } from '../contract/engines.ts';
import { ScanningBackend } from './scanning-backend.ts';

/** The contract as seed A has it, in the words of a program that was written for it. The type check compares it with ours. */
interface SeedAdapter {
  readonly id: string;
  readonly capabilities: { semantic: boolean; keyword: boolean; graph?: boolean };
  init?(opts: { dataDir: string; vaultRoot?: string }): Promise<void>;
  registerPools(pools: SeedPool[]): Promise<void>;
  indexPaths(paths: string[]): Promise<void>;
  recall(query: SeedQuery): Promise<SeedResult[]>;
  status?(): Promise<{ ok: boolean; message?: string; details?: Record<string, unknown> }>;
}

interface SeedPool {
  id: string;
  tier: 'hot' | 'warm' | 'cold';
  path: string;
  roles?: string[];
  agents?: string[];
}

interface SeedQuery {
  agentId: string;
  query: string;
  limit?: number;
  poolIds?: string[];
  tiers?: Array<'hot' | 'warm' | 'cold'>;
  filters?: Record<string, string | string[]>;
}

interface SeedResult {
  id: string;
  uri: string;
  score?: number;
  snippet?: string;
  content?: string;
  metadata?: Record<string, unknown>;
}

it('adapters of Loci are those that programs written for seed A expect', async () => {
  await using home = await temporaryFolder();
  const ours: LociAdapter = await createAdapter({}, { home: home.path });
  const adapter: SeedAdapter = ours;
  const results: SeedResult[] = await adapter.recall({ agentId: 'main', query: 'oven', tiers: ['hot'] });
  expect(results).toEqual([]);
  await ours.close();
});

// An adapter that was written for seed A has no `close`, `mode` and `resolveReference`.
adapterContract({ describe, it }, { name: 'written for seed A', create: seedAdapter });

function seedAdapter(dataDir: string): SeedAdapter {
  const adapter = new PoolAdapter(new ScanningBackend(), {
    dataDir,
    pools: [],
    roles: {},
    deadlineMs: 0,
    onWarning: () => undefined,
  });
  return {
    id: 'seed',
    capabilities: adapter.capabilities,
    init: (options) => adapter.init(options),
    registerPools: (pools) => adapter.registerPools(pools),
    indexPaths: (paths) => adapter.indexPaths(paths),
    recall: (query) => adapter.recall(query),
    status: () => adapter.status(),
  };
}

import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { type ContractOptions, Host } from './contract/host.ts';
import type { MemoryPoolDefinition, MemoryQuery } from '../../src/adapters/contract.ts';
import { PoolAdapter } from '../../src/adapters/pool-adapter.ts';
import { TIERS } from '../../src/adapters/pools/pool-set.ts';
import { repetitions } from '../repetitions.ts';
import { ScanningBackend } from './scanning-backend.ts';

type Step =
  | { readonly write: string; readonly text: string }
  | { readonly remove: string }
  | { readonly link: string; readonly target: string }
  | { readonly register: readonly MemoryPoolDefinition[] };

const folders = fc.constantFrom('a', 'a/b', 'a/b/c', 'd', '.');
const files = fc
  .tuple(folders, fc.constantFrom('x.md', 'y.md', 'z.txt', '.h.md'))
  .map((parts) => parts.join('/'));
const pools = fc.uniqueArray(
  fc.record(
    {
      id: fc.constantFrom('one', 'two', 'three'),
      path: folders,
      tier: fc.constantFrom(...TIERS),
      agents: fc.constant(['main']),
    },
    { requiredKeys: ['id', 'path', 'tier'] },
  ),
  { selector: ({ id }) => id },
);
const steps = fc.array(
  fc.oneof(
    fc.record({ write: files, text: fc.constantFrom('heron', 'heron heron', 'gull') }),
    fc.record({ remove: fc.oneof(files, folders) }),
    fc.record({ link: files, target: fc.constantFrom('..', '../d', 'x.md', 'nowhere') }),
    fc.record({ register: pools }),
  ),
  { maxLength: 12 },
);

/** Where a change is not possible, because there is a file in the place of a folder or a folder in that of a file, nothing happens. */
async function perform(host: Host, step: Step): Promise<void> {
  if ('register' in step) {
    await host.register(...step.register);
    return;
  }
  const name = 'write' in step ? step.write : 'link' in step ? step.link : step.remove;
  const file = host.path(name);
  try {
    if ('remove' in step) rmSync(file, { recursive: true, force: true });
    else mkdirSync(dirname(file), { recursive: true });
    if ('write' in step) writeFileSync(file, step.text);
    if ('link' in step) symlinkSync(step.target, file);
  } catch {
    // Nothing has changed.
  }
  await host.index(name);
}

const QUERIES: readonly Partial<MemoryQuery>[] = [
  {},
  { agentId: 'other' },
  { tiers: ['cold'] },
  { tiers: [...TIERS] },
  { poolIds: ['two'] },
];

const scanning: ContractOptions = {
  name: 'scanning',
  create: (dataDir) =>
    new PoolAdapter(new ScanningBackend(), {
      dataDir,
      pools: [],
      roles: {},
      deadlineMs: 0,
      onWarning: () => undefined,
    }),
};

/** Checks that an adapter finds what reading all files finds, whatever happens to the files and the pools. */
export async function assertAgreement(options: ContractOptions): Promise<void> {
  await fc.assert(
    fc.asyncProperty(steps, async (made) => {
      await using oracle = await Host.open(scanning);
      await using host = await Host.open(options);
      for (const step of made) {
        for (const each of [oracle, host]) await perform(each, step);
        for (const query of QUERIES) expect(await host.found(query)).toEqual(await oracle.found(query));
      }
    }),
    { numRuns: repetitions(5, 200) },
  );
}

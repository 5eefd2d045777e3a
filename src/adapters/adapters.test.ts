import { describe, expect, it } from 'vitest';
import { assertAgreement } from '../../test/adapters/agreement.ts';
import { assertCanvasIsText } from '../../test/adapters/canvas.ts';
import { temporaryFolder } from '../../test/contract/engines.ts';
import {
  adapterContract,
  type ContractOptions,
  type TestContext,
} from '../../test/adapters/contract/suite.ts';
import { type AdapterConfig, type AdapterId, createAdapter } from './create-adapter.ts';

/** The adapters of Loci have everything that the contract has, so that no case may be skipped. */
function itRuns(name: string, test: (context: TestContext) => Promise<void>): void {
  const skip = (reason?: string): void => {
    if (reason !== 'meaning is not tested') throw new Error(`skipped: ${String(reason)}`);
  };
  it(name, () => test({ skip }));
}

function optionsOf(adapter: AdapterId): ContractOptions {
  const settings = {
    memory: { adapter },
    embedding: { provider: 'none' },
    adapters: { agents: [{ id: 'ada', roles: ['editor'] }] },
  };
  return {
    name: adapter,
    create: (home) => createAdapter(settings, { home, onWarning: () => undefined }),
    agentWithRole: { agentId: 'ada', role: 'editor' },
  };
}

for (const adapter of ['filesystem', 'loci'] satisfies AdapterId[])
  adapterContract({ describe, it: itRuns }, optionsOf(adapter));

it.each<[AdapterId]>([['filesystem'], ['loci']])('%s finds what reading all files finds', async (adapter) => {
  await assertAgreement(optionsOf(adapter));
});

it.each<[AdapterId]>([['filesystem'], ['loci']])('%s finds a canvas by its cards', async (adapter) => {
  const settings = { memory: { adapter }, embedding: { provider: 'none' } };
  await assertCanvasIsText((home) => createAdapter(settings, { home }));
});

it.each<[config: unknown, error: object]>([
  [null, { code: 'invalid_input', message: 'config is not an object with settings' }],
  [
    { adapters: { deadline: 'soon' } },
    {
      message: expect.stringMatching(/^config\.adapters\.deadline: /),
      hint: 'Correct config; docs/configuration.md lists every key.',
    },
  ],
  [
    { adapters: { agents: [{ id: 'ada' }] } },
    { message: expect.stringMatching(/^config\.adapters\.agents\[0\]\.roles: .* is missing/) },
  ],
  [
    { adapters: { pools: [{ id: 'a', tier: 'hot', path: 'a' }] } },
    {
      message: expect.stringMatching(/^config\.adapters\.pools: the pool "a" is not valid: /),
      hint: expect.not.stringContaining('loci.yaml'),
    },
  ],
])('an error of the settings %j names the option', async (config, error) => {
  await using home = await temporaryFolder();
  await expect(createAdapter(config as AdapterConfig, { home: home.path })).rejects.toMatchObject(error);
});

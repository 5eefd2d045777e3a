import { join } from 'node:path';
import { expect, it } from 'vitest';
import { captureMessage } from '../../src/engine/capture/capture-message.ts';
import type { ListProposalsOutput } from '../../src/engine/capture/proposals.ts';
import type { SearchOutput } from '../../src/engine/records/results/search-fields.ts';
import { openInline, settings } from '../contract/engines.ts';
import { loci, lociJson, temporaryFolder } from './loci-command.ts';

it('`loci capture` lists the proposals for an agent, and accepts and rejects them', async () => {
  const home = join(temporaryFolder(), 'home');
  await loci(['init'], { home });
  const owner = await openInline(settings(home));
  await captureMessage(owner.as({ ...owner.caller, namespace: 'agent:main' }), {
    ...{ message: 'My sister lives in Bergen. We bought a piano.', origin: {}, maxPerTurn: 3, maxPerDay: 50 },
  });
  await owner.close();
  const run = (...words: string[]): ReturnType<typeof loci> =>
    loci(['capture', ...words, '--namespace', 'agent:main'], { home });
  expect((await loci(['capture', 'list'], { home })).stdout).toContain('--namespace agent:ID');
  expect((await run('list')).stdout).toMatch(/We bought a piano\..+\n.+Bergen.+\n\n2 proposals/);
  expect((await run('accept', '1')).stdout).toBe('Remembered as record/1: My sister lives in Bergen.\n');
  expect((await run('reject', '2')).stdout).toBe('Rejected: We bought a piano.\n');
  const refused = await run('accept', '2');
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('number 2')]);
  const left = await lociJson<ListProposalsOutput>(['capture', 'list', '--namespace', 'agent:main'], {
    home,
  });
  expect(left).toMatchObject({ proposals: [], total: 0 });
  const { results } = await lociJson<SearchOutput>(['search', 'Bergen'], { home });
  expect(results).toEqual([]);
});

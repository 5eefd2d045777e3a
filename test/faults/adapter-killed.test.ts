import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { AdapterConfig } from '../../src/adapters/create-adapter.ts';
import { createAdapter } from '../../src/adapters/create-adapter.ts';
import { temporaryFolder } from '../e2e/loci-command.ts';
import { countRecords, expireLeases } from './first-batch.ts';

const NOTES = 1500;
const MODULE = join(import.meta.dirname, '../../src/adapters/create-adapter.ts');

it('pools that a killed process has read in part are read by the next one, and those that it registered are forgotten', async () => {
  const home = temporaryFolder();
  const paths = ['kept', 'gone'].map((name) => join(home, name));
  for (const folder of paths) {
    mkdirSync(folder);
    for (let n = 0; n < NOTES; n++) writeFileSync(join(folder, `${String(n)}.md`), `An oven ${String(n)}.`);
  }
  const config: AdapterConfig = { memory: { adapter: 'loci' }, embedding: { provider: 'none' } };
  const [kept, gone] = paths.map((path) => ({ id: path, tier: 'hot' as const, path }));
  const program = `
    const { createAdapter } = await import(${JSON.stringify(MODULE)});
    const adapter = await createAdapter(${JSON.stringify(config)}, { home: ${JSON.stringify(home)} });
    await adapter.registerPools(${JSON.stringify([gone, kept])});`;
  const child = execFile(process.execPath, ['--input-type=module', '--eval', program]);
  await expect
    .poll(() => countRecords(home) > NOTES || child.exitCode !== null, { interval: 5, timeout: 100_000 })
    .toBe(true);
  child.kill('SIGKILL');
  const read = countRecords(home);
  expect(read).toBeLessThan(2 * NOTES);
  expireLeases(home);
  const adapter = await createAdapter(config, { home });
  onTestFinished(() => adapter.close());
  await adapter.registerPools([kept!]);
  expect((await adapter.status()).details).toMatchObject({ notes: { [kept!.id]: NOTES } });
  expect(countRecords(home)).toBe(NOTES);
  expect(await adapter.recall({ agentId: 'ada', query: 'oven', limit: 1000 })).toHaveLength(1000);
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openInline, settings, temporaryFolder } from '../../../test/contract/engines.ts';
import { doctor } from '../health/doctor.ts';
import { status } from '../health/status.ts';
import { indexVaults } from './index-vaults.ts';
import { sourceReports } from './reports.ts';

const PLACE = 'plugins.entries.memory-loci.config';

it.each<[string, string | undefined, string | undefined, string | null]>([
  ['the settings of a host program, when loci.yaml lacks it', PLACE, undefined, PLACE],
  ['loci.yaml, when the settings of a host program lack it', undefined, PLACE, 'loci.yaml'],
  ['the settings that no longer have it', PLACE, PLACE, null],
  ['loci.yaml, which no longer has it', undefined, undefined, null],
])('a vault that was read with %s', async (_, before, now, expected) => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'plans');
  mkdirSync(path);
  writeFileSync(join(path, 'a.md'), 'The attic.');
  const open = (vaults: readonly object[], place: string | undefined) =>
    openInline(settings(folder.path, { vaults }), {
      settingsPlaces: place === undefined ? {} : { vaults: place },
    });
  const first = await open([{ name: 'plans', path }], before);
  await indexVaults(first);
  await first.close();
  const second = await open([], now);
  const [report] = await sourceReports(second);
  const { unconfigured_vaults } = await status(second, folder.path);
  const checks = await doctor(second);
  await second.close();
  expect(unconfigured_vaults).toEqual([{ name: 'plans', records: 1, settings: expected }]);
  const check = checks.find(({ name }) => name === 'vault plans');
  if (expected === null) {
    expect(report).toMatchObject({ id: 'plans', condition: 'gone', hint: null });
    expect(check).toMatchObject({ result: 'warning' });
    return;
  }
  expect(report).toMatchObject({
    condition: 'set elsewhere',
    hint: `${expected} had it when it was last read. If it no longer has it: \`loci sources remove plans\``,
  });
  expect(check).toMatchObject({ result: 'ok', hint: expect.stringContaining(expected) as string });
});

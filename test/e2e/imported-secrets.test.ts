import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ImportOutput } from '../../src/engine/portable/items/import-report.ts';
import { credentialSamples } from '../contract/credential-samples.ts';
import { loci, temporaryFolder } from './loci-command.ts';

it('an import names the files with secrets, with and without --dry-run', async () => {
  const home = temporaryFolder();
  const folder = join(temporaryFolder(), 'workspace');
  const [sample] = credentialSamples(1);
  const { before = '', secret = '', after = '', kind = '' } = sample ?? {};
  const text = `${before}${secret}${after}`;
  mkdirSync(join(folder, 'memory'), { recursive: true });
  writeFileSync(join(folder, 'MEMORY.md'), '# Memory\n\nThe oven is induction.\n');
  writeFileSync(join(folder, 'memory', 'keys.md'), `# Keys ${text}\n\nThe cloud: ${text}\n`);
  writeFileSync(join(folder, 'SOUL.md'), `You are calm. ${text}\n`);
  const warning = `secrets in these are masked and not stored: memory/keys.md (${kind}), SOUL.md (${kind})\n`;
  for (const args of [['--dry-run'], [], []]) {
    const { code, stdout, stderr } = await loci(['import', folder, ...args], { home });
    expect([code, stderr]).toEqual([0, expect.stringContaining(warning)]);
    expect(stdout).not.toContain(secret);
    if (args.length > 0) expect(stdout).toContain('would add the startup entry "soul" (SOUL.md)');
  }
  const refuseOptions = { home: join(temporaryFolder(), 'home'), env: { LOCI_WRITES_SECRETS: 'refuse' } };
  const refused = await loci(['import', folder], refuseOptions);
  expect(refused.stdout).toContain('memory/keys.md');
  expect(refused.stdout + refused.stderr).not.toContain(secret);
  const { stdout } = await loci(['import', folder, '--json'], { home });
  const { masked, masked_in, records } = JSON.parse(stdout) as ImportOutput;
  expect(records).toMatchObject({ added: 0, updated: 0 });
  expect({ masked, masked_in }).toEqual({
    masked: [kind],
    masked_in: [
      { location: 'memory/keys.md', message: kind },
      { location: 'SOUL.md', message: kind },
    ],
  });
});

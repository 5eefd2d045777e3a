import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DoctorOutput } from '../../src/operations/health/doctor.ts';
import type { ConfigSetOutput } from '../../src/operations/settings/config-set.ts';
import { loci, lociJson, temporaryFolder } from './loci-command.ts';

const KEY = 'sk-literal-0123456789abcdef';

async function doctorWarnings(home: string): Promise<string[]> {
  const { stdout } = await loci(['doctor', '--json'], { home });
  const { checks } = JSON.parse(stdout) as DoctorOutput;
  return checks
    .filter(({ name, result }) => name === 'settings' && result === 'warning')
    .map((each) => each.detail);
}

describe.each(['embedding.apiKey', 'rerank.apiKey'])('loci config set %s', (setting) => {
  it('repeats no key, and says that it is in the file, as doctor does', async () => {
    const home = temporaryFolder();
    await loci(['init'], { home });
    const set = await loci(['config', 'set', setting, KEY], { home });
    expect(set.code).toBe(0);
    expect(set.stdout).toContain(`Set ${setting} to ********`);
    expect(set.stdout + set.stderr).not.toContain(KEY);
    expect(set.stderr).toContain('in the clear');
    expect(set.stderr).toContain(`\`loci config set ${setting} env:NAME\``);
    expect(readFileSync(join(home, 'loci.yaml'), 'utf8')).toContain(KEY);
    expect(await doctorWarnings(home)).toEqual([
      expect.stringMatching(new RegExp(`^loci\\.yaml:\\d+: ${setting} is a key in the clear$`)),
    ]);
    const json = await lociJson<ConfigSetOutput>(['config', 'set', setting, KEY], { home });
    expect(json).toMatchObject({ value: '********', in_clear: true });

    const named = await loci(['config', 'set', setting, 'env:MY_KEY'], { home });
    expect([named.stdout, named.stderr]).toEqual([
      expect.stringContaining(`Set ${setting} to env:MY_KEY`),
      expect.not.stringContaining('clear'),
    ]);
    expect(await doctorWarnings(home)).toEqual([]);
  });
});

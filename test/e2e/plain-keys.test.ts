import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DoctorOutput } from '../../src/engine/health/check.ts';
import type { ConfigSetOutput } from '../../src/operations/nouns/settings.ts';
import { loci, lociJson, temporaryFolder } from './loci-command.ts';

const KEY = 'sk-literal-0123456789abcdef';

async function doctorWarnings(home: string): Promise<string[]> {
  const { stdout } = await loci(['doctor', '--json'], { home });
  const { checks } = JSON.parse(stdout) as DoctorOutput;
  return checks
    .filter(({ name, result }) => name === 'settings' && result === 'warning')
    .map((each) => each.detail);
}

describe('loci config set embedding.apiKey', () => {
  const setting = 'embedding.apiKey';

  it('repeats no key, and says that it is in the file, as doctor does', async () => {
    const home = temporaryFolder();
    await loci(['config', 'init'], { home });
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

describe('a credential in the settings', () => {
  it('is printed by no command, in no form, and in no error', async () => {
    const home = temporaryFolder();
    const key = ['sk', 'A1b2'.repeat(8)].join('-');
    const password = ['hunter2', 'hunter2'].join('-');
    writeFileSync(
      join(home, 'loci.yaml'),
      [
        'embedding:',
        '  provider: command',
        `  apiKey: ${key}`,
        `  command: [embed, "--api-key=${key}"]`,
        'auth:',
        `  jwt: {secret: ${key.repeat(2)}, issuer: a, audience: b}`,
        'sources:',
        `  - {id: todos, command: "curl -u me:${password} https://me:${password}@example.org"}`,
        'rerank: {apiKey: env:RERANK_KEY}',
      ].join('\n'),
    );
    const keys = ['embedding.apiKey', 'embedding.command', 'auth.jwt.secret', 'sources', 'rerank.apiKey'];
    const commands = [
      ...keys.map((each) => ['config', 'get', each]),
      ['config', 'show'],
      ['config', 'set', 'search.limit', key],
      ['config', 'set', 'sources', `[{id: todos, cmd: ${key}}]`],
    ];
    const printed = await Promise.all(
      commands.flatMap((command) => [loci(command, { home }), loci([...command, '--json'], { home })]),
    );
    const text = printed.map(({ stdout, stderr }) => stdout + stderr).join('');
    expect(text).toContain('********');
    expect(text).toContain('https://me:[secret masked: password in an address]@example.org');
    expect(text).toContain('env:RERANK_KEY');
    expect(text).toContain('search.limit: the given value is not valid; it has a credential');
    expect(text).not.toContain(key);
    expect(text).not.toContain(password);
  });
});

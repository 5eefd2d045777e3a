import { execFileSync } from 'node:child_process';
import { existsSync, globSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readSource } from '../arch/source-files.ts';
import { ROOT, temporaryFolder } from './loci-command.ts';

/** The commands of each section, without `npm ci`, which has run before any test. */
const sections = new Map(
  readSource('docs/install.md')
    .split(/^## /m)
    .map((section) => [
      section.slice(0, section.indexOf('\n')),
      [...section.matchAll(/^```sh\n([^]*?)^```/gm)]
        .map(([, block = '']) => block.replace('npm ci\n', ''))
        .join(''),
    ]),
);

describe('docs/install.md', () => {
  const home = temporaryFolder();
  const prefix = join(home, 'prefix');
  // How npm reaches its registry from this machine.
  const network = Object.entries(process.env).filter(([name]) =>
    /^(?:https?_proxy|no_proxy|node_extra_ca_certs|npm_config_(?:cafile|registry))$/i.test(name),
  );
  const env = {
    ...Object.fromEntries(network),
    PATH: [join(prefix, 'bin'), dirname(process.execPath), process.env['PATH']].join(':'),
    HOME: home,
    npm_config_prefix: prefix,
    npm_config_cache: execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim(),
    npm_config_prefer_offline: 'true',
  };
  /** @param done a line that an earlier section has run, which takes half a minute */
  const run = (title: string, done = ''): string => {
    const commands = sections.get(title);
    expect(commands, title).toMatch(/^(?:loci|npm|cp) /);
    expect(commands).toContain(done);
    const left = commands!.replace(done, '');
    return execFileSync('bash', ['--norc', '-euc', left], { cwd: ROOT, env, encoding: 'utf8' });
  };

  afterAll(() => {
    for (const file of [...globSync('loci-memory-*.tgz', { cwd: ROOT }), 'memory.jsonl'])
      rmSync(join(ROOT, file), { force: true });
  });

  it('installs at most 65 MB, upgrades, backs up and uninstalls', { timeout: 240_000 }, () => {
    expect(run('Install')).toMatch(/^\d+\.\d+\.\d+$/m);
    const kilobytes = execFileSync('du', ['-sk', prefix], { encoding: 'utf8' });
    expect(Number.parseInt(kilobytes, 10)).toBeLessThan(65 * 1024);
    execFileSync('loci', ['write', 'the boiler is in the cellar'], { env });
    expect(run('Upgrade', 'npm install --global "$(npm pack --silent)"\n')).toMatch(/^records +1 /m);
    run('Back up');
    expect(existsSync(join(home, 'loci-backup', 'loci.db'))).toBe(true);
    const found = ['search', 'boiler', '--home', join(home, 'loci-backup')];
    expect(execFileSync('loci', found, { env, encoding: 'utf8' })).toContain('the boiler is in the cellar');
    run('Uninstall');
    expect(existsSync(join(prefix, 'bin', 'loci'))).toBe(false);
    expect(existsSync(join(home, '.loci', 'loci.db'))).toBe(true);
  });
});

import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { FileLock } from '../../src/core/fs/file-lock.ts';
import { ROOT, temporaryFolder } from './loci-command.ts';

/** Answers what setup asks. It loads every plugin whose folder the configuration names, as OpenClaw does, unless that is `broken`. */
const PROGRAM = `
  const { readFileSync } = await import('node:fs');
  const [first, second] = process.argv.slice(2);
  const file = process.env.OPENCLAW_CONFIG_PATH;
  const { plugins: { load: { paths = [] } = {} } = {}, broken } = JSON.parse(readFileSync(file, 'utf8'));
  const plugins = (broken ? [] : paths).map((rootDir) => ({ id: rootDir.split('/').at(-1), rootDir, status: 'loaded', toolNames: [] }));
  const answers = {
    '--version': 'OpenClaw 2026.9.6',
    'config file': JSON.stringify({ path: file }),
    'agents list': JSON.stringify([{ id: 'main', workspace: '/none' }]),
    'plugins list': JSON.stringify({ plugins }),
  };
  console.log(answers[first] ?? answers[first + ' ' + second]);
`;
const ORIGINAL = '{\n  "agents": {}\n}\n';

interface Outcome {
  readonly code: number;
  readonly output: Record<string, unknown>;
}

describe('loci openclaw setup', () => {
  let folder = '';
  let config = '';

  beforeEach(() => {
    folder = temporaryFolder();
    config = join(folder, 'openclaw.json');
    writeFileSync(config, ORIGINAL);
    writeFileSync(join(folder, 'openclaw.mjs'), PROGRAM);
  });

  function loci(...words: string[]): Promise<Outcome> {
    const line = [join(ROOT, 'bin/loci.js'), 'openclaw', ...words];
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, LOCI_HOME: join(folder, 'loci'), OPENCLAW_CONFIG_PATH: config };
    const all = [...line, '--openclaw', join(folder, 'openclaw.mjs'), '--json'];
    return new Promise((resolve) => {
      execFile(process.execPath, all, { env, timeout: 60_000 }, (error, stdout) => {
        const output = JSON.parse(stdout) as Record<string, unknown>;
        resolve({ code: error === null ? 0 : Number(error.code), output });
      });
    });
  }

  it('run again after it was killed before it changed the file, is undone whole, or names each change once', async () => {
    expect(await loci('setup', '--beside', '--yes')).toMatchObject({ code: 0 });
    const changed = readFileSync(config, 'utf8');
    // A process that is killed has saved the backup, but not the file.
    writeFileSync(config, ORIGINAL);
    expect(await loci('setup', '--beside', '--yes')).toMatchObject({ code: 0 });
    expect(readFileSync(config, 'utf8')).toBe(changed);
    writeFileSync(config, changed.replace('"agents": {}', '"agents": { "list": [] }'));
    const edited = readFileSync(config, 'utf8');
    const { code, output } = await loci('undo');
    const [{ kept } = { kept: [] }] = output['files'] as { readonly kept: readonly string[] }[];
    expect([code, kept]).toEqual([
      0,
      [
        'plugins.entries.loci-corpus.enabled',
        'plugins.entries.loci-corpus.config.home',
        'plugins.load.paths',
      ],
    ]);
    expect(readFileSync(config, 'utf8')).toBe(edited);
  });

  it('restores each byte when its last step fails', async () => {
    const broken = '{  "broken": true }\n';
    writeFileSync(config, broken);
    expect(await loci('setup', '--beside', '--yes')).toMatchObject({
      code: 8,
      output: { error: { message: expect.stringContaining('failed: loci-corpus is not') as string } },
    });
    expect(readFileSync(config, 'utf8')).toBe(broken);
    expect(await loci('undo')).toMatchObject({ code: 4 });
  });

  it('a second one keeps the copy of the first', async () => {
    await loci('setup', '--beside', '--yes');
    const changed = readFileSync(config, 'utf8');
    writeFileSync(config, changed.replace('"enabled": true', '"enabled": false'));
    expect(await loci('setup', '--beside', '--yes')).toMatchObject({ code: 0 });
    const copy = readFileSync(join(folder, 'loci', 'openclaw-backup', '0.openclaw-config'), 'utf8');
    expect(copy).toBe(ORIGINAL);
  });

  it('and undo refuse while another one has the lock, which its process gives up however it ends', async () => {
    const home = join(folder, 'loci');
    mkdirSync(home, { mode: 0o700 });
    const lock = new FileLock(join(home, 'openclaw-backup.lock'));
    const conflict = { code: 5, output: { error: { code: 'conflict' } } };
    lock.acquire();
    expect(await loci('setup', '--beside', '--yes')).toMatchObject(conflict);
    expect(readFileSync(config, 'utf8')).toBe(ORIGINAL);
    lock.release();
    expect(await loci('setup', '--beside', '--yes')).toMatchObject({ code: 0 });
    const changed = readFileSync(config, 'utf8');
    lock.acquire();
    expect(await loci('undo')).toMatchObject(conflict);
    expect(readFileSync(config, 'utf8')).toBe(changed);
    lock.release();
    expect(await loci('undo')).toMatchObject({ code: 0 });
    expect(readFileSync(config, 'utf8')).toBe(ORIGINAL);
  });

  it('refuses a second configuration with the same home, whose files undo would mix up', async () => {
    await loci('setup', '--beside', '--yes');
    config = join(folder, 'other.json');
    writeFileSync(config, ORIGINAL);
    expect(await loci('setup', '--beside', '--yes')).toMatchObject({ code: 5 });
    expect(readFileSync(config, 'utf8')).toBe(ORIGINAL);
  });
});

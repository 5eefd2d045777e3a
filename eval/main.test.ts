import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parseOptions } from './options.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'loci-eval-main-'));

  writeFileSync(join(folder, 'typo.yaml'), 'dateBost: 1\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Outcome {
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(...args: string[]): Promise<Outcome> {
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, [MAIN, ...args], { cwd: folder })) };
  } catch (error) {
    return error as Outcome;
  }
}

describe('the command', () => {
  it('prints a help text with examples', async () => {
    const { code, stdout } = await run('--help');
    expect(code).toBe(0);
    expect(stdout).toContain('npm run eval -- --quick');
  });

  it.each([
    [['--config', 'typo.yaml'], 'did you mean dateBoost?'],
    [['--compare', 'missing.json'], 'cannot compare with missing.json'],
  ])('ends with exit code 2 and the reason: %j', async (args, why) => {
    const { code, stdout, stderr } = await run(...args);
    expect(stderr).toContain(why);
    expect(stderr).not.toContain('    at ');
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });
});

describe('a set that another run builds', () => {
  it('is waited for until that run ends, even if it is killed', async () => {
    const docs = [{ id: 'oven', text: 'The oven is white.' }];
    const queries = [{ id: 'oven', q: 'oven', gold: ['oven'], cat: 'rooms' }];
    const file = join(folder, 'set.json');
    writeFileSync(file, JSON.stringify({ name: 'small', collections: [{ id: 'c', docs, queries }] }));
    const first = openSet(file);
    expect(await nextLineOf(first)).toBe('open');
    const second = openSet(file);
    expect(await nextLineOf(second)).toMatch(/^waiting for another run of eval, which has locked .*small_/);
    first.kill('SIGKILL');
    expect(await nextLineOf(second)).toBe('open');
    second.stdin!.end();
    expect(await once(second, 'exit')).toEqual([0, null]);
  });
});

/** Opens an indexed set in a process of its own, until its standard input ends. */
function openSet(file: string): ChildProcess {
  const addressOf = (module: string): string => JSON.stringify(new URL(module, import.meta.url).href);
  const script = `
    const { openIndexed } = await import(${addressOf('index-cache.ts')});
    const { loadSet } = await import(${addressOf('sets.ts')});
    const { openModel } = await import(${addressOf('model.ts')});
    const { defaultConfiguration } = await import(${addressOf('configuration.ts')});
    const model = await openModel({ ...defaultConfiguration(), provider: 'none' });
    const { close } = await openIndexed(loadSet(${JSON.stringify(file)}), model, { folder: 'cache' });
    console.log('open');
    process.stdin.resume().once('end', close);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { cwd: folder });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** The next line on any output. */
async function nextLineOf({ stdout, stderr }: ChildProcess): Promise<string> {
  const [chunk] = (await Promise.race([once(stdout!, 'data'), once(stderr!, 'data')])) as [Buffer];
  return chunk.toString().trim();
}

describe('options', () => {
  it('are parsed', () => {
    const options = parseOptions(['--set', 'a', '--set=b', '--typos', '--no-baselines', '--limit', '5']);
    expect(options).toMatchObject({
      sets: ['a', 'b'],
      typos: true,
      ablate: false,
      baselines: false,
      limit: 5,
    });
    expect(parseOptions(['--answers', '--half', 'dev'])).toMatchObject({ answers: true, half: 'dev' });
    expect(parseOptions([])).toMatchObject({ answers: false, half: null, adapters: [] });
    expect(parseOptions(['--adapter', 'all']).adapters).toEqual(['filesystem', 'lancedb', 'loci']);
    expect(parseOptions(['--adapter', 'loci,filesystem']).adapters).toEqual(['filesystem', 'loci']);
    expect(parseOptions([])).toMatchObject({ sets: [], baselines: true, limit: null, json: null });
  });

  it.each([
    [['--sets', 'a'], 'did you mean --set?'],
    [['--set'], '--set'],
    [['file.json'], 'file.json'],
    [['--limit', 'ten'], 'got ten'],
    [['--limit', '0'], 'got 0'],
    [['--quick', '--set', 'a'], '--quick'],
    [['--answers', '--set', 'a'], '--answers'],
    [['--half', 'dev'], '--half belongs to --answers'],
    [['--answers', '--half', 'both'], 'got both'],
    [['--adapter', 'loci,grep'], 'got grep'],
    [['--json', 'nowhere/out.json'], 'there is no folder'],
  ])('refuse %j', (args, why) => {
    expect(() => parseOptions(args)).toThrow(
      expect.objectContaining({ code: 'invalid_input', message: expect.stringContaining(why) }),
    );
  });
});

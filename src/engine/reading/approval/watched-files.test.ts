import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/contract/engines.ts';
import { sha256 } from '../../../core/ids.ts';
import { unwatched } from './approval.ts';
import { hashFile, watchedFiles } from './watched-files.ts';

it('a file that changes right after it was hashed gets a new hash', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'script.sh');
  // All versions have the same length, and some are written within one tick of the file system's clock.
  for (let round = 0; round < 300; round++) {
    const text = `echo ${String(round).padStart(3, '0')}`;
    await writeFile(path, text);
    expect(await hashFile(path)).toBe(sha256(text));
  }
});

it('a changed file with its old timestamp restored gets a new hash', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'script.sh');
  const longAgo = new Date(2020, 1, 1);
  for (const text of ['echo one', 'echo two']) {
    await writeFile(path, text);
    await utimes(path, longAgo, longAgo);
    expect(await hashFile(path)).toBe(sha256(text));
  }
});

describe('the watched files of a command', () => {
  const watched = async (cwd: string, program: string, ...args: string[]): Promise<string[]> => {
    const files = await watchedFiles({ program, args, cwd, watch: [], skill: null });
    return files.map(({ path }) => path).filter((path) => path !== program);
  };

  it('include the script of an interpreter, whatever its name ends with, and no later data', async () => {
    await using folder = await temporaryFolder();
    const [script, data] = ['job.txt', 'tasks.json'].map((name) => join(folder.path, name));
    for (const path of [script!, data!]) await writeFile(path, 'echo');
    expect(await watched(folder.path, '/bin/sh', 'job.txt', 'tasks.json')).toEqual([script]);
    expect(await watched(folder.path, '/usr/bin/env', 'sh', 'job.txt')).toEqual([script]);
    expect(await watched(folder.path, '/bin/cat', 'tasks.json')).toEqual([]);
  });

  it('include the folder or module that an interpreter gets in place of a script', async () => {
    await using folder = await temporaryFolder();
    const app = ['app/__main__.py', 'app/lib/util.py'].map((name) => join(folder.path, name));
    await mkdir(join(folder.path, 'app/lib'), { recursive: true });
    for (const path of [...app, join(folder.path, 'mod.js')]) await writeFile(path, 'x');
    for (const args of [['app'], ['-I', './app', 'data.json'], ['-m', 'app'], ['python3', 'app']])
      expect(await watched(folder.path, '/usr/bin/env', ...args)).toEqual(app);
    expect(await watched(folder.path, '/usr/bin/node', 'mod')).toEqual([join(folder.path, 'mod.js')]);
    // Data of code on the command line, of a script, and of another program.
    expect(await watched(folder.path, '/bin/sh', '-c', 'ls "$0"', 'app')).toEqual([]);
    expect(await watched(folder.path, '/bin/sh', 'mod.js', 'app')).toEqual([join(folder.path, 'mod.js')]);
    expect(await watched(folder.path, '/bin/ls', 'app')).toEqual([]);
  });

  it.each<[shell: boolean, argv: string[], files: number, isRisk: boolean, text: RegExp]>([
    [true, ['/bin/sh', '-c', './a | b'], 1, true, /line for the shell/],
    [false, ['sh', '-c', 'sh s'], 1, true, /code for sh/],
    [false, ['python3', '-c', 'import app'], 1, true, /code for python3/],
    [false, ['make', '-s', 'list'], 1, true, /make reads or starts by itself/],
    [false, ['npx', 'tasks'], 1, true, /npx reads or starts/],
    [false, ['node', 'gone'], 1, true, /no argument is a file or a folder/],
    [false, ['python3', 'app'], 2, false, /watched code loads/],
    [false, ['./list', '--all'], 1, false, /what list loads or starts/],
  ])('have others beside them that an approval names (shell: %s, %j)', (shell, argv, files, isRisk, text) => {
    const program = join('/usr/bin', basename(argv[0]!));
    const paths = [program, '/srv/app/main.py'].slice(0, files).map((path) => ({ path, state: '' }));
    const command = { fingerprint: '', argv, program, cwd: '/', realCwd: '/', env: [], files: paths, shell };
    expect(unwatched(command)).toEqual({ isRisk, text: expect.stringMatching(text) as string });
  });

  it('include files below the names that /proc has for the working folder and the root', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'job.sh');
    await writeFile(path, 'echo');
    expect(await watched(folder.path, '/bin/sh', '/proc/self/cwd/job.sh')).toEqual([path]);
    expect(await watched('/', '/bin/sh', `/proc/self/root${path}`)).toEqual([path]);
    expect(await watched(folder.path, '/bin/cat', '/proc/self/fd/0', '/dev/stdout')).toEqual([]);
  });
});

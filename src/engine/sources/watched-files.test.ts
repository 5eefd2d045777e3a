import { existsSync } from 'node:fs';
import { rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/contract/engines.ts';
import { sha256 } from '../../core/ids.ts';
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

  it('include files below the names that /proc has for the working folder and the root', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'job.sh');
    await writeFile(path, 'echo');
    expect(await watched(folder.path, '/bin/sh', '/proc/self/cwd/job.sh')).toEqual([path]);
    expect(await watched('/', '/bin/sh', `/proc/self/root${path}`)).toEqual([path]);
    expect(await watched(folder.path, '/bin/cat', '/proc/self/fd/0', '/dev/stdout')).toEqual([]);
  });

  it.runIf(existsSync('/dev/shm'))('include files in shared memory', async () => {
    const path = join('/dev/shm', `loci-test-${String(process.pid)}.sh`);
    await writeFile(path, 'echo');
    try {
      expect(await watched('/', '/bin/sh', path)).toEqual([path]);
    } finally {
      await rm(path);
    }
  });
});

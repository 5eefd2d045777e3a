import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { ERROR_TABLE } from '../../src/core/errors.ts';
import { loci, lociJson, MAIN, temporaryFolder } from '../e2e/loci-command.ts';
import { smallDisk } from './small-disk.ts';

describe('an export to a full disk', () => {
  const disk = smallDisk('2m');
  const home = temporaryFolder();

  beforeAll(async () => {
    for (const word of ['oven', 'sink', 'lamp', 'rug'])
      await loci(['write', '-'], { home, stdin: `${word} ${'text '.repeat(120_000)}` });
  });

  it('is store_full and leaves nothing behind', async (context) => {
    if (disk.unmountable !== '') context.skip(disk.unmountable);
    const ballast = join(disk.path, 'ballast');
    // The file system gives the space of files that were removed back a moment later.
    await vi.waitUntil(() => {
      const { bavail, blocks } = statfsSync(disk.path);
      return bavail === blocks;
    }, 100_000);
    // The first records fit, and the others do not.
    writeFileSync(ballast, Buffer.alloc(2 * 1024 * 1024 - 1_300_000));
    const target = join(disk.path, 'memory.jsonl');
    const { code, stderr } = await loci(['export', '--to', target], { home });
    expect([code, stderr]).toEqual([
      ERROR_TABLE.store_full.exit,
      expect.stringMatching(/cannot be written: the disk is full\n.*name a place on another disk/),
    ]);
    expect(readdirSync(disk.path)).toEqual(['ballast']);
    rmSync(ballast);
  });

  it('keeps the earlier export that it was to replace', async (context) => {
    if (disk.unmountable !== '') context.skip(disk.unmountable);
    const target = join(disk.path, 'memory.jsonl');
    writeFileSync(target, 'earlier');
    const { code } = await loci(['export', '--to', target, '--force'], { home });
    expect(code).toBe(ERROR_TABLE.store_full.exit);
    expect(readFileSync(target, 'utf8')).toBe('earlier');
    expect(readdirSync(disk.path)).toEqual(['memory.jsonl']);
  });

  it.runIf(process.platform === 'linux')('is store_full on standard output', async () => {
    const full = openSync('/dev/full', 'w');
    const env = { ...process.env, LOCI_HOME: home, LOCI_EMBEDDING_PROVIDER: 'none' };
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'export', '--to', '-'], {
      ...{ env, encoding: 'utf8' },
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    expect([status, stderr]).toEqual([
      ERROR_TABLE.store_full.exit,
      expect.stringContaining('the disk is full'),
    ]);
    const { records } = await lociJson<{ records: number }>(['status'], { home });
    expect(records).toBe(4);
  });
});

import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRegularFile } from './read-regular-file.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'loci-read-'))));
afterEach(() => rm(folder, { recursive: true }));

describe('readRegularFile', () => {
  it('reads a file up to its limit, through links', async () => {
    const [file, link] = [join(folder, 'file'), join(folder, 'link')];
    await writeFile(file, '12345');
    await symlink(file, link);
    expect(Buffer.from((await readRegularFile(link, 5)) as Uint8Array).toString()).toBe('12345');
    expect(await readRegularFile(link, 4)).toBe('too large');
    await expect(readRegularFile(join(folder, 'none'), 4)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.skipIf(process.platform === 'win32')('does not block on a FIFO, a device or a folder', async () => {
    execFileSync('mkfifo', [join(folder, 'fifo')]);
    await symlink(join(folder, 'fifo'), join(folder, 'link'));
    for (const name of ['fifo', 'link']) expect(await readRegularFile(join(folder, name), 9)).toBe('special');
    expect(await readRegularFile('/dev/zero', 9)).toBe('special');
    expect(await readRegularFile(folder, 9)).toBe('folder');
  });

  it.skipIf(process.platform !== 'linux')('limits files that report a size of zero', async () => {
    expect(await readRegularFile('/proc/self/environ', 1)).toBe('too large');
  });
});

import { execFileSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePrivateFolder, readRegularFile, replaceFile } from './files.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'loci-files-'))));
afterEach(() => rm(folder, { recursive: true }));

describe('makePrivateFolder', () => {
  it('creates missing folders that only the owner can access, and returns whether it did', () => {
    const path = join(folder, 'a', 'b');
    expect(makePrivateFolder(path)).toBe(true);
    expect(makePrivateFolder(path)).toBe(false);
    for (const made of [join(folder, 'a'), path]) expect(statSync(made).mode & 0o077).toBe(0);
  });

  it('throws if the folder cannot be made', () => {
    writeFileSync(join(folder, 'note.md'), '');
    expect(() => makePrivateFolder(join(folder, 'note.md', 'a', 'b'))).toThrow(
      expect.objectContaining({ code: 'ENOTDIR' }),
    );
  });

  it.runIf(process.platform === 'linux')('throws below a folder that accepts no folders', () => {
    expect(() => makePrivateFolder('/proc/loci/store')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });
});

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

describe('replaceFile', () => {
  it('replaces the text and the permissions, and leaves no other file', async () => {
    const file = join(folder, 'a.yaml');
    await writeFile(file, 'a much longer text that was there before', { mode: 0o644 });
    await replaceFile(file, 'new', 0o600);
    expect(await readFile(file, 'utf8')).toBe('new');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['a.yaml']);
  });

  it('replaces the target of a link', async () => {
    await writeFile(join(folder, 'real.yaml'), 'old');
    await symlink('real.yaml', join(folder, 'link.yaml'));
    await replaceFile(join(folder, 'link.yaml'), 'new', 0o600);
    expect(await readFile(join(folder, 'real.yaml'), 'utf8')).toBe('new');
    expect((await readdir(folder)).sort()).toEqual(['link.yaml', 'real.yaml']);
  });

  it('keeps the old file, and leaves no other, when it fails', async () => {
    const occupied = join(folder, 'occupied');
    await mkdir(join(occupied, 'within'), { recursive: true });
    await expect(replaceFile(occupied, 'new', 0o600)).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['occupied']);
    expect(await readdir(occupied)).toEqual(['within']);
  });
});

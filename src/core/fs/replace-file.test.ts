import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replaceFile } from './replace-file.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'loci-replace-'))));
afterEach(() => rm(folder, { recursive: true }));

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

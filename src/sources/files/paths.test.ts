import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPlainKey, isWithin, resolveWithin } from './paths.ts';

describe('isWithin', () => {
  it('compares whole folder names', () => {
    expect(isWithin('/vault', '/vault')).toBe(true);
    expect(isWithin('/vault', '/vault/a/b.md')).toBe(true);
    expect(isWithin('/vault', '/vault/..a')).toBe(true);
    expect(isWithin('/vault', '/vault2/a.md')).toBe(false);
    expect(isWithin('/vault', '/')).toBe(false);
    expect(isWithin('/', '/etc')).toBe(true);
  });
});

describe('isPlainKey', () => {
  it.each(['', '/', '/etc/passwd', '..', '../x', 'a/../b', 'a/..', './a', 'a/./b', 'a//b', 'a/', 'a\0b'])(
    'refuses %j',
    (key) => {
      expect(isPlainKey(key)).toBe(false);
    },
  );

  it.each(['a.md', 'a/b c.md', '..a', 'a..', '...', '漢/é.md', '%2e%2e/x', '~/x'])('accepts %j', (key) => {
    expect(isPlainKey(key)).toBe(true);
  });
});

describe('resolveWithin', () => {
  let base: string;
  let root: string;

  beforeAll(async () => {
    base = await realpath(await mkdtemp(path.join(tmpdir(), 'loci-paths-')));
    root = path.join(base, 'vault');
    await mkdir(path.join(root, 'notes'), { recursive: true });
    await mkdir(path.join(base, 'vault2'));
    for (const file of ['secret.md', 'vault2/secret.md', 'vault/notes/a.md', 'vault/notes/Cafe\u0301.md']) {
      await writeFile(path.join(base, file), 'text');
    }
    const link = (target: string, linkPath: string): Promise<void> =>
      symlink(target, path.join(root, linkPath));
    await link('notes/a.md', 'inside.md');
    await link('notes', 'folder');
    await link('../secret.md', 'outside.md');
    await link('../vault2', 'outside');
    await link('outside.md', 'chain1.md');
    await link('chain1.md', 'chain2.md');
    await link('../vault/notes/a.md', 'out-and-in.md');
    await link('../../vault', 'notes/up');
    await link('circle2.md', 'circle1.md');
    await link('circle1.md', 'circle2.md');
    await link('/etc/passwd', 'absolute.md');
  });

  afterAll(() => rm(base, { recursive: true }));

  it('resolves paths and links within the root', async () => {
    for (const key of ['notes/a.md', 'inside.md', 'folder/a.md', 'out-and-in.md', 'notes/up/notes/a.md']) {
      expect(await resolveWithin(root, key), key).toBe(path.join(root, 'notes/a.md'));
    }
  });

  it('resolves a name in any Unicode form', async () => {
    expect(await resolveWithin(root, 'notes/Caf\u00E9.md')).toBe(path.join(root, 'notes/Cafe\u0301.md'));
    await expect(resolveWithin(root, 'notes/Caf\u00EA.md')).rejects.toThrow('ENOENT');
  });

  it('refuses each link if the path must be exact', async () => {
    const exact = (key: string): Promise<string | null> => resolveWithin(root, key, { exact: true });
    for (const key of ['inside.md', 'folder/a.md', 'notes/up/notes/a.md', 'folder/Caf\u00E9.md'])
      expect(await exact(key), key).toBeNull();
    expect(await exact('notes/a.md')).toBe(path.join(root, 'notes/a.md'));
    expect(await exact('notes/Caf\u00E9.md')).toBe(path.join(root, 'notes/Cafe\u0301.md'));
  });

  it.each([
    ...['outside.md', 'outside/secret.md', 'chain1.md', 'chain2.md', 'absolute.md', 'folder/../../secret.md'],
    ...[
      '../secret.md',
      'notes/../../secret.md',
      '/etc/passwd',
      '',
      '.',
      '..',
      'notes/a.md\0',
      '..\0/secret.md',
      'notes/up/../secret.md',
    ],
  ])('refuses %j', async (key) => {
    expect(await resolveWithin(root, key)).toBeNull();
  });

  it('never uses a backslash as a separator', async () => {
    await expect(
      resolveWithin(root, '..\\secret.md').then((found) => found ?? Promise.reject(new Error('ENOENT'))),
    ).rejects.toThrow('ENOENT');
  });

  it('throws the error of the file system for missing files and cycles', async () => {
    await expect(resolveWithin(root, 'nowhere.md')).rejects.toThrow('ENOENT');
    await expect(resolveWithin(root, 'notes/a.md/b')).rejects.toThrow('ENOTDIR');
    await expect(resolveWithin(root, 'circle1.md')).rejects.toThrow('ELOOP');
  });

  it('never returns a path outside of the root, for any key', async () => {
    const part = fc.constantFrom(
      '..',
      '.',
      '',
      'notes',
      'folder',
      'outside',
      'up',
      'a.md',
      'secret.md',
      'vault2',
      'chain2.md',
      '~',
      '\\..',
      '%2e%2e',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        const found = await resolveWithin(root, parts.join('/')).catch(() => null);
        if (found !== null) expect(isWithin(root, found)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makePrivateFolder } from './make-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'loci-folder-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

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

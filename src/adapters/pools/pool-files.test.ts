import { mkdirSync, rmSync, statSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/e2e/loci-command.ts';
import { MAX_NOTE_BYTES } from '../../sources/files/read-file.ts';
import { listPoolFiles, type PoolFile } from './pool-files.ts';

async function list(
  root: string,
  inner: readonly string[] = [],
): Promise<[files: PoolFile[], problems: string[]]> {
  const files: PoolFile[] = [];
  const problems: string[] = [];
  const report = (path: string, why: string): void => void problems.push(`${path}: ${why}`);
  for await (const file of listPoolFiles({ id: 'pool', root, inner }, report)) files.push(file);
  return [files, problems];
}

async function keysOf(root: string, inner: readonly string[] = []): Promise<string[]> {
  const [files, problems] = await list(root, inner);
  expect(problems).toEqual([]);
  return files.map(({ key }) => key);
}

function write(root: string, ...names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), name);
  }
}

const names = fc.constantFrom(
  'a',
  'b.md',
  'c.txt',
  'd.png',
  '.e.md',
  'node_modules',
  'two\nlines.MD',
  'e\u0301.md',
);
const paths = fc.array(names, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const entries = fc.record({
  path: paths,
  target: fc.option(fc.constantFrom('/', '..', 'b.md', '../out', '.')),
});

describe('listPoolFiles', () => {
  it('lists the files that are notes and no others, whatever the links in the pool', async () => {
    const folder = temporaryFolder();
    write(folder, 'out/b.md');
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(entries, { maxLength: 12 }), async (made) => {
        const root = join(folder, String(run++));
        mkdirSync(root);
        const notes: string[] = [];
        const links = new Set<string>();
        for (const { path, target } of made) {
          const above = path.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'));
          if (above.some((each) => links.has(each) || notes.includes(each))) continue;
          try {
            mkdirSync(dirname(join(root, path)), { recursive: true });
            if (target === null) writeFileSync(join(root, path), '', { flag: 'wx' });
            else symlinkSync(target, join(root, path));
          } catch {
            // There is a file or a folder in its place.
            continue;
          }
          if (target !== null) links.add(path);
          const isNote = /\.(md|txt)$/i.test(path) && !/(^|\/)(\.|node_modules(\/|$))/.test(path);
          if (target === null && isNote) notes.push(path);
        }
        expect((await keysOf(root)).sort()).toEqual(notes.sort());
        rmSync(root, { recursive: true });
      }),
      { numRuns: 60 },
    );
  });

  it('leaves out the pools below, and what Obsidian excludes around the pool and in it', async () => {
    const vault = temporaryFolder();
    write(
      vault,
      'pool/a.md',
      'pool/in/b.md',
      'pool/in/in/c.md',
      'pool/inn/d.md',
      'pool/old/e.md',
      'pool/v/x/f.md',
      'pool/v/g.md',
    );
    const exclude = (folder: string, filter: string): void => {
      mkdirSync(join(vault, folder, '.obsidian'));
      writeFileSync(
        join(vault, folder, '.obsidian/app.json'),
        JSON.stringify({ userIgnoreFilters: [filter] }),
      );
    };
    exclude('', 'pool/old/');
    exclude('pool/v', 'x/');
    const pool = join(vault, 'pool');
    expect(await keysOf(pool, [join(pool, 'in')])).toEqual(['a.md', 'inn/d.md', 'v/g.md']);
    // A pool that is itself what the vault excludes has its notes.
    expect(await keysOf(join(pool, 'old'))).toEqual(['e.md']);
    writeFileSync(join(vault, '.obsidian/app.json'), '{');
    await expect(list(pool)).rejects.toMatchObject({ code: 'unreadable' });
  });

  it('reports files that are too large, and lists the others with a revision that follows changes', async () => {
    const root = temporaryFolder();
    write(root, 'a.md', 'large.md', 'largest.md');
    truncateSync(join(root, 'large.md'), MAX_NOTE_BYTES + 1);
    truncateSync(join(root, 'largest.md'), MAX_NOTE_BYTES);
    const [before, problems] = await list(root);
    expect(problems).toEqual([`${join(root, 'large.md')}: it has more than ${String(MAX_NOTE_BYTES)} bytes`]);
    expect(before.map(({ key, bytes }) => [key, bytes])).toEqual([
      ['a.md', 4],
      ['largest.md', MAX_NOTE_BYTES],
    ]);
    const { atime, mtime } = statSync(join(root, 'a.md'));
    writeFileSync(join(root, 'a.md'), 'b.md');
    utimesSync(join(root, 'a.md'), atime, mtime);
    const [after] = await list(root);
    expect(after[0]!.revision).not.toBe(before[0]!.revision);
    expect(after[1]).toEqual(before[1]);
  });

  it('ends where a folder vanishes while it is listed, and lists the rest', async () => {
    const root = temporaryFolder();
    write(root, 'a.md', 'b/c.md', 'b/d.md', 'e/f.md');
    const keys: string[] = [];
    for await (const { key } of listPoolFiles({ id: 'pool', root, inner: [] }, expect.unreachable)) {
      keys.push(key);
      if (key === 'a.md') rmSync(join(root, 'b'), { recursive: true });
    }
    expect(keys).toEqual(['a.md', 'e/f.md']);
    rmSync(root, { recursive: true });
    expect(await keysOf(root)).toEqual([]);
  });
});

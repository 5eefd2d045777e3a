import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { revisionOf, type PoolFile } from '../pools/pool-files.ts';
import { NoteCache, type CachedNote } from './note-cache.ts';

let root: string;
let time: number;
let cache: NoteCache;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'loci-note-cache-')));
  time = Date.now() + 60_000;
  cache = new NoteCache({ maxBytes: 20_000, now: () => time });
});

afterEach(() => rm(root, { recursive: true }));

function write(key: string, text: string): PoolFile {
  writeFileSync(path.join(root, key), text);
  const stats = lstatSync(path.join(root, key), { bigint: true });
  return { key, bytes: Number(stats.size), revision: revisionOf(stats) };
}

function noteOf(file: PoolFile): CachedNote | 'full' | null {
  return cache.noteOf(root, file, (why) => {
    throw new Error(why);
  });
}

describe('the cache of notes', () => {
  it('reads a note again if it has changed, or may have changed since it was read', () => {
    const file = write('x.md', 'heron');
    const note = noteOf(file);
    expect(noteOf(file)).toBe(note);
    const changed = noteOf(write('x.md', 'grey heron'));
    expect(changed).not.toBe(note);
    time = Date.now();
    const recent = write('y.md', 'heron');
    expect(noteOf(recent)).not.toBe(noteOf(recent));
  });

  it('reads no note of which the file is gone', () => {
    const file = write('x.md', 'heron');
    rmSync(path.join(root, 'x.md'));
    expect(noteOf(file)).toBeNull();
  });

  it('takes no note when it is full, and does again without others', () => {
    const files = Array.from({ length: 40 }, (_, i) =>
      write(`${String(i)}.md`, `heron${String(i)} `.repeat(100)),
    );
    expect(files.map(noteOf).filter((note) => note === 'full').length).toBeGreaterThan(10);
    const last = files.at(-1)!;
    expect(noteOf(last)).toBe('full');
    cache.keepOnly(root, new Set(['0.md']));
    expect(files.filter((file) => cache.has(root, file))).toEqual([files[0]]);
    expect(noteOf(last)).not.toBe('full');
    cache.keepRoots(new Set());
    expect(files.filter((file) => cache.has(root, file))).toEqual([]);
  });

  it('is worn when many notes have been dropped', () => {
    const file = write('x.md', 'heron '.repeat(100));
    const isWorn = Array.from({ length: 10 }, () => {
      noteOf(file);
      cache.keepOnly(root, new Set());
      return cache.isWorn;
    });
    expect([isWorn[0], isWorn[9]]).toEqual([false, true]);
  });
});

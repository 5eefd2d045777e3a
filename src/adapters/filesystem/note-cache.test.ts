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
  cache = new NoteCache(() => time);
});

afterEach(() => rm(root, { recursive: true }));

function write(key: string, text: string): PoolFile {
  writeFileSync(path.join(root, key), text);
  const stats = lstatSync(path.join(root, key), { bigint: true });
  return { key, bytes: Number(stats.size), revision: revisionOf(stats) };
}

function noteOf(file: PoolFile): CachedNote | null {
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

  it('drops the notes of files and pools that are gone', () => {
    const files = ['x.md', 'y.md'].map((key) => write(key, 'heron'));
    files.forEach(noteOf);
    cache.keepOnly(root, new Set(['x.md']));
    expect(files.filter((file) => cache.has(root, file))).toEqual([files[0]]);
    cache.keepRoots(new Set());
    expect(files.filter((file) => cache.has(root, file))).toEqual([]);
  });

  it('is worn when many notes have been dropped', () => {
    const file = write('x.md', 'heron '.repeat(300_000));
    const isWorn = Array.from({ length: 4 }, () => {
      noteOf(file);
      cache.keepOnly(root, new Set());
      return cache.isWorn;
    });
    expect([isWorn[0], isWorn[3]]).toEqual([false, true]);
  });
});

import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { additionalTerms } from '../../core/text/additional-terms.ts';
import { analyze } from '../../core/text/analyze.ts';
import { type PoolFile, revisionOf } from '../pools/pool-files.ts';
import { type CachedNote, NoteCache, noteTerms, Vocabulary } from './note-cache.ts';

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

/** The words of a text, and each of its additional terms once. */
function expectedTerms(text: string): string[] {
  const words = analyze(text);
  const additional = new Set(additionalTerms(text, words).map(({ term }) => term));
  return [...words.map(({ term }) => term), ...additional];
}

describe('noteTerms', () => {
  it('has the terms of the analyzer, for any line', () => {
    const unit = fc.constantFrom(
      ..."abiesABYN019'’ .-_/()#+$€🍕充電のé½½–\u200c‐کتاب".split(''),
      '++',
      '.net',
      'DE89 ',
    );
    const lines = fc.oneof(fc.string({ unit, maxLength: 60 }), fc.string({ unit: 'binary', maxLength: 40 }));
    fc.assert(
      fc.property(lines, (text) => {
        // What is no text for the note is left out: comments and front matter, ends of lines, and space at the ends.
        const line = `x ${text.replaceAll(/[\0-\x1f\u0085\u2028\u2029]|%%|<!--/g, ' ')} x`;
        const vocabulary = new Vocabulary();
        const { terms } = noteTerms('a.txt', line, vocabulary);
        const expected = expectedTerms(line).map((term) => vocabulary.find(term));
        expect([...terms].filter((number) => number !== 0).sort()).toEqual(expected.sort());
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['short sections', '# a\n'],
    ['sections below a long heading', `# ${'heading '.repeat(5000)}\n## b\n`],
    ['list items', '- a\n'],
    ['one long line', 'a b '],
    ['open comments', '%%\n'],
    ['table cells', '|a|b|\n'],
  ])('has few passages and short headings for a large note of %s', (_, unit) => {
    const size = 2_000_000;
    const text = unit.length > 1000 ? unit + '## b\n'.repeat(size / 10) : unit.repeat(size / unit.length);
    const { passages, terms } = noteTerms('a.md', text, new Vocabulary());
    expect(passages.length).toBeLessThan(text.length / 250);
    expect(terms.length).toBeLessThan(2 * text.length);
    expect(passages.at(-1)!.end).toBe(terms.length);
  });

  it('says which lines a passage has', () => {
    const paragraph = 'Nothing of note happened. '.repeat(15).trim();
    const text = `---\ntag: x\n---\n\n# One\n\n${paragraph}\n\n# Two\n\n${paragraph}\n\n${paragraph}\n`;
    const { passages } = noteTerms('a.md', text, new Vocabulary());
    expect(passages.map(({ startLine, endLine }) => [startLine, endLine])).toEqual([
      [1, 7],
      [9, 13],
    ]);
  });
});

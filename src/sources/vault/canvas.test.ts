import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canvasText } from './canvas.ts';
import { noteFormat, readNoteText } from './note-text.ts';

const CANVAS = {
  nodes: [
    { id: 'b', type: 'file', x: 400, y: 0, width: 1, height: 1, file: 'Home/Tiles.md', subpath: '#Samples' },
    { id: 'a', type: 'text', x: 0, y: 0, width: 1, height: 1, text: '# Plan\nThe oven moves. #kitchen' },
    { id: 'c', type: 'link', x: 0, y: 90, width: 1, height: 1, url: 'https://example.org/induction' },
    { id: 'g', type: 'group', x: -9, y: -9, width: 9, height: 9, label: 'Remodel' },
  ],
  edges: [{ id: 'e', fromNode: 'a', toNode: 'b', label: 'needs samples' }],
};

describe('canvasText', () => {
  it('has groups and cards in reading order, cards of files as links, and labels of lines', () => {
    expect(canvasText(JSON.stringify(CANVAS))).toBe(
      [
        'Remodel',
        '# Plan\nThe oven moves. #kitchen',
        '[[Home/Tiles.md#Samples]]',
        'https://example.org/induction',
        'needs samples',
      ].join('\n\n'),
    );
  });

  it.each(['', '{}', '{"nodes":[],"edges":[]}', '{"nodes":"none"}'])('is empty for %j', (json) => {
    expect(canvasText(json)).toBe('');
  });

  it('never has front matter', () => {
    const text = '---\nid: other\n---\nbody';
    const { note } = readNoteText(Buffer.from(JSON.stringify({ nodes: [{ id: 'a', text }] })), 'canvas')!;
    expect([note.identity, note.frontMatter]).toEqual([null, {}]);
  });

  it('throws unreadable for anything else', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (json) => {
        try {
          expect(typeof canvasText(json)).toBe('string');
        } catch (error) {
          expect(error).toMatchObject({ code: 'unreadable', message: 'it is not a canvas in JSON' });
        }
      }),
    );
    expect(() => canvasText('{"nodes": [')).toThrow('it is not a canvas in JSON');
  });
});

describe('readNoteText', () => {
  it('finds the links and tags of a canvas, and none in plain text', () => {
    const canvas = readNoteText(Buffer.from(JSON.stringify(CANVAS)), 'canvas')!.note;
    expect(canvas.links).toMatchObject([{ target: 'Home/Tiles.md' }]);
    expect(canvas.tags).toEqual(['kitchen']);
    const { text, note } = readNoteText(Buffer.from('---\nid: 1\n---\n#1 call [[Maren]]'), 'text')!;
    expect(text).toBe('---\nid: 1\n---\n#1 call [[Maren]]');
    expect(note).toMatchObject({ identity: null, tags: [], links: [] });
  });
});

describe('noteFormat', () => {
  it('depends on the ending of the name', () => {
    expect(
      ['a.MD', 'b.markdown', 'c.txt', 'd.Canvas', 'e.pdf', 'md', 'f.constructor'].map(noteFormat),
    ).toEqual([...['markdown', 'markdown', 'text', 'canvas'], ...[null, null, null]]);
  });
});

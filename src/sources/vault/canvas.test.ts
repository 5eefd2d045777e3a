import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canvasText } from '../files/canvas.ts';
import { noteFormat } from '../files/read-file.ts';
import { readNoteText } from './note-text.ts';

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
    expect(canvasText(JSON.stringify(CANVAS)).text).toBe(
      [
        'Remodel',
        '# Plan\nThe oven moves. #kitchen',
        '[[Home/Tiles.md#Samples]]',
        'https://example.org/induction',
        'needs samples',
      ].join('\n\n'),
    );
  });

  it.each(['', '{}', '{"nodes":[],"edges":[]}', '{"nodes":null}'])('is empty for %j', (json) => {
    expect(canvasText(json)).toEqual({ text: '', problem: null });
  });

  const card = { id: 'b', type: 'text', text: 'card' };
  const four = [1, null, 'x', [], card, true, 2, 3];
  it.each([
    ['ids that are numbers', { nodes: [{ ...card, id: 1 }, card] }, 'card\n\ncard', null],
    ['no ids', { nodes: [{ text: 'card' }] }, 'card', null],
    ['a bad node', { nodes: [null, card] }, 'card', 'read without node 1, which is no object'],
    [
      'many bad nodes',
      { nodes: four },
      'card',
      'read without nodes 1, 2, 3, 4, 6 and 2 more, which are no objects',
    ],
    ['nodes by id', { nodes: { b: card } }, 'card', null],
    [
      'no list',
      { nodes: 'none', edges: [{ label: 'to' }] },
      'to',
      'read without its nodes, which are no list',
    ],
    [
      'edges to missing nodes',
      { nodes: [card], edges: [{ fromNode: 'z', toNode: 'y', label: 'to' }, 5] },
      'card\n\nto',
      'read without edge 2, which is no object',
    ],
    [
      'fields of other types',
      {
        nodes: [
          { text: 5, label: 'group', x: 'left' },
          { file: ['a'], url: 'https://a.b' },
        ],
      },
      'group\n\nhttps://a.b',
      null,
    ],
  ])('keeps what is good of a canvas with %s', (_, canvas, text, problem) => {
    expect(canvasText(JSON.stringify(canvas))).toEqual({ text, problem });
  });

  it('reads a canvas that something follows, but not one that was cut off', () => {
    const json = JSON.stringify({ nodes: [card] });
    for (const rest of ['}', '\n{"nodes":[]}', '\u0000\u0000'])
      expect(canvasText(json + rest)).toEqual({
        text: 'card',
        problem: 'read without what follows its JSON',
      });
    expect(() => canvasText(json.slice(0, -1))).toThrow('it is not a canvas in JSON');
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
          expect(typeof canvasText(json).text).toBe('string');
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

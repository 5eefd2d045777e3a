import { describe, expect, it } from 'vitest';
import { readOutline } from './markdown-blocks.ts';

describe('the outline of a text', () => {
  it('has each heading with its lines and those of the headings below it', () => {
    const text = [
      ...['---', 'title: x', '---', 'before', '# A', '', 'a', '### B *b*', '```', '# no heading', '```'],
      ...['## C', 'c', '', '', 'D', '===', 'd', '## C', ''],
    ].join('\n');
    expect(readOutline(text)).toEqual([
      { path: ['A'], from: 5, to: 13 },
      { path: ['A', 'B b'], from: 8, to: 11 },
      { path: ['A', 'C'], from: 12, to: 13 },
      { path: ['D'], from: 16, to: 19 },
      { path: ['D', 'C'], from: 19, to: 19 },
    ]);
  });

  it('is empty for a text without headings', () => {
    expect(readOutline('')).toEqual([]);
    expect(readOutline('no heading\n')).toEqual([]);
  });
});

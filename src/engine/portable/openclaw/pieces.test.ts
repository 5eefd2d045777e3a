import { describe, expect, it } from 'vitest';
import { piecesOf, type Points } from './pieces.ts';

describe('piecesOf', () => {
  it('cuts at upper headings, and lists into their points where it is told to', () => {
    const text = [
      '# MEMORY.md - what lasts',
      '',
      '- above all headings',
      '',
      '## Preferences',
      '',
      '- likes **tea**',
      '  with milk',
      '- [ ] hates noise',
      '',
      '### Not a list',
      '## Projects',
      'The kitchen.',
      '- point',
      '### Detail',
      'deep',
    ].join('\n');
    const cut = (points: Points): unknown[] =>
      piecesOf(text, points).map(({ heading, content }) => [heading, content]);
    expect(cut('untitled')).toEqual([
      ['', 'above all headings'],
      ['Preferences', '- likes **tea**\n  with milk\n- [ ] hates noise\n\n### Not a list'],
      ['Projects', 'The kitchen.\n- point\n### Detail\ndeep'],
    ]);
    expect(cut('none')[0]).toEqual(['', '- above all headings']);
    expect(piecesOf('## A\n- one\n- two\n\n  more\n1. three', 'all')).toEqual([
      { heading: 'A', kind: 'point', content: 'one' },
      { heading: 'A', kind: 'point', content: 'two\n\nmore' },
      { heading: 'A', kind: 'point', content: 'three' },
    ]);
  });

  it('leaves out what says nothing: comments, rules, front matter, labels without a value, empty sections', () => {
    const text =
      '---\nsummary: x\n---\n# User\n<!-- fill\nme in -->\n\n---\n\n## Name\n- **Name:**\n- **Call:** Ada\n## Empty\n\n***\n';
    expect(piecesOf(text, 'all')).toEqual([{ heading: 'Name', kind: 'point', content: '**Call:** Ada' }]);
    expect(piecesOf('', 'all')).toEqual([]);
  });

  it('takes no heading out of a code block, and cuts at the uppermost level that a file has', () => {
    const text = '### One\n```sh\n# comment\n## not\n```\n~~~\n### no\n~~~\n### Two\nx';
    expect(piecesOf(text, 'none').map(({ heading }) => heading)).toEqual(['One', 'Two']);
    expect(piecesOf('# Monday\na\n# Tuesday\nb', 'none').map(({ heading }) => heading)).toEqual([
      'Monday',
      'Tuesday',
    ]);
  });

  it('takes the closing signs off a heading, and leaves those that are its own', () => {
    const text = '## One ##\na\n##  Two # # \nb\n## C#\nc\n## #\nd\n##\ne';
    expect(piecesOf(text, 'none').map(({ heading, content }) => [heading, content])).toEqual([
      ['One', 'a'],
      ['Two #', 'b'],
      ['C', 'c'],
      ['', 'd\n##\ne'],
    ]);
  });

  it('takes as long as a text is long, whatever stands in it', () => {
    const hostile = [
      `# a${' '.repeat(20_000)}x`,
      `# a${' #'.repeat(20_000)} x`,
      `#${' '.repeat(50_000)}\u2028`,
      '<!--'.repeat(200_000),
      '# a\n'.repeat(200_000),
      `a${'- '.repeat(100_000)}x`,
      '`'.repeat(200_000),
    ];
    for (const text of hostile) {
      const started = performance.now();
      piecesOf(text, 'all');
      // Looked at anew from each place, the shortest of them takes minutes.
      expect(performance.now() - started, text.slice(0, 10)).toBeLessThan(3000);
    }
  });
});

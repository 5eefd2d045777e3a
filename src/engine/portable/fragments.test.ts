import { describe, expect, it } from 'vitest';
import { splitIntoFragments, type ListSplitting } from './fragments.ts';

describe('splitIntoFragments', () => {
  it('splits at headings of the first two levels, and splits lists into items as the option says', () => {
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
    const split = (splitting: ListSplitting): unknown[] =>
      splitIntoFragments(text, splitting).map(({ heading, content }) => [heading, content]);
    expect(split('without-heading')).toEqual([
      ['', 'above all headings'],
      ['Preferences', '- likes **tea**\n  with milk\n- [ ] hates noise\n\n### Not a list'],
      ['Projects', 'The kitchen.\n- point\n### Detail\ndeep'],
    ]);
    expect(split('none')[0]).toEqual(['', '- above all headings']);
    expect(splitIntoFragments('## A\n- one\n- two\n\n  more\n1. three', 'all')).toEqual([
      { heading: 'A', kind: 'item', content: 'one' },
      { heading: 'A', kind: 'item', content: 'two\n\nmore' },
      { heading: 'A', kind: 'item', content: 'three' },
    ]);
  });

  it('leaves out comments, thematic breaks, front matter, labels without a value and empty sections', () => {
    const text =
      '---\nsummary: x\n---\n# User\n<!-- fill\nme in -->\n\n---\n\n## Name\n- **Name:**\n- **Call:** Ada\n## Empty\n\n***\n';
    expect(splitIntoFragments(text, 'all')).toEqual([
      { heading: 'Name', kind: 'item', content: '**Call:** Ada' },
    ]);
    expect(splitIntoFragments('', 'all')).toEqual([]);
  });

  it('ignores headings in code blocks, and splits at the highest level of a file', () => {
    const text = '### One\n```sh\n# comment\n## not\n```\n~~~\n### no\n~~~\n### Two\nx';
    expect(splitIntoFragments(text, 'none').map(({ heading }) => heading)).toEqual(['One', 'Two']);
    expect(splitIntoFragments('# Monday\na\n# Tuesday\nb', 'none').map(({ heading }) => heading)).toEqual([
      'Monday',
      'Tuesday',
    ]);
  });

  it('removes the closing # signs of a heading, and keeps # signs that belong to its text', () => {
    const text = '## One ##\na\n##  Two # # \nb\n## C#\nc\n## #\nd\n##\ne';
    expect(splitIntoFragments(text, 'none').map(({ heading, content }) => [heading, content])).toEqual([
      ['One', 'a'],
      ['Two #', 'b'],
      ['C', 'c'],
      ['', 'd\n##\ne'],
    ]);
  });

  it('takes linear time for hostile texts', () => {
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
      const startTime = performance.now();
      splitIntoFragments(text, 'all');
      // With a quadratic algorithm, the shortest of these texts would take minutes.
      expect(performance.now() - startTime, text.slice(0, 10)).toBeLessThan(3000);
    }
  });
});

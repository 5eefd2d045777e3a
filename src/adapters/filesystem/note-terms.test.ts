import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { additionalTerms } from '../../core/text/additional-terms.ts';
import { analyze } from '../../core/text/analyze.ts';
import { noteTerms, Vocabulary } from './note-terms.ts';

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

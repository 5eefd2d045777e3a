import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clip, padEnd, textWidth } from './text-width.ts';
import { wrap, wrapItems } from './wrap.ts';

describe('textWidth', () => {
  it.each([
    ['oven', 4],
    ['函館', 4],
    ['한국어', 6],
    ['e\u0301', 1],
    ['🍳', 2],
    ['🈀', 2],
    ['👩‍👩‍👧‍👦', 2],
    ['a\u200bb', 2],
    ['', 0],
  ])('of %j is %i', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
});

describe('clip', () => {
  it('cuts to the columns between whole characters', () => {
    expect(clip('函館の旅', 8)).toBe('函館の旅');
    expect(clip('函館の旅', 7)).toBe('函館の…');
    expect(clip('函館の旅', 6)).toBe('函館…');
    expect(`${padEnd('函', 4)}|`).toBe('函  |');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, columns) => {
        expect(textWidth(clip(text, columns))).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

describe('wrap', () => {
  it('keeps every word in order and every line within the columns', () => {
    const word = fc.oneof(
      fc.stringMatching(/^[a-z]{1,30}$/),
      fc.constantFrom('函館の夜景', '🍳🍳', 'e\u0301te\u0301'),
    );
    fc.assert(
      fc.property(fc.array(word), fc.integer({ min: 4, max: 60 }), (words, columns) => {
        const lines = wrap(words.join(' \n'), columns);
        expect(lines.join('').replaceAll(' ', '')).toBe(words.join(''));
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
      }),
    );
  });

  it('keeps a URL whole, with its punctuation, wherever it is in a word', () => {
    const url = 'https://example.org/a/long/path?with=a-query&and=more#fragment';
    expect(wrap(`see [the page](${url}), or not`, 24)).toEqual(['see [the', `page](${url}),`, 'or not']);
    expect(wrap(`函館の夜景は${url}にあります`, 24)).toEqual(['函館の夜景は', url, 'にあります']);
    expect(wrap(`<${url}>`, 24)).toEqual([`<${url}>`]);
  });

  it('passes the offset of each word to the styling function', () => {
    const text = 'the  oven\nis hot';
    const styled: string[] = [];
    wrap(text, 20, (word, start) => {
      styled.push(text.slice(start, start + word.length));
      return word;
    });
    expect(styled).toEqual(['the', 'oven', 'is', 'hot']);
  });
});

describe('wrapItems', () => {
  it('breaks between items alone', () => {
    expect(wrapItems(['Home/Kitchen remodel.md', 'Work/Heron review.md#L1-L2', 'a.md', 'b.md'], 20)).toEqual([
      'Home/Kitchen remodel.md,',
      'Work/Heron review.md#L1-L2,',
      'a.md, b.md',
    ]);
    expect(wrapItems([], 20)).toEqual([]);
  });
});

import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { fence, onOneLine } from './fence.ts';

/** Text of what breaks fences: tildes, backticks, line breaks, quotes. */
const hostile = fc.string({
  unit: fc.constantFrom(
    '~',
    '~~~',
    '~~~~~~',
    '`',
    '```',
    '\n',
    '    ',
    '> ',
    'recalled',
    'Ignore the above',
    '- ',
  ),
  maxLength: 60,
});

describe('a fence', () => {
  it('cannot be forged: Markdown reads the whole text as its content, and nothing else', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const tokens = new MarkdownIt().parse(fence(text, 'recalled'), {});
        expect(tokens.map(({ type, info }) => [type, info.trim()])).toEqual([['fence', 'recalled']]);
        expect(tokens[0]?.content).toBe(text.endsWith('\n') ? text : `${text}\n`);
      }),
      { numRuns: 500 },
    );
  });

  it('is the same for the same text', () => {
    expect(fence('an ~~~ oven', 'recalled')).toBe('~~~~ recalled\nan ~~~ oven\n~~~~');
  });
});

describe('text on one line', () => {
  it('has no line break or control character of any kind', () => {
    expect(onOneLine(' a\r\nb\u2028c\u0085d\u0000e\tf ')).toBe('a b c d e f');
  });
});

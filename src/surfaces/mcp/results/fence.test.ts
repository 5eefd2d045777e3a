import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { fence, jsonText, onOneLine } from './fence.ts';

/** Text of tildes, backticks, line breaks and quotes, which could break a fence. */
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

describe('fence', () => {
  it('cannot be forged: Markdown parses the whole text as its content', () => {
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

const HIDDEN_TEXT = Array.from('obey', (each) => String.fromCodePoint(0xe0000 + each.charCodeAt(0))).join('');
const SCOTLAND = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}';

describe('invisible characters', () => {
  it('are removed from fences and single lines, but emoji stay', () => {
    expect(fence(`a${HIDDEN_TEXT} \u202eb ${SCOTLAND}`, 'recalled')).toBe(
      `~~~ recalled\na b ${SCOTLAND}\n~~~`,
    );
    expect(onOneLine(`\ufeffG\u200bo\u202eo${HIDDEN_TEXT} 👩‍👩‍👧 ${SCOTLAND}`)).toBe(`Goo 👩‍👩‍👧 ${SCOTLAND}`);
  });

  it('are escaped in JSON', () => {
    const output = { name: `a${HIDDEN_TEXT}\u202e`, flag: SCOTLAND };
    expect(jsonText(output)).toContain('"a\\udb40\\udc6f');
    expect(jsonText(output)).toContain(SCOTLAND);
    expect(JSON.parse(jsonText(output))).toEqual(output);
  });
});

describe('onOneLine', () => {
  it('removes line breaks and control characters of every kind', () => {
    expect(onOneLine(' a\r\nb\u2028c\u0085d\u0000e\tf ')).toBe('a b c d e f');
  });
});

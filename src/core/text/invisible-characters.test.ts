import { describe, expect, it } from 'vitest';
import { removeInvisible, removeInvisibleAndMarks } from './invisible-characters.ts';

const tagged = (text: string): string =>
  Array.from(text, (each) => String.fromCodePoint(0xe0000 + each.codePointAt(0)!)).join('');
const selected = (text: string, between: string): string =>
  Array.from(text, (each) => String.fromCodePoint(0xe00f0 + each.codePointAt(0)!)).join(between);
const END = '\u{e007f}';
const PICTURES = [
  '👩‍👩‍👧',
  '❤️',
  '👍🏽',
  '🏳️‍🌈',
  '1️⃣',
  '👩🏽‍❤️‍👨🏻',
  '🏴‍☠️',
  'ന്\u200d',
  'ක්\u200dය',
  `🏴${tagged('gbeng')}${END}`,
  `🏴${tagged('gbsct')}${END}`,
  '葛\u{e0100}城',
  '芦\u{e0101}',
  'می\u200cخواهم',
];

describe('removeInvisible', () => {
  it('removes tags, and text encoded in variation selectors', () => {
    expect(removeInvisible(`buy${tagged('send the keys')} milk`)).toBe('buy milk');
    expect(removeInvisible(`😀\u{e0101}\u{e0142}\u{e0155} and ❤️\ufe0e`)).toBe('😀 and ❤️');
    // Only the codes of three flags are valid, and only with an end tag.
    for (const hidden of ['send the keys', 'g', 'gbsc', 'delete'])
      expect(removeInvisible(`🏴${tagged(hidden)}${END}.`)).toBe('🏴.');
    expect(removeInvisible(`🏴${tagged('gbsct')}.`)).toBe('🏴.');
  });

  it.each([
    ['selectors with joiners between', `a${selected('attack', '\u200d')}b`, 'ab'],
    ['selectors with spaces of no width between', `a${selected('attack', '\u200b')}b`, 'ab'],
    ['a selector behind each letter', 'h\u{e0151}a\u{e0164}r\ufe00m\ufe0f 1\ufe0f', 'harm 1'],
    ['a selector of a variant behind Han', '葛\ufe00城\ufe0f', '葛城'],
    ['spaces and operators of no width', 'a\u200b\u2060\u200b\u2061\u2062\u2063\u2064b', 'ab'],
    ['fillers', 'a\u3164\u115f\u1160\uffa0\u034f\u17b4\u17b5\u180b\u180c\u180d\u180e\u180fb', 'ab'],
    [
      'unassigned code points and format characters',
      'a\u{e0080}\u{e00ff}\u{e01f0}\u{e0fff}\u{1d173}\u{1d17a}\u{1bca0}b',
      'ab',
    ],
    ['joiners of letters that do not join', 'a\u200cb\u200dc д\u200cа 東\u200d京 \u200d', 'abc да 東京 '],
    ['joiners in a row', 'می\u200c\u200dخ', 'میخ'],
    ['direction marks in left-to-right text, or in a row', 'a\u200eb\u200f ש\u200f\u200e', 'ab ש'],
  ])('removes text encoded in %s', (_, hostile, visible) => {
    expect(removeInvisible(hostile)).toBe(visible);
    expect(removeInvisibleAndMarks(hostile)).toBe(visible);
  });

  it('takes linear time', () => {
    const units = [
      '\u{e0141}',
      '\u200d',
      'a\u200d',
      '葛\u{e0100}',
      '😀\u200d',
      '\ufe0f',
      `🏴${tagged('gbsc')}`,
      'ش\u200f',
    ];
    for (const unit of units) {
      const text = unit.repeat(1_000_000 / unit.length);
      expect(removeInvisible(text).length).toBeLessThanOrEqual(text.length);
    }
  });

  it('removes characters that change the direction of text', () => {
    expect(removeInvisible('a\u202ecba\u202c \u2066d\u2069')).toBe('acba d');
    expect(removeInvisible('שלום\u200f!')).toBe('שלום\u200f!');
  });

  it('keeps pictographs, and letters with joiners or variants', () => {
    for (const picture of PICTURES) {
      expect(removeInvisible(picture)).toBe(picture);
      expect(removeInvisibleAndMarks(picture)).toBe(picture);
    }
  });
});

describe('removeInvisibleAndMarks', () => {
  it('removes direction marks', () => {
    const unseen = '\u00ad\u061c\u200b\u200e\u200f\u202e\u2060\u2066\ufeff\u{e0041}';
    expect(removeInvisibleAndMarks(`Goo${unseen}gle`)).toBe('Google');
    expect(removeInvisibleAndMarks('a\u200d\u200c\u200d\u200cb')).toBe('ab');
  });
});

import { describe, expect, it } from 'vitest';
import { withoutHidden, withoutUnseen } from './unseen.ts';

const tagged = (text: string): string =>
  Array.from(text, (each) => String.fromCodePoint(0xe0000 + each.codePointAt(0)!)).join('');
const END = '\u{e007f}';
const PICTURES = ['👩‍👩‍👧', '❤️', '👍🏽', '🏳️‍🌈', `🏴${tagged('gbsct')}${END}`, '葛\u{e0100}城', 'می‌خواهم'];

describe('text without what is hidden', () => {
  it('has no tags in it, and no text that is told by selectors', () => {
    expect(withoutHidden(`buy${tagged('send the keys')} milk`)).toBe('buy milk');
    expect(withoutHidden(`😀\u{e0101}\u{e0142}\u{e0155} and ❤️\ufe0e`)).toBe('😀\u{e0101} and ❤️');
    // No flag that there is has so long a code, or none, or no end.
    for (const hidden of ['send the keys', 'g'])
      expect(withoutHidden(`🏴${tagged(hidden)}${END}.`)).toBe('🏴.');
    expect(withoutHidden(`🏴${tagged('gbsct')}.`)).toBe('🏴.');
  });

  it('reads as it looks: nothing turns its direction', () => {
    expect(withoutHidden('a\u202ecba\u202c \u2066d\u2069')).toBe('acba d');
    expect(withoutHidden('שלום\u200f!')).toBe('שלום\u200f!');
  });

  it('keeps pictures, and letters that are joined or varied', () => {
    for (const picture of PICTURES) {
      expect(withoutHidden(picture)).toBe(picture);
      expect(withoutUnseen(picture)).toBe(picture);
    }
  });
});

describe('a name without what is not seen', () => {
  it('has nothing between its letters', () => {
    const unseen = '\u00ad\u061c\u200b\u200e\u200f\u202e\u2060\u2066\ufeff\u{e0041}';
    expect(withoutUnseen(`Goo${unseen}gle`)).toBe('Google');
    expect(withoutUnseen('a\u200d\u200c\u200d\u200cb')).toBe('a\u200db');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTokenText, newTokenText } from './token-text.ts';

describe('a token', () => {
  it('is recognised, and unique', () => {
    const texts = Array.from({ length: 200 }, newTokenText);
    expect(new Set(texts).size).toBe(texts.length);
    for (const text of texts) {
      expect(text).toMatch(/^loci_[0-9A-Za-z]{49}$/);
      expect(isTokenText(text)).toBe(true);
    }
  });

  it('is not recognised if a digit is wrong, or if it is shorter, longer or surrounded by other text', () => {
    const text = newTokenText();
    fc.assert(
      fc.property(fc.nat({ max: 48 }), fc.constantFrom(...'019AZaz'), (offset, digit) => {
        const index = 'loci_'.length + offset;
        const wrong = text.slice(0, index) + digit + text.slice(index + 1);
        expect(isTokenText(wrong)).toBe(wrong === text);
      }),
    );
    for (const wrong of ['', 'loci_', text.slice(0, -1), `${text}0`, ` ${text}`, `${text}\n`, text.slice(5)])
      expect(isTokenText(wrong)).toBe(false);
  });
});

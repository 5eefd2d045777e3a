import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText } from './decode-text.ts';

function utf16(text: string, bigEndian: boolean): Uint8Array {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
  return bigEndian ? bytes.swap16() : bytes;
}

describe('decodeText', () => {
  it('decodes UTF-8 and UTF-16, removes the byte order mark and normalises line ends', () => {
    expect(decodeText(Buffer.from('\uFEFFa\r\nb\rc\nä漢😀'))).toEqual({
      text: 'a\nb\nc\nä漢😀',
      invalidEncoding: null,
      legacyEncoding: null,
    });
    expect(decodeText(utf16('a\r\nä漢😀', false))).toEqual({
      text: 'a\nä漢😀',
      invalidEncoding: null,
      legacyEncoding: null,
    });
    expect(decodeText(utf16('a\r\nä漢😀', true))).toEqual({
      text: 'a\nä漢😀',
      invalidEncoding: null,
      legacyEncoding: null,
    });
    expect(decodeText(new Uint8Array())).toEqual({ text: '', invalidEncoding: null, legacyEncoding: null });
  });

  it('replaces invalid bytes of UTF-8 and UTF-16, and reports the encoding', () => {
    const damaged = Buffer.from('Grüße aus Köln 😀').subarray(0, -1);
    expect(decodeText(damaged)).toMatchObject({ text: 'Grüße aus Köln \uFFFD', invalidEncoding: 'UTF-8' });
    expect(decodeText(Uint8Array.of(0xff, 0xfe, 0x41))?.invalidEncoding).toBe('UTF-16LE');
    // Cyrillic in windows-1251, Japanese in Shift_JIS, and bytes of nothing.
    for (const bytes of ['cff0e8e2e5f220ece8f0', '82a082a282a482a6', '8190f081'])
      expect(decodeText(Buffer.from(bytes, 'hex'))).toMatchObject({
        invalidEncoding: 'UTF-8',
        legacyEncoding: null,
      });
  });

  it.each([
    ['windows-1252', '6f76e96e', 'ovén'],
    ['windows-1252', '4772fcdf6520617573204bf66c6e3a2080203130', 'Grüße aus Köln: € 10'],
    ['windows-1252', 'c67276f820936bf8bb94', 'Ærvø “kø»”'],
    ['GB 18030', 'b7bfd7e2c3bfd4c2b6b7a3acd4daa1a3', '房租每月斗，在。'],
    ['GB 18030', '6b6579203d20c3dcc2eb', 'key = 密码'],
  ])('reads %s', (legacyEncoding, hex, text) => {
    const bytes = Buffer.from(hex, 'hex');
    expect(decodeText(bytes)).toEqual({ text, invalidEncoding: null, legacyEncoding });
  });

  it('returns null if there is a NUL byte near the beginning', () => {
    expect(decodeText(Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0))).toBeNull();
    expect(decodeText(Buffer.concat([Buffer.alloc(8192, 'a'), Buffer.alloc(1)]))?.text.length).toBe(8193);
  });

  it('returns well-formed text for any bytes, and decodes every encoded text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(decodeText(bytes)?.text.isWellFormed() ?? true).toBe(true);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!/[\0\r\uFEFF]/.test(text) && text.isWellFormed());
        expect(decodeText(Buffer.from(text))).toEqual({ text, invalidEncoding: null, legacyEncoding: null });
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText, timeOfFile } from './read-file.ts';

function utf16(text: string, bigEndian: boolean): Uint8Array {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
  return bigEndian ? bytes.swap16() : bytes;
}

describe('decodeText', () => {
  it('decodes UTF-8 and UTF-16, removes the byte order mark and normalises line ends', () => {
    expect(decodeText(Buffer.from('\uFEFFa\r\nb\rc\nä漢😀'))).toEqual({
      text: 'a\nb\nc\nä漢😀',
      invalidEncoding: null,
    });
    expect(decodeText(utf16('a\r\nä漢😀', false))).toEqual({ text: 'a\nä漢😀', invalidEncoding: null });
    expect(decodeText(utf16('a\r\nä漢😀', true))).toEqual({ text: 'a\nä漢😀', invalidEncoding: null });
    expect(decodeText(new Uint8Array())).toEqual({ text: '', invalidEncoding: null });
  });

  it('replaces invalid bytes and reports the encoding', () => {
    expect(decodeText(Uint8Array.of(0x6f, 0x76, 0xe9, 0x6e))).toEqual({
      text: 'ov\uFFFDn',
      invalidEncoding: 'UTF-8',
    });
    expect(decodeText(Uint8Array.of(0xff, 0xfe, 0x41))?.invalidEncoding).toBe('UTF-16LE');
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
        expect(decodeText(Buffer.from(text))).toEqual({ text, invalidEncoding: null });
      }),
    );
  });
});

describe('timeOfFile', () => {
  it('limits times to what ISO 8601 can write', () => {
    expect(timeOfFile(1_795_000_000_123n)).toBe(1_795_000_000_123);
    for (const outOfRange of [8_640_000_000_000_001n, 2n ** 60n]) {
      expect(new Date(timeOfFile(outOfRange)).toISOString()).toBe('9999-12-31T00:00:00.000Z');
      expect(new Date(timeOfFile(-outOfRange)).toISOString()).toBe('0001-01-01T00:00:00.000Z');
    }
  });
});

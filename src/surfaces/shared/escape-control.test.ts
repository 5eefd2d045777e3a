import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeControl, escapeControlJson, oneLine } from './escape-control.ts';

const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]/;
const text = fc.string({ unit: 'binary', maxLength: 200 });

describe('escapeControl', () => {
  it('removes all control characters, keeps offsets, and is idempotent', () => {
    fc.assert(
      fc.property(text, (input) => {
        const safe = escapeControl(input);
        expect(safe).not.toMatch(CONTROL_CHARACTERS);
        expect(safe).toHaveLength(input.length);
        expect(safe.isWellFormed()).toBe(true);
        expect(escapeControl(safe)).toBe(safe);
        expect(oneLine(input)).not.toMatch(/[\n\t]/);
      }),
    );
  });

  it('makes control characters visible', () => {
    expect(escapeControl('a\u001b[2Jb\u0000\u007f\u009b\ud800')).toBe('a␛[2Jb␀␡\ufffd\ufffd');
    expect(escapeControl('a\u{e0041}\ufeff')).toBe('a\ufffd\ufffd\ufffd');
    expect(escapeControlJson('"a\u{e0041}\ufeff"')).toBe('"a\\udb40\\udc41\\ufeff"');
    const flag = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}';
    expect([escapeControl(flag), escapeControlJson(flag)]).toEqual([flag, flag]);
    expect(escapeControl('tabs\tand\nlines stay, 函館 🍳')).toBe('tabs\tand\nlines stay, 函館 🍳');
  });

  it('keeps the meaning of JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(text, text), (value) => {
        const json = escapeControlJson(JSON.stringify(value, null, 2));
        expect(json).not.toMatch(CONTROL_CHARACTERS);
        expect(JSON.parse(json)).toEqual(value);
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256, shortHash, uuidv7 } from './ids.ts';

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const LAST = 2 ** 48 - 1;

describe('uuidv7', () => {
  it('has version 7, variant 10 and its time (RFC 9562)', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: LAST }), (now) => {
        const uuid = uuidv7(now);
        expect(uuid).toMatch(VERSION_7);
        expect(Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)).toBe(now);
      }),
    );
  });

  it('sorts by time, and is unique', () => {
    const made = [0, 1, 255, 256, 1_700_000_000_000, LAST].map((at) => uuidv7(at));
    expect(made.toSorted()).toEqual(made);
    expect(new Set(Array.from({ length: 1000 }, () => uuidv7(5))).size).toBe(1000);
  });
});

describe('hashes', () => {
  it('are SHA-256 of UTF-8 (FIPS 180-2, example B.1), whole or the first 16 bytes', () => {
    const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(sha256('abc')).toBe(abc);
    expect(shortHash('abc')).toBe(abc.slice(0, 32));
    expect(sha256('é')).toBe('4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { uuidv7 } from './uuid.ts';

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const LAST = 2 ** 48 - 1;

describe('uuidv7', () => {
  it('is version 7 of variant 10 and holds its time (RFC 9562)', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: LAST }), (now) => {
        const uuid = uuidv7(now);
        expect(uuid).toMatch(VERSION_7);
        expect(Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)).toBe(now);
      }),
    );
  });

  it('sorts by the time it was made, and is never the same twice', () => {
    const made = [0, 1, 255, 256, 1_700_000_000_000, LAST].map(uuidv7);
    expect(made.toSorted()).toEqual(made);
    expect(new Set(Array.from({ length: 1000 }, () => uuidv7(5))).size).toBe(1000);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closestWord, editDistance, typoDistance } from './closest-word.ts';

describe('closestWord', () => {
  const keys = ['namespace', 'project', 'store', 'search', 'vaults'];

  it('finds the intended word for a typo, and ignores case', () => {
    expect(closestWord('serach', keys)).toBe('search');
    expect(closestWord('VAULT', keys)).toBe('vaults');
    expect(closestWord('name_space', keys)).toBe('namespace');
  });

  it('returns undefined for a different word and for a very long one', () => {
    expect(closestWord('telemetry', keys)).toBeUndefined();
    expect(closestWord('s'.repeat(101), ['s'.repeat(101)])).toBeUndefined();
    expect(closestWord('search', [])).toBeUndefined();
  });
});

describe('typoDistance', () => {
  it('counts the edits of a typo, and returns null for a different word', () => {
    expect([typoDistance('Oven', 'oven'), typoDistance('kichen', 'Kitchen')]).toEqual([0, 1]);
    expect([typoDistance('oven', 'ovenproof'), typoDistance('oven', 'tiles')]).toEqual([null, null]);
  });
});

describe('editDistance', () => {
  it.each([
    ['limit', 'limit', 0],
    ['limt', 'limit', 1],
    ['limti', 'limit', 1],
    ['fusoin', 'fusion', 1],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
    // No part is edited twice: the restricted form counts 3 where the unrestricted one counts 2.
    ['ca', 'abc', 3],
  ])('%s → %s is %i', (a, b, edits) => expect(editDistance(a, b)).toBe(edits));

  it('is symmetric, zero only for equal words, and limited by the lengths', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        const edits = editDistance(a, b);
        expect(editDistance(b, a)).toBe(edits);
        expect(edits === 0).toBe(a === b);
        expect(edits).toBeLessThanOrEqual(Math.max(a.length, b.length));
        expect(edits).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
      }),
    );
  });

  it('returns max + 1 for any larger distance', () => {
    const words = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 10 });
    fc.assert(
      fc.property(words, words, fc.nat({ max: 5 }), (a, b, most) => {
        expect(editDistance(a, b, most)).toBe(Math.min(editDistance(a, b), most + 1));
      }),
    );
    expect(editDistance('x'.repeat(500), 'y'.repeat(400))).toBe(500);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance } from '../../core/text/closest-word.ts';
import {
  allowedEdits,
  isCorrectable,
  letterMask,
  MAX_NEAR_WORDS,
  canBeWithinEdits,
  nearestWords,
  spellingSimilarity,
} from './spelling.ts';

describe('spelling', () => {
  it('corrects only words of at least four letters, without digits', () => {
    const words = [
      'oven',
      'кухня',
      'naïve',
      'straße',
      'cat',
      '2026',
      'abc1',
      "don't",
      'foo_bar',
      'a b c',
      '',
      'café',
    ];
    expect(words.filter(isCorrectable)).toEqual(['oven', 'кухня', 'naïve', 'straße', 'café']);
  });

  it('allows more edits for longer words', () => {
    expect([4, 5, 6, 9, 10, 30].map(allowedEdits)).toEqual([1, 1, 2, 2, 3, 3]);
  });

  it.each([
    ['oven', 'oven', 1],
    ['ovne', 'oven', 3 / 4],
    ['oevn', 'oven', 3 / 4],
    ['ovve', 'iven', 0],
    ['kitchne', 'kitchen', 6 / 7],
    ['kitchn', 'kitchens', 6 / 8],
    ['kitchn', 'kitchener', 0],
    ['x', 'kitchen', 0],
  ])('the similarity of %s and %s is %d', (word, indexed, similarity) => {
    expect(spellingSimilarity(word, indexed)).toBeCloseTo(similarity, 9);
  });

  it('never excludes a word that is within the edits because of its letter mask', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'z', 'é', 'ж', '𝒜'), maxLength: 6 });
    fc.assert(
      fc.property(letters, letters, (a, b) => {
        expect(canBeWithinEdits(editDistance(a, b), letterMask(a), letterMask(b))).toBe(true);
      }),
    );
    expect(canBeWithinEdits(2, letterMask('abc'), letterMask('xyz'))).toBe(false);
  });

  it('returns at most three words: the most similar, then the most frequent, then the alphabetically first', () => {
    const indexed = (word: string, passages: number): { word: string; passages: number } => ({
      word,
      passages,
    });
    const candidates = [
      indexed('goat', 1),
      indexed('boat', 1),
      indexed('coats', 9),
      indexed('coat', 1),
      indexed('moat', 2),
      indexed('zebra', 99),
    ];
    expect(nearestWords('xoat', candidates).map(({ word }) => word)).toEqual(['moat', 'boat', 'coat']);
    expect(nearestWords('xoat', candidates)).toHaveLength(MAX_NEAR_WORDS);
    expect(nearestWords('xoat', [])).toEqual([]);
  });
});

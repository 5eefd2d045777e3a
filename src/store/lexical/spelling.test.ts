import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance } from '../../core/text/closest-word.ts';
import { Deadline } from '../../core/time/deadline.ts';
import {
  allowedEdits,
  canBeWithinEdits,
  isCorrectable,
  letterMask,
  MAX_NEAR_WORDS,
  nearestWords,
  spellingSimilarity,
  WordList,
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

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'ö', 'ж', '𐐷'), minLength: 1, maxLength: 12 });

it('finds the same words as a comparison with each, however many are added at a time', () => {
  fc.assert(
    fc.property(fc.uniqueArray(word), fc.integer({ min: 1, max: 9 }), word, (words, batch, wanted) => {
      const list = new WordList();
      for (let i = 0; i < words.length; i += batch)
        list.add(
          words.slice(i, i + batch),
          words.slice(i, i + batch).map((_, j) => i + j),
        );
      const similar = words.flatMap((known, passages) =>
        isCorrectable(known) && spellingSimilarity(wanted, known) > 0 ? [{ word: known, passages }] : [],
      );
      const near = list.near(wanted, new Deadline());
      expect(near.toSorted((a, b) => a.passages - b.passages)).toEqual(similar);
      const correctable = words.filter(isCorrectable);
      expect(list.bytes).toBeGreaterThanOrEqual(Buffer.byteLength(correctable.join(''), 'utf16le'));
    }),
  );
});

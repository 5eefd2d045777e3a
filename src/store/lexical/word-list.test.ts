import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Deadline } from '../../core/time/deadline.ts';
import { isCorrectable, spellingSimilarity } from './spelling.ts';
import { WordList } from './word-list.ts';

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

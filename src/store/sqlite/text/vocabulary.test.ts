import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatChanges, parseChanges } from './vocabulary.ts';

const anyText = fc.string({ unit: 'binary' });
const word = fc.string({ unit: fc.constantFrom('a', '7', 'ö', '語', '𐐷', '́'), minLength: 1 });

it('the changes of words are a JSON object and are read as they were written', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.oneof(word, anyText), fc.integer(), { noNullPrototype: true }),
      (changes) => {
        const json = formatChanges(new Map(Object.entries(changes)));
        expect(JSON.parse(json)).toEqual(changes);
        expect(new Map(parseChanges(json))).toEqual(new Map(Object.entries(changes)));
        expect(new Map(parseChanges(JSON.stringify(changes)))).toEqual(new Map(Object.entries(changes)));
      },
    ),
  );
});

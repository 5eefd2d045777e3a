import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance } from '../src/core/text/closest-word.ts';
import { mistype } from './typos.ts';

const QUERY = 'What did Melanie paint for the charity exhibition?';

function changedWords(before: string, after: string): [string, string][] {
  const [old, now] = [before.split(' '), after.split(' ')];
  expect(now).toHaveLength(old.length);
  return old.flatMap((word, i): [string, string][] => (word === now[i] ? [] : [[word, now[i] ?? '']]));
}

describe('mistype', () => {
  it('misspells the same two words the same way every time', () => {
    expect(mistype(QUERY, 'conv-26#3')).toBe(mistype(QUERY, 'conv-26#3'));
    expect(changedWords(QUERY, mistype(QUERY, 'conv-26#3'))).toHaveLength(2);
  });

  it('makes one error in a word and keeps its first letter', () => {
    for (let seed = 0; seed < 200; seed++) {
      for (const [word, misspelt] of changedWords(QUERY, mistype(QUERY, `query ${seed}`))) {
        expect(editDistance(word, misspelt)).toBe(1);
        expect(misspelt[0]).toBe(word[0]);
      }
    }
  });

  it('does not change stop words, short words, numbers and other scripts', () => {
    const untouched = 'what were they with 2026 の厨房 oak';
    expect(mistype(untouched, 'a')).toBe(untouched);
    expect(
      changedWords('厨房 oven 2026 with', mistype('厨房 oven 2026 with', 'a')).map(([word]) => word),
    ).toEqual(['oven']);
  });

  it('terminates for any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(typeof mistype(text, 'seed')).toBe('string');
      }),
    );
    expect(mistype('aaaa aaaa', 'x')).not.toBe('aaaa aaaa');
  });
});

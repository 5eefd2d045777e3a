import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyzeForTerms } from './analyze-for-terms.ts';
import { analyze, stem } from './analyze.ts';

function expected(text: string, terms: ReadonlySet<string>): unknown {
  return analyze(text).filter(({ term }) => terms.has(term));
}

describe('analyzeForTerms', () => {
  it.each([
    'The bakers were baking: bread, YEAST, yeasts and ties.',
    "Ada's don’t l'été Ada' 'tis it's’s",
    'USB充電器x 充電 のデータ, ﾃﾞｰﾀﾊﾟｽ—데이터 각 Café naïve ½ Straße İstanbul K2 \u212a2',
    `${'a'.repeat(70)} ${'a'.repeat(64)} ${'é'.repeat(70)} ies y yes`,
    'foo_bar src/ovens/gas.ts F.22 2026-09-14 a\u0301b\u0000c\ud800 🙂word',
    '',
  ])('returns the tokens of analyze with these terms: %s', (text) => {
    const all = analyze(text).map(({ term }) => term);
    expect(analyzeForTerms(text, new Set(all))).toEqual(analyze(text));
    for (const term of all)
      expect(analyzeForTerms(text, new Set([term]))).toEqual(expected(text, new Set([term])));
    expect(analyzeForTerms(text, new Set(['zzz', ''])) satisfies unknown[]).toEqual([]);
    expect(analyzeForTerms(text, new Set())).toEqual([]);
  });

  it('returns the tokens of analyze for any text and any of its terms', () => {
    const letters = fc.constantFrom(..."abiesyABY019'’ .-_\n充電のé½가ｶ\u0301".split(''));
    const texts = fc.oneof(
      fc.string({ unit: letters, maxLength: 60 }),
      fc.string({ unit: 'binary', maxLength: 40 }),
    );
    fc.assert(
      fc.property(texts, fc.array(fc.nat(), { maxLength: 4 }), (text, picks) => {
        const all = analyze(text).map(({ term }) => term);
        const terms = new Set(all.length === 0 ? ['a'] : picks.map((pick) => all[pick % all.length]!));
        expect(analyzeForTerms(text, terms)).toEqual(expected(text, terms));
      }),
      { numRuns: 2000 },
    );
  });

  it('may skip a word by its first letter, because a stem keeps the first letter', () => {
    const words = fc.string({
      unit: fc.constantFrom(...'abcdeiglmnostyz'.split('')),
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(words, (word) => stem(word).charAt(0) === word.charAt(0)),
      { numRuns: 5000 },
    );
  });
});

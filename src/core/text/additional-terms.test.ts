import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { additionalTerms, analyzeForTerms, findTerms } from './additional-terms.ts';
import { analyze, stem } from './analyze.ts';

describe('additionalTerms', () => {
  it.each([
    ['🍕 at 5 €, § 12 → № 3, $9 ≠ ~1', '🍕 € § → № ＄ ≠'],
    ['👩‍💻 👍🏽 ❤️ 🇩🇪🇫🇷 1️⃣', '👩 💻 👍 ❤ 🇩🇪 🇫🇷'],
    ['C++, c++20 and C#; F# or .NET, ASP.NET and .net core', 'c＋＋ c＋＋ c＃ f＃ ．net ．net ．net'],
    ['# Heading #tag ## B## page#a 1+++ slide.net .nets', ''],
    ['IBAN DE89 3704 0044 0532 0130 00.', 'de89370400440532013000'],
    ['GB29 NWBK 6016 1331 9268 19', 'gb29nwbk60161331926819'],
    ['card 4111-1111-1111-1111', '4111111111111111'],
    ['+49 (0)170 123-4567, (0170) 1234567; 01.23.45.67.89', '491701234567 01701234567 0123456789'],
    ['order 302-1234567-1234567, F-16, covid-19 4711-0815', '30212345671234567 f16 covid19 47110815'],
    ['id 550e8400-e29b-41d4-a716-446655440000', '550e8400e29b41d4a716446655440000'],
    ['2026-03-16 14.09.2026, 09/14/26; 1914-1918; 1914 – 1918; 10-20, 1.299,50, 2026-09-14T10:30', ''],
    ['50 people, 3 of 1000', ''],
    ['می‌خواهم کتاب‌ها', 'میخواهم کتابها'],
    ['क्‌ष', ''],
  ])('of %s are %s', (text, terms) => {
    expect(additionalTerms(text).map(({ term }) => term)).toEqual(terms === '' ? [] : terms.split(' '));
  });

  it('have the offsets of what they stand for, and no character that the index takes for a space', () => {
    const text = 'Use C++ for 302-1234567 🍕.';
    expect(
      additionalTerms(text)
        .map(({ start, end }) => text.slice(start, end))
        .sort(),
    ).toEqual(['302-1234567', 'C++', '🍕']);
    const units = fc.constantFrom(...'aC1 0-+#.$€🍕/()\u200cم٣é\n'.split(''));
    fc.assert(
      fc.property(fc.string({ unit: units, maxLength: 60 }), (whole) => {
        for (const { term, start, end } of additionalTerms(whole)) {
          expect(term).toMatch(/^[a-z0-9\u0080-\uffff]+$/);
          expect([start >= 0, end > start, end <= whole.length]).toEqual([true, true, true]);
        }
      }),
    );
  });

  it('are found beside words, in order', () => {
    const text = 'Pay 5 € to DE89 3704 0044 0532 0130 00 for C++';
    const all = [...analyze(text), ...additionalTerms(text)];
    const found = findTerms(text, new Set(all.map(({ term }) => term)));
    expect(found).toEqual(all.sort((a, b) => a.start - b.start));
    expect(findTerms(text, new Set(['pai', '€'])).map(({ term }) => term)).toEqual(['pai', '€']);
  });

  it.each([
    '1',
    '1-',
    '1 ',
    'DE89 3704 ',
    'a-',
    '1a-',
    'a\u200c',
    'م\u200c',
    '+',
    'c#',
    '€',
    '(0)',
    '.net',
    'ก',
  ])('take linear time for a text that repeats %j', (unit) => {
    const time = (length: number): number => {
      const text = unit.repeat(length / unit.length);
      const times = [1, 2, 3].map(() => {
        const started = process.threadCpuUsage();
        additionalTerms(text);
        // The system divides the sum into user and system time by samples, so that either may be zero.
        const { user, system } = process.threadCpuUsage(started);
        return user + system;
      });
      return Math.min(...times);
    };
    time(20_000);
    expect(time(400_000)).toBeLessThan(15 * time(40_000) + 100_000);
  });
});

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

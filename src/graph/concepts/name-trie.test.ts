import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NameTrie, type NameMatch } from './record-names.ts';
import { nameKey, BREAK, visitNameWords, type NameWord } from '../../core/names/name.ts';

function matchesOf(names: readonly string[], text: string): NameMatch[] {
  const matches: NameMatch[] = [];
  new NameTrie(names.map(nameKey)).find(text, (match) => matches.push(match));
  return matches;
}

function found(names: readonly string[], text: string): string[] {
  return matchesOf(names, text).map(({ start, end }) => text.slice(start, end));
}

/** Compares every name with every place of the text, and drops matches within longer ones. */
function naiveMatches(names: readonly string[], text: string): NameMatch[] {
  const words: NameWord[] = [];
  visitNameWords(text, (word) => words.push(word));
  const all = [...new Set(names.map(nameKey))].flatMap((key) => {
    const parts = key === '' ? [] : key.split(' ');
    if (parts.length === 0 || parts.length > 48) return [];
    return words.flatMap((first, i) => {
      const last = words[i + parts.length - 1];
      const isMatch = last !== undefined && parts.every((part, k) => words[i + k]!.word === part);
      return isMatch
        ? [{ key, from: i, to: i + parts.length, start: first.start, end: last.end, line: first.line }]
        : [];
    });
  });
  return all
    .filter(
      (a) => !all.some((b) => b !== a && b.from <= a.from && b.to >= a.to && b.to - b.from > a.to - a.from),
    )
    .sort((a, b) => a.from - b.from)
    .map(({ key, start, end, line }) => ({ key, start, end, line }));
}

describe('the trie', () => {
  it('finds names at word boundaries, without case and accents', () => {
    expect(found(['oven'], 'The Oven, ovens, an OVEN and a woven oven')).toEqual(['Oven', 'OVEN', 'oven']);
    expect(found(['Café Müller'], 'at cafe muller, Café\nMüller')).toEqual(['cafe muller', 'Café\nMüller']);
    expect(found(["Ada's kitchen"], 'in Ada’s kitchen')).toEqual(['Ada’s kitchen']);
  });

  it('finds Chinese, Japanese and Korean names within a run of characters', () => {
    expect(found(['厨房装修'], '我们的厨房装修计划')).toEqual(['厨房装修']);
    expect(found(['台所の改装'], '来年は台所の改装をする')).toEqual(['台所の改装']);
    expect(found(['が'], '\u304b\u3099っこう')).toEqual(['\u304b\u3099']);
    expect(found(['iPhone修理'], '明日、iPhone修理へ')).toEqual(['iPhone修理']);
  });

  it('takes the longest name, and names that overlap', () => {
    expect(found(['New York', 'York', 'York Times', 'New York Times'], 'the New York Times')).toEqual([
      'New York Times',
    ]);
    expect(found(['New York', 'York Times'], 'the New York Times')).toEqual(['New York', 'York Times']);
  });

  it('finds no name across sentences, headings, paragraphs, links and addresses', () => {
    const names = ['kitchen oven'];
    for (const text of [
      'kitchen. Oven',
      '# Kitchen\nOven',
      'kitchen\n\noven',
      'kitchen [[oven]]',
      'kitchen, oven',
    ])
      expect(found(names, text), text).toEqual([]);
    expect(found(['oven'], '[[Oven]] https://oven.example/oven [[a|oven]]')).toEqual([]);
    expect(found(names, 'the **kitchen** oven and the kitchen-oven')).toEqual([
      'kitchen** oven',
      'kitchen-oven',
    ]);
    expect(found(['Berlin, Germany', 'Node.js'], 'Berlin, Germany with Node.js')).toEqual([
      'Berlin, Germany',
      'Node.js',
    ]);
  });

  it('agrees with a comparison of every name with every place', () => {
    const word = fc.constantFrom('a', 'b', 'B', 'ab', 'é', '中', '国', 'か\u3099', 'ab中', "a's", '½', 'ﷺ');
    const gap = fc.constantFrom(
      ' ',
      ' ',
      '',
      '-',
      ', ',
      '. ',
      '\n',
      '\n\n',
      '\n# ',
      ' [[a]] ',
      ' http://a ',
      '**',
    );
    const phrase = (maxLength: number): fc.Arbitrary<string> =>
      fc.array(fc.tuple(word, gap), { minLength: 1, maxLength }).map((parts) => parts.flat().join(''));
    fc.assert(
      fc.property(fc.array(phrase(4), { maxLength: 12 }), phrase(40), (names, text) => {
        expect(matchesOf(names, text)).toEqual(naiveMatches(names, text));
      }),
      { numRuns: 500 },
    );
  });

  it('never throws, and finds the words of any text where they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        visitNameWords(text, ({ word, start, end, line }) => {
          expect(start).toBeLessThanOrEqual(end);
          if (word !== BREAK) expect(line).toBe(text.slice(0, start).split('\n').length);
        });
        expect(matchesOf([text], text).length).toBeLessThanOrEqual(1);
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LinkIndex } from './link-index.ts';

const KEYS = [
  'Home.md',
  'House/Kitchen.md',
  'House/Plans/Oven.md',
  'House/Plans/Deep/Oven.md',
  'Work/Oven.md',
  'Work/v1.2.md',
  'Work/Old/Kitchen.markdown',
  'Work/Café.md',
  'Archive/Home.md',
  'a/Same.md',
  'b/Same.md',
];

describe('LinkIndex', () => {
  const index = new LinkIndex(KEYS);

  it.each([
    ['Kitchen', 'Home.md', 'House/Kitchen.md'],
    ['kitchen.MD', 'Home.md', 'House/Kitchen.md'],
    ['Home', 'Archive/x.md', 'Home.md'],
    ['Archive/Home', 'Home.md', 'Archive/Home.md'],
    ['plans/oven', 'Home.md', 'House/Plans/Oven.md'],
    ['Oven', 'Home.md', 'Work/Oven.md'],
    ['Oven', 'House/Kitchen.md', 'House/Plans/Oven.md'],
    ['Oven', 'House/Plans/Deep/x.md', 'House/Plans/Deep/Oven.md'],
    ['Same', 'Home.md', 'a/Same.md'],
    ['Same', 'b/x.md', 'b/Same.md'],
    ['v1.2', 'Home.md', 'Work/v1.2.md'],
    ['Old/Kitchen', 'Home.md', 'Work/Old/Kitchen.markdown'],
    ['Cafe\u0301', 'Home.md', 'Work/Café.md'],
    ['./Oven', 'Work/v1.2.md', 'Work/Oven.md'],
    ['../House/Kitchen', 'Work/v1.2.md', 'House/Kitchen.md'],
    ['/Work/Oven', 'House/Kitchen.md', 'Work/Oven.md'],
    ['Kitchen#Heading', 'Home.md', 'House/Kitchen.md'],
    ['Kitchen#^block|alias', 'Home.md', 'House/Kitchen.md'],
    ['#Heading', 'Home.md', 'Home.md'],
    ['', 'Home.md', 'Home.md'],
  ])('[[%s]] in %s means %s', (target, from, key) => {
    expect(index.resolve(target, from)).toBe(key);
  });

  it.each([
    ['Nowhere', 'Home.md'],
    ['tchen', 'Home.md'],
    ['ans/Oven', 'Home.md'],
    ['./Kitchen', 'Home.md'],
    ['../../Home', 'Work/Oven.md'],
    ['/Oven', 'Home.md'],
    ['/', 'Home.md'],
    ['..', 'Home.md'],
  ])('[[%s]] in %s means nothing', (target, from) => {
    expect(index.resolve(target, from)).toBeNull();
  });

  it('takes the case as written where two notes differ in it alone', () => {
    const cases = new LinkIndex(['Note.md', 'note.md', 'x/Other.md', 'x/other.md']);
    expect(['Note', 'note', 'NOTE'].map((target) => cases.resolve(target, 'a.md'))).toEqual([
      'Note.md',
      'note.md',
      'Note.md',
    ]);
    expect(['Other', 'other'].map((target) => cases.resolve(target, 'a.md'))).toEqual([
      'x/Other.md',
      'x/other.md',
    ]);
  });

  it('finds every note by its own path, from anywhere, whatever the order of the keys', () => {
    const part = fc.constantFrom('a', 'b', 'Note', 'ü', 'c d');
    const keys = fc.uniqueArray(
      fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `${parts.join('/')}.md`),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(keys, fc.nat(), fc.nat(), fc.string(), (all, at, from, garbage) => {
        const key = all[at % all.length]!;
        const source = all[from % all.length]!;
        const any = new LinkIndex(all);
        expect(any.resolve(key, source)).toBe(key);
        expect(any.resolve(key.slice(0, -3).toUpperCase(), source)).toBe(key);
        const target = key.split('/').at(-1)!;
        expect(new LinkIndex(all.toReversed()).resolve(target, source)).toBe(any.resolve(target, source));
        expect([null, ...all]).toContain(any.resolve(garbage, source));
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LinkIndex, linksIn, linkNameOfKey, linkNameOfTarget } from './link-index.ts';

const KEYS = [
  'Home.md',
  'House/Kitchen.md',
  'House/Plans/Oven.md',
  'House/Plans/Deep/Oven.md',
  'Work/Oven.md',
  'Work/v1.2.md',
  'Work/Old/Kitchen.markdown',
  'Work/Café.md',
  'Work/C.md',
  'Work/C# notes.md',
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
    ['C# notes', 'Home.md', 'Work/C# notes.md'],
    ['', 'Home.md', 'Home.md'],
  ])('resolves [[%s]] in %s to %s', (target, from, key) => {
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
  ])('does not resolve [[%s]] in %s', (target, from) => {
    expect(index.resolve(target, from)).toBeNull();
  });

  it('respects case if two notes differ only in case, and the order of the keys makes no difference', () => {
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
    for (const keys of [
      ['B/B.md', 'B/b.md'],
      ['B/b.md', 'B/B.md'],
    ])
      expect(new LinkIndex(keys).resolve('/b/b', 'a.md')).toBe('B/B.md');
  });

  it('resolves the path of every note, from any note and for any order of the keys', () => {
    const part = fc.constantFrom('a', 'b', 'Note', 'ü', 'c d');
    const keys = fc.uniqueArray(
      fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `${parts.join('/')}.md`),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(keys, fc.nat(), fc.nat(), fc.string(), (all, keyIndex, sourceIndex, garbage) => {
        const key = all[keyIndex % all.length]!;
        const source = all[sourceIndex % all.length]!;
        const linkIndex = new LinkIndex(all);
        expect(linkIndex.resolve(key, source)).toBe(key);
        expect(linkIndex.resolve(key.slice(0, -3).toUpperCase(), source)).toBe(key);
        const target = key.split('/').at(-1)!;
        expect(new LinkIndex(all.toReversed()).resolve(target, source)).toBe(
          linkIndex.resolve(target, source),
        );
        expect([null, ...all]).toContain(linkIndex.resolve(garbage, source));
      }),
    );
  });

  it('resolves a link among the keys with its name as it does among all keys', () => {
    const part = fc.constantFrom('a', 'B', 'Note', 'note.md', 'x.markdown', 'ΟΔΟΣ', '.md', 'ü');
    const paths = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    const keys = fc.uniqueArray(
      fc.tuple(paths, fc.constantFrom('', '.md', '.markdown')).map((parts) => parts.join('')),
    );
    const targets = fc
      .tuple(
        fc.constantFrom('', './', '../', '/', ' '),
        paths,
        fc.constantFrom('', '.md', '/', '#h', '|x', '/..'),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(keys, fc.oneof(targets, fc.string()), paths, (all, target, from) => {
        const name = linkNameOfTarget(target, from);
        const candidates = all.filter((key) => linkNameOfKey(key) === name);
        expect(new LinkIndex(candidates).resolve(target, from)).toBe(
          new LinkIndex(all).resolve(target, from),
        );
      }),
    );
  });
});

describe('linksIn', () => {
  it('returns each target and type once, in the order of the text', () => {
    const links = [
      { target: 'B', heading: 'x' },
      { target: 'A', embed: true },
      { target: 'B' },
      { target: 'A' },
    ];
    expect(linksIn({ links })).toEqual([
      { target: 'B', type: 'link' },
      { target: 'A', type: 'embed' },
      { target: 'A', type: 'link' },
    ]);
  });

  it('accepts metadata of any shape', () => {
    expect(
      [{}, { links: null }, { links: 'x' }, { links: [1, null, [], {}, { target: 7 }, { target: '' }] }].map(
        linksIn,
      ),
    ).toEqual([[], [], [], []]);
  });
});

import { describe, expect, it } from 'vitest';
import type { FieldWeights, TextQuery } from '../../src/store/search-model.ts';
import { searchText } from './queries.ts';
import type { StoreFixture } from './store-contract.ts';
import {
  ALL_LIVE,
  anyOf,
  EQUAL_WEIGHTS,
  evict,
  matchingPassages,
  matchingRecords,
  note,
  passage,
  statsOf,
  term,
  write,
} from './store-samples.ts';

export function describeTextSearch({ store, namespace }: StoreFixture): void {
  const search = async (ns: string, query: Partial<TextQuery>, limit = 100): Promise<number[]> => {
    const scores = await searchText(
      store,
      ns,
      { any: [], all: [], weights: EQUAL_WEIGHTS, ...query },
      ALL_LIVE,
      limit,
    );
    return scores.map(({ record }) => record);
  };

  describe('text search', () => {
    it('searches every field', async () => {
      const ns = namespace();
      const metadata = {
        aliases: ['stove', 'range'],
        speaker: 'Ada',
        date: '2026-09-14',
        caption: 'photograph',
        frontMatter: { status: 'drafted', people: ['Grace'] },
      };
      const passages = [
        passage('body words', { headings: ['Upper heading', 'Lower'] }),
        passage('another part', { ordinal: 1, context: 'Renovation' }),
      ];
      const { draft } = note('', { title: 'Cooker', tags: ['kitchen/oven'], metadata });
      await write(store, ns, { id: null, draft, passages });
      const [first, second] = await matchingPassages(store, ns, 'cooker');
      const wordsOfRecord = [
        'stove',
        'range',
        'ada',
        '2026',
        'september',
        '14',
        'photograph',
        'kitchen',
        'oven',
      ];
      for (const word of wordsOfRecord)
        expect([word, await matchingPassages(store, ns, word)]).toEqual([word, [first, second]]);
      for (const word of ['drafted', 'grace', 'upper', 'lower', 'body']) {
        expect([word, await matchingPassages(store, ns, word)]).toEqual([word, [first]]);
      }
      expect(await matchingPassages(store, ns, 'renovation')).toEqual([second]);
      expect(await matchingPassages(store, ns, 'another')).toEqual([second]);
      expect(await matchingPassages(store, ns, 'status')).toEqual([]);
    });

    it('applies the given field weights', async () => {
      const ns = namespace();
      await write(
        store,
        ns,
        note('x', { title: 'oven' }),
        { ...note('x'), passages: [passage('x', { headings: ['oven'] })] },
        note('oven x'),
        note('x', { tags: ['oven'] }),
        note('padding'),
        note('padding'),
        note('padding'),
        note('padding'),
        note('padding'),
      );
      const first = async (weights: Partial<FieldWeights>): Promise<number | undefined> =>
        (await search(ns, { any: [term('oven')], weights: { ...EQUAL_WEIGHTS, ...weights } }))[0];
      expect(await first({ title: 3 })).toBe(1);
      expect(await first({ headings: 3 })).toBe(2);
      expect(await first({ body: 3 })).toBe(3);
      expect(await first({ tags: 3 })).toBe(4);
      expect(await search(ns, { any: [term('oven')] })).toEqual([1, 2, 3, 4]);
    });

    it('scores as BM25 with k1 = 1.2 and b = 0.75', async () => {
      const ns = namespace();
      await write(
        store,
        ns,
        note('oven oven sink'),
        note('oven'),
        note('sink table chair lamp'),
        note('rug'),
        note('bed'),
      );
      const [one, two] = await searchText(store, ns, anyOf('oven'), ALL_LIVE, 10);
      const idf = Math.log((5 - 2 + 0.5) / (2 + 0.5));
      const score = (frequency: number, length: number): number =>
        (idf * frequency * 2.2) / (frequency + 1.2 * (0.25 + (0.75 * length) / 2));
      expect(one).toMatchObject({ record: 2, score: expect.closeTo(score(1, 1), 9) as number });
      expect(two).toMatchObject({ record: 1, score: expect.closeTo(score(2, 3), 9) as number });
    });

    it('computes scores without removed or replaced text', async () => {
      const [changed, fresh] = [namespace(), namespace()];
      const remaining = [
        note('oven and sink', { title: 'Kitchen' }),
        note('oven'),
        note('a lamp'),
        note('rug'),
        note('bed'),
      ];
      const evicted = Array.from({ length: 20 }, (_, i) => note(`oven ${'chair '.repeat(i)}`));
      await write(store, changed, ...evicted);
      const ids = await write(
        store,
        changed,
        ...remaining.map(({ draft }) => ({ ...note('oven table'), draft })),
      );
      await evict(store, changed, ...evicted.map((_, i) => i + 1));
      await write(store, changed, ...remaining.map((one, i) => ({ ...one, id: ids[i]! })));
      await write(store, fresh, ...remaining);
      const scores = async (ns: string): Promise<number[]> =>
        (await searchText(store, ns, anyOf('oven', 'kitchen'), ALL_LIVE, 10)).map(({ score }) => score);
      const expected = await scores(fresh);
      expect(expected).toHaveLength(2);
      expect(await scores(changed)).toEqual(expected.map((score) => expect.closeTo(score, 9) as number));
    });

    it('ranks the rarer word, the shorter text and the older passage first', async () => {
      const ns = namespace();
      const common = Array.from({ length: 6 }, () => note('common word'));
      await write(
        store,
        ns,
        ...common,
        note('rare word'),
        note('common words and much more of other things'),
      );
      expect((await search(ns, { any: [term('common'), term('rare')] }))[0]).toBe(7);
      expect(await search(ns, { any: [term('common')] })).toEqual([1, 2, 3, 4, 5, 6, 8]);
      expect(await search(ns, { any: [term('common')] }, 3)).toEqual([1, 2, 3]);
    });

    it('finds phrases of consecutive words within one field', async () => {
      const ns = namespace();
      await write(
        store,
        ns,
        note('the kitchen remodel plan'),
        note('remodel the kitchen'),
        note('remodel', { title: 'kitchen' }),
        note('kitchen, remodelled'),
      );
      expect((await search(ns, { any: [term('kitchen remodel')] })).toSorted()).toEqual([1, 4]);
      expect(await search(ns, { any: [term('kitchen remodel plan')] })).toEqual([1]);
      expect(await search(ns, { any: [term('remodel plan', true)] })).toEqual([1]);
      expect(await search(ns, { any: [term('kitchen rem', true)] })).toHaveLength(2);
    });

    it('requires all of the required terms and any of the others', async () => {
      const ns = namespace();
      await write(
        store,
        ns,
        note('oven sink'),
        note('oven lamp'),
        note('sink lamp'),
        note('oven sink lamp'),
        note('rug'),
      );
      const [oven, sink, lamp, none] = ['oven', 'sink', 'lamp', 'nowhere'].map((word) => term(word));
      expect((await search(ns, { all: [oven!, sink!] })).toSorted()).toEqual([1, 4]);
      expect(await search(ns, { all: [oven!, sink!], any: [lamp!] })).toEqual([4, 1]);
      expect((await search(ns, { all: [oven!, sink!], any: [none!] })).toSorted()).toEqual([1, 4]);
      expect(await search(ns, { all: [oven!, none!], any: [lamp!] })).toEqual([]);
      expect((await search(ns, { any: [lamp!, none!] })).toSorted()).toEqual([2, 3, 4]);
      expect(await search(ns, {})).toEqual([]);
    });

    it('finds words of every script, whatever their case and accents', async () => {
      const ns = namespace();
      await write(
        store,
        ns,
        note('Die STRASSE nach Zürich'),
        note('Кухонный нож'),
        note('数据库的设计'),
        note('キッチンの改装'),
        note('بِسْمِ اللّٰه ﷺ ½ ⑴'),
      );
      const cases: [string, boolean, number[]][] = [
        ['zurich', false, [1]],
        ['ZÜRICH', false, [1]],
        ['кухонный', false, [2]],
        ['КУХ', true, [2]],
        ['数据', false, [3]],
        ['据库', false, [3]],
        ['库数', false, []],
        ['计', true, [3]],
        ['キッチン', false, [4]],
        ['بسم', false, [5]],
        ['ﷺ', false, [5]],
        ['½', false, [5]],
      ];
      for (const [words, prefix, records] of cases) {
        const { terms } = term(words);
        // The last term of a sequence of bigrams is a single character, which is only for prefixes.
        const searched =
          /[\p{sc=Han}\p{sc=Katakana}]/u.test(words) && terms.length > 1 ? terms.slice(0, -1) : terms;
        expect([words, await search(ns, { any: [{ terms: searched, prefix }] })]).toEqual([words, records]);
      }
    });

    it('treats terms as words, never as syntax', async () => {
      const ns = namespace();
      await write(store, ns, note('plain text'), note('or and not near'));
      const hostile = [
        '"',
        '""',
        '*',
        'text"',
        '" OR "plain',
        'title:plain',
        '{title body}: plain',
        'NEAR(plain text)',
        '^plain',
        'plain AND',
        'NOT plain',
        '(',
        ')',
        '-plain',
        '+',
        'plain\0text',
        '\0',
        '\ud800',
        '',
        ' ',
        ';',
        '%',
        '?1',
        'é',
        '\u{10FFFF}',
      ];
      for (const word of hostile) {
        for (const prefix of [false, true]) {
          const query = { terms: [word], prefix };
          for (const clauses of [
            { any: [query] },
            { all: [query] },
            { any: [query, term('near')] },
            { any: [{ terms: ['text', word], prefix }] },
          ]) {
            expect(Array.isArray(await search(ns, clauses))).toBe(true);
          }
          expect(await search(ns, { any: [query, term('plain')] })).toContain(1);
        }
      }
      expect(await search(ns, { any: [{ terms: [], prefix: false }] })).toEqual([]);
      expect(await matchingRecords(store, ns, 'OR')).toEqual([2]);
    });

    it('accepts thousands of terms', async () => {
      const ns = namespace();
      await write(store, ns, note('needle'), note('hay'));
      const any = Array.from({ length: 3000 }, (_, i) => term(`straw${String(i)}`));
      expect(await search(ns, { any: [...any, term('needle')] })).toEqual([1]);
      expect(
        await search(ns, { any: [{ terms: Array.from({ length: 3000 }, () => 'hay'), prefix: false }] }),
      ).toEqual([]);
    });

    it('returns only the best passages of a long record, so that other records have a place in the list', async () => {
      const ns = namespace();
      const long = note(Array.from({ length: 60 }, () => 'tile'));
      const others = Array.from({ length: 4 }, (_, i) => note(`tile ${'and so on '.repeat(i + 1)}`));
      await write(store, ns, long, ...others);
      const query = { by: 'text', text: anyOf('tile'), filter: ALL_LIVE, limit: 10 } as const;
      const retrieved = await store.search.retrieve(ns, {
        queries: [query, { ...query, spread: { minRecords: 3, maxPerRecord: 2 } }],
        load: true,
      });
      const records = retrieved.lists.map(({ scores }) => scores.map(({ record }) => record));
      expect(records).toEqual([Array.from({ length: 10 }, () => 1), [1, 1, 2, 3, 4, 5]]);
      // The best passage of each record is loaded.
      expect(retrieved.passages.map(({ record }) => record.id)).toEqual([1, 2, 3, 4, 5]);
      expect(retrieved.passages[0]?.id).toBe(retrieved.lists[0]?.scores[0]?.passage);
    });
  });
}

export function describeWords({ store, namespace }: StoreFixture): void {
  const counts = async (ns: string, ...words: readonly string[]): Promise<number[]> =>
    (await store.search.terms(ns, words)).terms.map(({ passages }) => passages);
  const suggestions = async (ns: string, word: string): Promise<string[]> =>
    (await store.search.terms(ns, [word])).terms.flatMap((info) =>
      info.near.map((suggestion) => suggestion.word),
    );

  describe('the vocabulary', () => {
    it('counts passages, not occurrences, over all fields', async () => {
      const ns = namespace();
      await write(store, ns, note(['oven oven', 'sink']), note('lamp', { title: 'Oven', tags: ['oven'] }));
      expect(await counts(ns, 'oven', 'sink', 'lamp', 'rug')).toEqual([2, 1, 1, 0]);
    });

    it('follows updates and evictions', async () => {
      const ns = namespace();
      await write(store, ns, note('oven sink'), note('oven lamp'));
      await write(store, ns, { ...note('rug'), id: 1 });
      expect(await counts(ns, 'oven', 'sink', 'lamp', 'rug')).toEqual([1, 0, 1, 1]);
      await evict(store, ns, 2);
      expect(await counts(ns, 'oven', 'sink', 'lamp', 'rug')).toEqual([0, 0, 0, 1]);
      await write(store, ns, note('oven'));
      expect(await counts(ns, 'oven')).toEqual([1]);
      const stats = await statsOf(store, ns);
      expect(stats?.terms).toBe(2);
    });

    it('has the same counts after many small writes as after one large one, and none when all are removed', async () => {
      const [small, large] = [namespace(), namespace()];
      const notes = Array.from({ length: 60 }, (_, i) =>
        note(`oven ${Array.from({ length: 60 }, (__, j) => wordOfNumber(i * 40 + j)).join(' ')}`),
      );
      for (const each of notes) await write(store, small, each);
      await write(store, large, ...notes);
      const words = ['oven', 'ovne', ...Array.from({ length: 60 * 40 + 20 }, (_, i) => wordOfNumber(i))];
      const expected = (await store.search.terms(large, words)).terms;
      expect(expected[0]).toEqual({ word: 'oven', passages: 60, near: [] });
      expect(expected.every(({ passages }, i) => i === 1 || passages > 0)).toBe(true);
      expect((await store.search.terms(small, words)).terms).toEqual(expected);
      for (let id = 1; id < 60; id++) await evict(store, small, id);
      expect(await counts(small, 'oven', wordOfNumber(0), wordOfNumber(59 * 40))).toEqual([1, 0, 1]);
      expect((await suggestions(small, 'ovne'))[0]).toBe('oven');
      await evict(store, small, 60);
      expect(await counts(small, 'oven', wordOfNumber(59 * 40))).toEqual([0, 0]);
      expect(await suggestions(small, 'ovne')).toEqual([]);
      const stats = await statsOf(store, small);
      expect(stats?.terms).toBe(0);
      expect(await store.admin.verify(small)).toEqual([]);
    });

    it('finds the intended word among thousands of similar ones', async () => {
      const ns = namespace();
      const words = Array.from({ length: 4000 }, (_, i) => wordOfNumber(i));
      await write(store, ns, note(words.join(' ')));
      const intended = words.filter((_, i) => i % 97 === 0);
      const infos = (
        await store.search.terms(
          ns,
          intended.map((word) => word.slice(0, 3) + word[4]! + word[3]! + word.slice(5)),
        )
      ).terms;
      const corrected = infos.filter((info, i) => info.near.some(({ word }) => word === intended[i]));
      expect(corrected.length).toBeGreaterThan(intended.length * 0.9);
    });

    it('counts all forms of a stem together', async () => {
      const ns = namespace();
      await write(store, ns, note('ovens'), note('the oven'));
      expect(await counts(ns, 'oven', 'ovens')).toEqual([2, 2]);
      expect(await suggestions(ns, 'oven')).toEqual([]);
    });

    it('suggests the most similar words of the vocabulary for an unknown word', async () => {
      const ns = namespace();
      await write(
        store,
        ns,
        note('kitchen remodel'),
        note('kitchen'),
        note('kitchener budget'),
        note('Küche ножик'),
      );
      const [info] = (await store.search.terms(ns, ['kitchne'])).terms;
      expect(info).toEqual({
        word: 'kitchne',
        passages: 0,
        near: [
          { word: 'kitchen', passages: 2, similarity: expect.closeTo(1 - 1 / 7, 9) as number },
          { word: 'kitchener', passages: 1, similarity: expect.closeTo(1 - 2 / 9, 9) as number },
        ],
      });
      expect(await suggestions(ns, 'remodle')).toEqual(['remodel']);
      expect(await suggestions(ns, 'bugdet')).toEqual(['budget']);
      expect(await suggestions(ns, 'ножки')).toEqual(['ножик']);
    });

    it('prefers the more similar, then the more frequent, then the alphabetically first word', async () => {
      const ns = namespace();
      await write(store, ns, note('boat coat goat'), note('goat'), note('moats'));
      expect(await suggestions(ns, 'xoat')).toEqual(['goat', 'boat', 'coat']);
      await write(store, ns, { ...note('rug'), id: 2 });
      expect(await suggestions(ns, 'xoat')).toEqual(['boat', 'coat', 'goat']);
    });

    it('suggests nothing for short words, numbers and names with digits', async () => {
      const ns = namespace();
      await write(store, ns, note('cat 2026 abc123 worktop'));
      for (const word of ['cut', '2025', 'abc124', 'wrkt', 'zzzzzzz'])
        expect([word, await suggestions(ns, word)]).toEqual([word, []]);
    });

    it('suggests no word that was removed', async () => {
      const ns = namespace();
      await write(store, ns, note('kitchen'), note('rug'));
      await evict(store, ns, 1);
      expect(await suggestions(ns, 'kitchne')).toEqual([]);
      await store.admin.resetDerived(ns, { text: true, vectors: false });
      expect([await suggestions(ns, 'kitchne'), await counts(ns, 'rug')]).toEqual([[], [1]]);
    });

    it('knows the languages of its passages', async () => {
      const [german, english] = [namespace(), namespace()];
      await write(store, german, note('Ich habe die Steuern nicht bezahlt'));
      await write(store, english, note('the taxes are for this year'));
      expect((await store.search.terms(german, [])).languages).toEqual(['de']);
      expect((await store.search.terms(english, [])).languages).toEqual(['en']);
      expect((await store.search.terms('nobody', [])).languages).toEqual([]);
      await evict(store, german, 1);
      expect((await store.search.terms(german, [])).languages).toEqual([]);
    });

    it('accepts any text as a word', async () => {
      const ns = namespace();
      await write(store, ns, note('kitchen'));
      const words = [
        '',
        '"',
        '*',
        'kitchen" OR "x',
        '\0\0\0\0',
        '\ud800\ud800\ud800\ud800',
        '数据库',
        'k'.repeat(10_000),
        'NEAR',
      ];
      expect((await store.search.terms(ns, words)).terms.map(({ word }) => word)).toEqual(words);
      expect((await store.search.terms(ns, [])).terms).toEqual([]);
      expect(await counts(ns, 'kitchen', 'kitchen')).toEqual([1, 1]);
    });
  });
}

const SYLLABLES = 'ba be bo da de do ka ke ko la le lo ma me mo na ne no ra re ro ta te to'.split(' ');

/** A pronounceable word for a number below 13,824. No word is the stem of another. */
function wordOfNumber(n: number): string {
  const syllable = (position: number): string => SYLLABLES[Math.floor(n / 24 ** position) % 24]!;
  return `${syllable(0)}${syllable(1)}${syllable(2)}vak`;
}

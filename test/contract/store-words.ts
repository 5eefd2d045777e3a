import { describe, expect, it } from 'vitest';
import type { StoreFixture } from './store-contract.ts';
import { evict, note, statsOf, write } from './store-samples.ts';

export function describeWords({ store, namespace }: StoreFixture): void {
  const counts = async (ns: string, ...words: readonly string[]): Promise<number[]> =>
    (await store().search.terms(ns, words)).terms.map(({ passages }) => passages);
  const suggestions = async (ns: string, word: string): Promise<string[]> =>
    (await store().search.terms(ns, [word])).terms.flatMap((info) =>
      info.near.map((suggestion) => suggestion.word),
    );

  describe('the vocabulary', () => {
    it('counts passages, not occurrences, over all fields', async () => {
      const ns = namespace();
      await write(store(), ns, note(['oven oven', 'sink']), note('lamp', { title: 'Oven', tags: ['oven'] }));
      expect(await counts(ns, 'oven', 'sink', 'lamp', 'rug')).toEqual([2, 1, 1, 0]);
    });

    it('follows updates and evictions', async () => {
      const ns = namespace();
      await write(store(), ns, note('oven sink'), note('oven lamp'));
      await write(store(), ns, { ...note('rug'), id: 1 });
      expect(await counts(ns, 'oven', 'sink', 'lamp', 'rug')).toEqual([1, 0, 1, 1]);
      await evict(store(), ns, 2);
      expect(await counts(ns, 'oven', 'sink', 'lamp', 'rug')).toEqual([0, 0, 0, 1]);
      await write(store(), ns, note('oven'));
      expect(await counts(ns, 'oven')).toEqual([1]);
      const stats = await statsOf(store(), ns);
      expect(stats?.terms).toBe(2);
    });

    it('has the same counts after many small writes as after one large one, and none when all are removed', async () => {
      const [small, large] = [namespace(), namespace()];
      const notes = Array.from({ length: 60 }, (_, i) =>
        note(`oven ${Array.from({ length: 60 }, (__, j) => wordOfNumber(i * 40 + j)).join(' ')}`),
      );
      for (const each of notes) await write(store(), small, each);
      await write(store(), large, ...notes);
      const words = ['oven', 'ovne', ...Array.from({ length: 60 * 40 + 20 }, (_, i) => wordOfNumber(i))];
      const expected = (await store().search.terms(large, words)).terms;
      expect(expected[0]).toEqual({ word: 'oven', passages: 60, near: [] });
      expect(expected.every(({ passages }, i) => i === 1 || passages > 0)).toBe(true);
      expect((await store().search.terms(small, words)).terms).toEqual(expected);
      for (let id = 1; id < 60; id++) await evict(store(), small, id);
      expect(await counts(small, 'oven', wordOfNumber(0), wordOfNumber(59 * 40))).toEqual([1, 0, 1]);
      expect((await suggestions(small, 'ovne'))[0]).toBe('oven');
      await evict(store(), small, 60);
      expect(await counts(small, 'oven', wordOfNumber(59 * 40))).toEqual([0, 0]);
      expect(await suggestions(small, 'ovne')).toEqual([]);
      const stats = await statsOf(store(), small);
      expect(stats?.terms).toBe(0);
      expect(await store().admin.verify(small)).toEqual([]);
    });

    it('finds the intended word among thousands of similar ones', async () => {
      const ns = namespace();
      const words = Array.from({ length: 4000 }, (_, i) => wordOfNumber(i));
      await write(store(), ns, note(words.join(' ')));
      const intended = words.filter((_, i) => i % 97 === 0);
      const infos = (
        await store().search.terms(
          ns,
          intended.map((word) => word.slice(0, 3) + word[4]! + word[3]! + word.slice(5)),
        )
      ).terms;
      const corrected = infos.filter((info, i) => info.near.some(({ word }) => word === intended[i]));
      expect(corrected.length).toBeGreaterThan(intended.length * 0.9);
    });

    it('counts all forms of a stem together', async () => {
      const ns = namespace();
      await write(store(), ns, note('ovens'), note('the oven'));
      expect(await counts(ns, 'oven', 'ovens')).toEqual([2, 2]);
      expect(await suggestions(ns, 'oven')).toEqual([]);
    });

    it('suggests the most similar words of the vocabulary for an unknown word', async () => {
      const ns = namespace();
      await write(
        store(),
        ns,
        note('kitchen remodel'),
        note('kitchen'),
        note('kitchener budget'),
        note('Küche ножик'),
      );
      const [info] = (await store().search.terms(ns, ['kitchne'])).terms;
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
      await write(store(), ns, note('boat coat goat'), note('goat'), note('moats'));
      expect(await suggestions(ns, 'xoat')).toEqual(['goat', 'boat', 'coat']);
      await write(store(), ns, { ...note('rug'), id: 2 });
      expect(await suggestions(ns, 'xoat')).toEqual(['boat', 'coat', 'goat']);
    });

    it('suggests nothing for short words, numbers and names with digits', async () => {
      const ns = namespace();
      await write(store(), ns, note('cat 2026 abc123 worktop'));
      for (const word of ['cut', '2025', 'abc124', 'wrkt', 'zzzzzzz'])
        expect([word, await suggestions(ns, word)]).toEqual([word, []]);
    });

    it('suggests no word that was removed', async () => {
      const ns = namespace();
      await write(store(), ns, note('kitchen'), note('rug'));
      await evict(store(), ns, 1);
      expect(await suggestions(ns, 'kitchne')).toEqual([]);
      await store().admin.resetDerived(ns, { drop: true, vectors: false });
      expect(await counts(ns, 'rug')).toEqual([0]);
    });

    it('knows the languages of its passages', async () => {
      const [german, english] = [namespace(), namespace()];
      await write(store(), german, note('Ich habe die Steuern nicht bezahlt'));
      await write(store(), english, note('the taxes are for this year'));
      expect((await store().search.terms(german, [])).languages).toEqual(['de']);
      expect((await store().search.terms(english, [])).languages).toEqual(['en']);
      expect((await store().search.terms('nobody', [])).languages).toEqual([]);
      await evict(store(), german, 1);
      expect((await store().search.terms(german, [])).languages).toEqual([]);
    });

    it('accepts any text as a word', async () => {
      const ns = namespace();
      await write(store(), ns, note('kitchen'));
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
      expect((await store().search.terms(ns, words)).terms.map(({ word }) => word)).toEqual(words);
      expect((await store().search.terms(ns, [])).terms).toEqual([]);
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

import { describe, expect, it } from 'vitest';
import type { Subject } from './store-contract.ts';
import { evict, note, write } from './store-samples.ts';

export function describeWords({ store, namespace }: Subject): void {
  const counts = async (ns: string, ...words: readonly string[]): Promise<number[]> =>
    (await store().lookUpTerms(ns, words)).map(({ passages }) => passages);
  const near = async (ns: string, word: string): Promise<string[]> =>
    (await store().lookUpTerms(ns, [word])).flatMap((info) => info.near.map((known) => known.word));

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
      const stats = (await store().stats()).namespaces.find(({ namespace: name }) => name === ns);
      expect(stats?.terms).toBe(2);
    });

    it('knows a word by any form of its stem', async () => {
      const ns = namespace();
      await write(store(), ns, note('ovens'), note('the oven'));
      expect(await counts(ns, 'oven', 'ovens')).toEqual([2, 2]);
      expect(await near(ns, 'oven')).toEqual([]);
    });

    it('offers the nearest known words for one that nobody wrote', async () => {
      const ns = namespace();
      await write(
        store(),
        ns,
        note('kitchen remodel'),
        note('kitchen'),
        note('kitchener budget'),
        note('Küche ножик'),
      );
      const [info] = await store().lookUpTerms(ns, ['kitchne']);
      expect(info).toEqual({
        word: 'kitchne',
        passages: 0,
        near: [
          { word: 'kitchen', passages: 2, similarity: expect.closeTo(1 - 1 / 7, 9) as number },
          { word: 'kitchener', passages: 1, similarity: expect.closeTo(1 - 2 / 9, 9) as number },
        ],
      });
      expect(await near(ns, 'remodle')).toEqual(['remodel']);
      expect(await near(ns, 'bugdet')).toEqual(['budget']);
      expect(await near(ns, 'ножки')).toEqual(['ножик']);
    });

    it('prefers the nearer, then the more frequent, then the first in spelling', async () => {
      const ns = namespace();
      await write(store(), ns, note('boat coat goat'), note('goat'), note('moats'));
      expect(await near(ns, 'xoat')).toEqual(['goat', 'boat', 'coat']);
      await write(store(), ns, { ...note('rug'), id: 2 });
      expect(await near(ns, 'xoat')).toEqual(['boat', 'coat', 'goat']);
    });

    it('does not guess at short words, numbers and names with digits', async () => {
      const ns = namespace();
      await write(store(), ns, note('cat 2026 abc123 worktop'));
      for (const word of ['cut', '2025', 'abc124', 'wrkt', 'zzzzzzz'])
        expect([word, await near(ns, word)]).toEqual([word, []]);
    });

    it('offers no word that is gone', async () => {
      const ns = namespace();
      await write(store(), ns, note('kitchen'), note('rug'));
      await evict(store(), ns, 1);
      expect(await near(ns, 'kitchne')).toEqual([]);
      await store().dropDerived(ns, { vectors: false });
      expect(await counts(ns, 'rug')).toEqual([0]);
    });

    it('takes any word', async () => {
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
      expect((await store().lookUpTerms(ns, words)).map(({ word }) => word)).toEqual(words);
      expect(await store().lookUpTerms(ns, [])).toEqual([]);
      expect(await counts(ns, 'kitchen', 'kitchen')).toEqual([1, 1]);
    });
  });
}

import { ALL, idsOf } from './written-samples.ts';
import { sha256 } from '../../src/core/ids.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import type { FacetField } from '../../src/store/model.ts';
import type { StoreFixture } from './store-contract.ts';
import { note, NOW, write } from './store-samples.ts';

export function describeFacets({ store, namespace }: StoreFixture): void {
  describe('facets', () => {
    const ns = namespace();
    const facet = async (field: FacetField, filter = {}) =>
      (await store().records.facet(ns, field, { now: NOW, ...filter })).map(({ value, records }) => [
        value,
        records,
      ]);

    beforeAll(async () => {
      await write(
        store(),
        ns,
        note('one', { source: 'a', tags: ['home', 'Home', 'home'], project: 'p' }),
        note('two', { source: 'a, b', tags: ['Äpfel/rot', 'home'], recordType: 'event' }),
        note('three', { origin: 'memory', source: 'a', category: 'todo' }),
        note('expired', { source: 'gone', tags: ['gone'], expiresAt: NOW }),
      );
      await write(store(), namespace(), note('of others', { source: 'theirs', tags: ['theirs'] }));
    });

    it('are the values of live records, with counts', async () => {
      expect(await facet('source')).toEqual([
        ['a', 2],
        ['a, b', 1],
      ]);
      expect(await facet('tag')).toEqual([
        ['home', 2],
        ['Home', 1],
        ['Äpfel/rot', 1],
      ]);
      expect(await facet('origin')).toEqual([
        ['vault', 2],
        ['memory', 1],
      ]);
      expect(await facet('project')).toEqual([
        ['default', 2],
        ['p', 1],
      ]);
      expect(await facet('category')).toEqual([
        ['note', 2],
        ['todo', 1],
      ]);
      expect(await facet('recordType')).toEqual([
        ['note', 2],
        ['event', 1],
      ]);
    });

    it('do not include the content, by which live records are listed', async () => {
      const mine = namespace();
      const [first, , second] = await write(
        store(),
        mine,
        note('same', { origin: 'memory', key: null }),
        note('same', { origin: 'vault' }),
        note('same', { origin: 'memory', key: null }),
        note('same', { origin: 'memory', key: null, expiresAt: NOW }),
        note('other', { origin: 'memory', key: null }),
      );
      const written = async (ns: string, content: string): Promise<number[]> => {
        const filter = { now: NOW, origins: ['memory' as const], contentHash: sha256(content) };
        return idsOf(await store().records.list(ns, { filter, order: 'oldest' }, ALL));
      };
      expect(await written(mine, 'same')).toEqual([first, second]);
      expect(await written(mine, 'none')).toEqual([]);
      expect(await written('nobody', 'same')).toEqual([]);
    });

    it('include values with half a surrogate pair', async () => {
      const mine = namespace();
      const text = (name: string): string => `${name}\ud83d`;
      const given = {
        ...{ content: text('content'), title: text('title'), key: text('key'), tags: [text('tag')] },
        ...{
          source: text('source'),
          category: text('category'),
          metadata: { [text('name')]: [text('value')] },
        },
      };
      await write(store(), mine, note(text('content'), given));
      const [record] = await store().records.list(mine, { scan: 'undeleted' }, { after: null, limit: 1 });
      const whole = JSON.parse(JSON.stringify(given).replaceAll('\\ud83d', '\ufffd')) as object;
      expect(record).toMatchObject(whole);
      const [passage] = (await store().records.passagesOf(mine, [1])).get(1) ?? [];
      expect(passage?.text).toBe('content\ufffd');
      for (const [field, value] of [
        ['tag', record?.tags[0]],
        ['source', record?.source],
        ['category', record?.category],
      ] as const)
        expect(await store().records.facet(mine, field, { now: NOW })).toEqual([{ value, records: 1 }]);
    });

    it('are those of a filter, or none', async () => {
      expect(await facet('source', { origins: ['memory'] })).toEqual([['a', 1]]);
      expect(await facet('tag', { sources: ['a'], tags: ['HOME'] })).toEqual([
        ['Home', 1],
        ['home', 1],
      ]);
      expect(await facet('tag', { origins: ['fact'] })).toEqual([]);
      expect(await store().records.facet('nobody', 'tag', { now: NOW })).toEqual([]);
    });
  });
}

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
      const filter = { now: NOW, tags: ['home'] };
      expect(await store().records.facets(ns, ['source', 'recordType'], filter)).toEqual(
        await Promise.all(
          (['source', 'recordType'] as const).map((each) => store().records.facet(ns, each, filter)),
        ),
      );
      expect(await store().records.facets(namespace(), ['source', 'trust'], filter)).toEqual([[], []]);
      expect(await facet('trust')).toEqual([['operator', 3]]);
      expect(await facet('recordType')).toEqual([
        ['note', 2],
        ['event', 1],
      ]);
    });

    it('have the replacement character for half a surrogate pair', async () => {
      const other = namespace();
      const text = (name: string): string => `${name}\ud83d`;
      const fields = {
        content: text('content'),
        title: text('title'),
        key: text('key'),
        tags: [text('tag')],
        source: text('source'),
        category: text('category'),
        metadata: { [text('name')]: [text('value')] },
      };
      await write(store(), other, note(text('content'), fields));
      const [record] = await store().records.list(other, { scan: 'undeleted' }, { after: null, limit: 1 });
      const expected = JSON.parse(JSON.stringify(fields).replaceAll('\\ud83d', '\ufffd')) as object;
      expect(record).toMatchObject(expected);
      const [passage] = (await store().records.passagesOf(other, [1])).get(1) ?? [];
      expect(passage?.text).toBe('content\ufffd');
      for (const [field, value] of [
        ['tag', record?.tags[0]],
        ['source', record?.source],
        ['category', record?.category],
      ] as const)
        expect(await store().records.facet(other, field, { now: NOW })).toEqual([{ value, records: 1 }]);
    });

    it('are those of the records that pass the filter', async () => {
      expect(await facet('source', { origins: ['memory'] })).toEqual([['a', 1]]);
      expect(await facet('tag', { sources: ['a'], tags: ['HOME'] })).toEqual([
        ['Home', 1],
        ['home', 1],
      ]);
      expect(await facet('tag', { origins: ['fact'] })).toEqual([]);
      expect(await store().records.facet('unknown namespace', 'tag', { now: NOW })).toEqual([]);
    });
  });
}

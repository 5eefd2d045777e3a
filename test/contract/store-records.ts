import {} from './written-samples.ts';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/core/ids.ts';
import type { LociRecord } from '../../src/core/types.ts';
import type { SourceEntry } from '../../src/store/model.ts';
import type { StoreFixture } from './store-contract.ts';
import { passagesOf, searchText } from './queries.ts';
import {
  ALL_LIVE,
  anyOf,
  CHUNKING,
  countNotesWithKeys,
  draft,
  evict,
  matchingPassages,
  matchingRecords,
  note,
  notesWithKey,
  NOW,
  passage,
  write,
} from './store-samples.ts';

export function describeRecords({ store, namespace }: StoreFixture): void {
  const live = (ns: string, ids: readonly number[]): Promise<LociRecord[]> =>
    store().records.get(ns, ids, { liveAt: NOW });

  describe('records', () => {
    it('are returned as written, with ids in the order of the writes', async () => {
      const ns = namespace();
      const written = draft({
        content: 'The oven costs too much.',
        title: 'Oven',
        tags: ['kitchen', 'Küche'],
        identity: 'id-1',
        metadata: { aliases: ['stove'], nested: { list: [1, null, true, 'x'] } },
        expiresAt: NOW + 1,
        revision: '12/34',
      });
      const ids = await write(
        store(),
        ns,
        { id: null, draft: written, passages: [passage('The oven')] },
        note('two'),
      );
      expect(ids).toEqual([1, 2]);
      const [record] = await live(ns, [1]);
      expect(record).toEqual({ ...written, namespace: ns, id: 1, deletedAt: null });
    });

    it('and their passages are returned unchanged, in the requested order', async () => {
      const ns = namespace();
      const everyAscii = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code));
      const texts = ['"\\"\\u0000', '\0mid\0', '\u2028\u2029', '👩‍👩‍👧 \u{1f9c5}', everyAscii, '{"a":[1]}', ''];
      const passages = texts.map((text, ordinal) =>
        passage(`lemon ${text}`, { ordinal, headings: [text, '§'] }),
      );
      const record = draft({
        title: texts.join(''),
        tags: texts,
        metadata: { deep: texts, n: 1e300, no: null },
      });
      await write(store(), ns, { id: null, draft: record, passages });
      const ids = (await matchingPassages(store(), ns, 'lemon')).sort((a, b) => b - a);
      const found = await passagesOf(store(), ns, [...ids, 0], ALL_LIVE);
      expect(found.map(({ id }) => id)).toEqual(ids);
      expect(found.map(({ id: _, record: __, ...rest }) => rest)).toEqual(passages.toReversed());
      for (const { record: header } of found) {
        expect([header.title, header.tags, header.metadata]).toEqual([
          record.title,
          record.tags,
          record.metadata,
        ]);
      }
    });

    it('are returned in the requested order, without missing ones', async () => {
      const ns = namespace();
      await write(store(), ns, note('a'), note('b'), note('c'));
      const records = await live(ns, [3, 99, 1, 3]);
      expect(records.map(({ id }) => id)).toEqual([3, 1, 3]);
      expect(await store().records.get(namespace(), [1], { liveAt: NOW })).toEqual([]);
    });

    it('keep their id when they are replaced, and are no longer found by the old words', async () => {
      const ns = namespace();
      const [id = 0] = await write(store(), ns, note('marble worktop', { key: 'a.md' }));
      const next = note('granite sink', { key: 'b.md' });
      expect(await write(store(), ns, { ...next, id })).toEqual([id]);
      const [record] = await live(ns, [id]);
      expect(record).toMatchObject({ id, key: 'b.md', content: 'granite sink' });
      expect(await matchingRecords(store(), ns, 'marble', 'worktop')).toEqual([]);
      expect(await matchingRecords(store(), ns, 'granite')).toEqual([id]);
    });

    it('keep their passages if the text does not change, and are found by a new title, tag or alias', async () => {
      const ns = namespace();
      const first = note(['marble worktop', 'second part'], { title: 'Ideas', tags: ['old'] });
      const [id = 0] = await write(store(), ns, first);
      const passages = await matchingPassages(store(), ns, 'marble');
      const changed = {
        ...first.draft,
        title: 'Decisions',
        tags: ['new'],
        metadata: { aliases: ['verdict'] },
      };
      await write(store(), ns, { id, draft: changed, passages: 'keep' });
      expect(await matchingPassages(store(), ns, 'marble')).toEqual(passages);
      expect(await matchingRecords(store(), ns, 'ideas', 'old')).toEqual([]);
      for (const word of ['decisions', 'new', 'verdict'])
        expect(await matchingRecords(store(), ns, word)).toEqual([id, id]);
      await evict(store(), ns, id);
      expect((await store().search.terms(ns, ['decisions', 'ideas', 'verdict'])).terms).toEqual(
        ['decisions', 'ideas', 'verdict'].map((word) => ({ word, passages: 0, near: [] })),
      );
    });

    it('never get an id that another record had', async () => {
      const ns = namespace();
      await write(store(), ns, note('a'), note('b'));
      await evict(store(), ns, 2);
      expect(await write(store(), ns, note('c'))).toEqual([3]);
      await evict(store(), ns, 1, 3);
      expect(await write(store(), ns, note('d'))).toEqual([4]);
    });

    it('expire in the millisecond of their expiry time', async () => {
      const ns = namespace();
      const expiring = note('passing thought', { key: 'x', expiresAt: NOW });
      await write(store(), ns, expiring, note('lasting thought', { key: 'y' }));
      const visibleAt = async (now: number): Promise<unknown> => ({
        records: (await store().records.get(ns, [1, 2], { liveAt: now })).length,
        byKey: (await notesWithKey(store(), ns, 'x', now)).length,
        counted: await countNotesWithKeys(store(), ns, ['x', 'y'], now),
        text: (await searchText(store(), ns, anyOf('thought'), { now }, 1)).map(({ record }) => record),
        passages: (await passagesOf(store(), ns, await matchingPassages(store(), ns, 'thought'), { now }))
          .length,
      });
      expect(await visibleAt(NOW - 1)).toEqual({
        records: 2,
        byKey: 1,
        counted: [1, 1],
        text: [1],
        passages: 1,
      });
      expect(await visibleAt(NOW)).toEqual({ records: 1, byKey: 0, counted: [0, 1], text: [2], passages: 1 });
    });

    it('are found by key across sources', async () => {
      const ns = namespace();
      await write(
        store(),
        ns,
        note('1', { source: 'b', key: 'k' }),
        note('2', { source: 'a', key: 'k' }),
        note('3', { key: 'l' }),
      );
      expect((await notesWithKey(store(), ns, 'k')).map(({ source }) => source)).toEqual(['a', 'b']);
      expect(await notesWithKey(store(), ns, '')).toEqual([]);
      expect(await countNotesWithKeys(store(), ns, ['l', 'k', '', 'l'])).toEqual([1, 2, 0, 1]);
    });

    it('are listed by source, in pages, each once', async () => {
      const ns = namespace();
      const keys = ['', 'a', 'a/b', 'Ä', 'z', '\uFFFD', '\u{1F600}'];
      const writes = keys.map((key) =>
        note(`text of ${key}`, { source: 's', key, identity: `i-${key}`, revision: 'r1' }),
      );
      await write(
        store(),
        ns,
        ...writes,
        note('x', { source: 's', key: null }),
        note('y', { source: 't', key: 'a' }),
      );
      const entries: SourceEntry[] = [];
      for (let after: string | null = null; ;) {
        const page: SourceEntry[] = await store().records.sourceEntries(ns, 's', { after, limit: 2 });
        entries.push(...page);
        const last = page.at(-1);
        if (last === undefined) break;
        after = last.key;
      }
      expect(entries.map(({ key }) => key).toSorted()).toEqual(keys.toSorted());
      expect(entries.find(({ key }) => key === 'Ä')).toEqual({
        id: 4,
        key: 'Ä',
        identity: 'i-Ä',
        revision: 'r1',
        contentHash: sha256('text of Ä'),
      });
    });

    it('can be committed two thousand at a time', async () => {
      const ns = namespace();
      const ids = await write(
        store(),
        ns,
        ...Array.from({ length: 2000 }, (_, i) => note(`thing number${String(i)}`)),
      );
      expect(ids).toEqual(Array.from({ length: 2000 }, (_, i) => i + 1));
      expect(await matchingRecords(store(), ns, 'number1999')).toEqual([2000]);
      await store().records.commit(ns, { evictions: ids, chunking: CHUNKING });
      expect(await store().records.list(ns, { scan: 'undeleted' }, { after: null, limit: 10 })).toEqual([]);
    });
  });
}

import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/core/ids.ts';
import type { Json } from '../../src/core/types.ts';
import type { SourceEntry } from '../../src/store/store.ts';
import type { Subject } from './store-contract.ts';
import {
  ALL_LIVE,
  CHUNKING,
  draft,
  evict,
  found,
  note,
  NOW,
  passage,
  passageIds,
  write,
} from './store-samples.ts';

export function describeRecords({ store, namespace }: Subject): void {
  describe('records', () => {
    it('come back as they were written, with ids in the order of the writes', async () => {
      const ns = namespace();
      const given = draft({
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
        { id: null, draft: given, passages: [passage('The oven')] },
        note('two'),
      );
      expect(ids).toEqual([1, 2]);
      const [record] = await store().records(ns, [1], NOW);
      expect(record).toEqual({ ...given, namespace: ns, id: 1, deletedAt: null });
    });

    it('and their passages come back letter by letter, in the order asked for', async () => {
      const ns = namespace();
      const everyAscii = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code));
      const odd = ['"\\"\\u0000', '\0mid\0', '\u2028\u2029', '👩‍👩‍👧 \u{1f9c5}', everyAscii, '{"a":[1]}', ''];
      const passages = odd.map((text, ordinal) =>
        passage(`lemon ${text}`, { ordinal, headings: [text, '§'] }),
      );
      const record = draft({ title: odd.join(''), tags: odd, metadata: { deep: odd, n: 1e300, no: null } });
      await write(store(), ns, { id: null, draft: record, passages });
      const ids = (await passageIds(store(), ns, 'lemon')).sort((a, b) => b - a);
      const found = await store().passages(ns, [...ids, 0], ALL_LIVE);
      expect(found.map(({ id }) => id)).toEqual(ids);
      expect(found.map(({ id: _, record: __, ...own }) => own)).toEqual(passages.toReversed());
      for (const { record: header } of found) {
        expect([header.title, header.tags, header.metadata]).toEqual([
          record.title,
          record.tags,
          record.metadata,
        ]);
      }
    });

    it('are answered in the order asked for, without those that are not there', async () => {
      const ns = namespace();
      await write(store(), ns, note('a'), note('b'), note('c'));
      const records = await store().records(ns, [3, 99, 1, 3], NOW);
      expect(records.map(({ id }) => id)).toEqual([3, 1, 3]);
      expect(await store().records(namespace(), [1], NOW)).toEqual([]);
    });

    it('keep their id when they are replaced, and lose their former words', async () => {
      const ns = namespace();
      const [id = 0] = await write(store(), ns, note('marble worktop', { key: 'a.md' }));
      const next = note('granite sink', { key: 'b.md' });
      expect(await write(store(), ns, { ...next, id })).toEqual([id]);
      const [record] = await store().records(ns, [id], NOW);
      expect(record).toMatchObject({ id, key: 'b.md', content: 'granite sink' });
      expect(await found(store(), ns, 'marble', 'worktop')).toEqual([]);
      expect(await found(store(), ns, 'granite')).toEqual([id]);
    });

    it('keep their passages where the text stays, and are found by a new title, tag or alias', async () => {
      const ns = namespace();
      const first = note(['marble worktop', 'second part'], { title: 'Ideas', tags: ['old'] });
      const [id = 0] = await write(store(), ns, first);
      const passages = await passageIds(store(), ns, 'marble');
      const changed = {
        ...first.draft,
        title: 'Decisions',
        tags: ['new'],
        metadata: { aliases: ['verdict'] },
      };
      await write(store(), ns, { id, draft: changed, passages: 'keep' });
      expect(await passageIds(store(), ns, 'marble')).toEqual(passages);
      expect(await found(store(), ns, 'ideas', 'old')).toEqual([]);
      for (const word of ['decisions', 'new', 'verdict'])
        expect(await found(store(), ns, word)).toEqual([id, id]);
      await evict(store(), ns, id);
      expect(await store().lookUpTerms(ns, ['decisions', 'ideas', 'verdict'])).toEqual(
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

    it('expire to the millisecond', async () => {
      const ns = namespace();
      const expiring = note('passing thought', { key: 'x', expiresAt: NOW });
      await write(store(), ns, expiring, note('lasting thought', { key: 'y' }));
      const seenAt = async (now: number): Promise<unknown> => ({
        records: (await store().records(ns, [1, 2], now)).length,
        byKey: (await store().recordsByKey(ns, 'x', now)).length,
        counted: await store().countByKey(ns, ['x', 'y'], now),
        text: (
          await store().searchText(
            ns,
            {
              any: [{ terms: ['thought'], prefix: false }],
              all: [],
              weights: { title: 1, headings: 1, body: 1, tags: 1 },
            },
            { now },
            1,
          )
        ).map(({ record }) => record),
        passages: (await store().passages(ns, await passageIds(store(), ns, 'thought'), { now })).length,
      });
      expect(await seenAt(NOW - 1)).toEqual({
        records: 2,
        byKey: 1,
        counted: [1, 1],
        text: [1],
        passages: 1,
      });
      expect(await seenAt(NOW)).toEqual({ records: 1, byKey: 0, counted: [0, 1], text: [2], passages: 1 });
    });

    it('are found by key over all sources', async () => {
      const ns = namespace();
      await write(
        store(),
        ns,
        note('1', { source: 'b', key: 'k' }),
        note('2', { source: 'a', key: 'k' }),
        note('3', { key: 'l' }),
      );
      expect((await store().recordsByKey(ns, 'k', NOW)).map(({ source }) => source)).toEqual(['a', 'b']);
      expect(await store().recordsByKey(ns, '', NOW)).toEqual([]);
      expect(await store().countByKey(ns, ['l', 'k', '', 'l'], NOW)).toEqual([1, 2, 0, 1]);
    });

    it('are listed by source, page by page, each once', async () => {
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
        const page: SourceEntry[] = await store().sourceEntries(ns, 's', { after, limit: 2 });
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

    it('take any text as it is', async () => {
      const ns = namespace();
      const texts = [
        '',
        ' ',
        'NUL \0 inside',
        '"\'`; DROP TABLE record; --',
        '🙂 שלום 数据 \u202E',
        'a\r\nb\u2028c',
        'x'.repeat(1_000_000),
      ];
      const writes = texts.map((text) =>
        note(text, {
          title: text.slice(0, 50),
          tags: [text.slice(0, 20)],
          key: text.slice(0, 9),
          metadata: { text: text.slice(0, 50) },
        }),
      );
      const ids = await write(store(), ns, ...writes);
      const records = await store().records(ns, ids, NOW);
      expect(
        records.map(({ content, title, tags, key, metadata }) => ({ content, title, tags, key, metadata })),
      ).toEqual(
        writes.map(({ draft: { content, title, tags, key, metadata } }) => ({
          content,
          title,
          tags,
          key,
          metadata,
        })),
      );
      const held = await store().passagesOf(ns, ids);
      expect(ids.map((id) => held.get(id)?.[0]?.text)).toEqual(texts);
    });

    it('take metadata of any shape, however deep', async () => {
      const ns = namespace();
      let deep: Json = 'bottom';
      for (let i = 0; i < 1500; i++) deep = [deep];
      const odd = JSON.parse(
        '{"__proto__": {"a": 1}, "constructor": "c", "": null, "session": {"not": "text"}}',
      ) as Record<string, Json>;
      const ids = await write(
        store(),
        ns,
        note('deep', { metadata: { deep } }),
        note('odd', { metadata: odd }),
      );
      const [one, other] = await store().records(ns, ids, NOW);
      expect(JSON.stringify(one?.metadata)).toBe(JSON.stringify({ deep }));
      expect(JSON.stringify(other?.metadata)).toBe(JSON.stringify(odd));
      expect(await found(store(), ns, 'deep')).toEqual([ids[0]]);
    });

    it('survive text that is not well-formed, and so do the others', async () => {
      const ns = namespace();
      const broken = note('half \ud83d a pair \ude42', {
        title: '\udc00',
        tags: ['\ud800'],
        metadata: { alias: '\ud800' },
      });
      const [id] = await write(store(), ns, broken, note('half whole'));
      expect(await found(store(), ns, 'pair')).toEqual([id]);
      expect(await found(store(), ns, 'whole')).toEqual([2]);
      expect(
        await store().passages(ns, await passageIds(store(), ns, 'half'), { ...ALL_LIVE, tags: ['\ud800 '] }),
      ).toEqual([]);
    });

    it('refuse times that are no whole milliseconds', async () => {
      const ns = namespace();
      for (const time of [1.5, Number.NaN, Infinity, 2 ** 60]) {
        for (const field of ['createdAt', 'updatedAt', 'expiresAt'] as const) {
          await expect(write(store(), ns, note('x', { [field]: time }))).rejects.toMatchObject({
            code: 'invalid_input',
          });
        }
      }
      const farthest = note('x', { createdAt: Number.MIN_SAFE_INTEGER, expiresAt: Number.MAX_SAFE_INTEGER });
      const [id = 0] = await write(store(), ns, farthest);
      expect((await store().records(ns, [id], NOW))[0]).toMatchObject({ createdAt: Number.MIN_SAFE_INTEGER });
    });

    it('are not the copies that callers hold', async () => {
      const ns = namespace();
      const mine = note('text', { tags: ['one'], metadata: { list: ['a'] } });
      await write(store(), ns, mine);
      (mine.draft.metadata['list'] as string[]).push('changed by the writer');
      const [first] = await store().records(ns, [1], NOW);
      (first?.metadata['list'] as string[]).push('changed by a reader');
      expect((await store().records(ns, [1], NOW))[0]?.metadata).toEqual({ list: ['a'] });
    });

    it('are committed by the thousand at once', async () => {
      const ns = namespace();
      const ids = await write(
        store(),
        ns,
        ...Array.from({ length: 2000 }, (_, i) => note(`thing number${String(i)}`)),
      );
      expect(ids).toEqual(Array.from({ length: 2000 }, (_, i) => i + 1));
      expect(await found(store(), ns, 'number1999')).toEqual([2000]);
      await store().commit(ns, { writes: [], evictions: ids, chunking: CHUNKING });
      expect(await store().scanRecords(ns, { after: null, limit: 10 })).toEqual([]);
    });
  });
}

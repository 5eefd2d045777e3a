import { describe, expect, it } from 'vitest';
import type { Json, LociRecord } from '../../src/core/types.ts';
import type { StoreFixture } from './store-contract.ts';
import { passagesOf } from './queries.ts';
import { ALL_LIVE, matchingRecords, note, NOW, matchingPassages, write } from './store-samples.ts';

export function describeRecordValues({ store, namespace }: StoreFixture): void {
  const live = (ns: string, ids: readonly number[]): Promise<LociRecord[]> =>
    store().records.get(ns, ids, { liveAt: NOW });

  describe('the values of a record', () => {
    it('may be any text and are returned unchanged', async () => {
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
      const records = await store().records.get(ns, ids, { liveAt: NOW });
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
      const passages = await store().records.passagesOf(ns, ids);
      expect(ids.map((id) => passages.get(id)?.[0]?.text)).toEqual(texts);
    });

    it('may be metadata of any shape and depth', async () => {
      const ns = namespace();
      let deep: Json = 'bottom';
      for (let i = 0; i < 1500; i++) deep = [deep];
      const unusual = JSON.parse(
        '{"__proto__": {"a": 1}, "constructor": "c", "": null, "session": {"not": "text"}}',
      ) as Record<string, Json>;
      const ids = await write(
        store(),
        ns,
        note('deep', { metadata: { deep } }),
        note('unusual', { metadata: unusual }),
      );
      const [one, other] = await store().records.get(ns, ids, { liveAt: NOW });
      expect(JSON.stringify(one?.metadata)).toBe(JSON.stringify({ deep }));
      expect(JSON.stringify(other?.metadata)).toBe(JSON.stringify(unusual));
      expect(await matchingRecords(store(), ns, 'deep')).toEqual([ids[0]]);
    });

    it('may be text that is not well-formed, which does not affect other records', async () => {
      const ns = namespace();
      const broken = note('half \ud83d a pair \ude42', {
        title: '\udc00',
        tags: ['\ud800'],
        metadata: { alias: '\ud800' },
      });
      const [id] = await write(store(), ns, broken, note('half whole'));
      expect(await matchingRecords(store(), ns, 'pair')).toEqual([id]);
      expect(await matchingRecords(store(), ns, 'whole')).toEqual([2]);
      expect(
        await passagesOf(store(), ns, await matchingPassages(store(), ns, 'half'), {
          ...ALL_LIVE,
          tags: ['\ud800 '],
        }),
      ).toEqual([]);
    });

    it('are rejected if a time is not a whole number of milliseconds', async () => {
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
      expect((await live(ns, [id]))[0]).toMatchObject({
        createdAt: Number.MIN_SAFE_INTEGER,
      });
    });

    it('do not change when the caller changes its objects', async () => {
      const ns = namespace();
      const written = note('text', { tags: ['one'], metadata: { list: ['a'] } });
      await write(store(), ns, written);
      (written.draft.metadata['list'] as string[]).push('changed by the writer');
      const [first] = await live(ns, [1]);
      (first?.metadata['list'] as string[]).push('changed by a reader');
      expect((await live(ns, [1]))[0]?.metadata).toEqual({ list: ['a'] });
    });
  });
}

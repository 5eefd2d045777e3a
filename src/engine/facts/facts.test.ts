import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderForEach, openInline, settings } from '../../../test/contract/engines.ts';
import type { EngineContext } from '../context.ts';
import { deleteRecord } from '../records/delete.ts';
import { draft } from '../../../test/contract/store-samples.ts';
import { listFacts, recallFact, storeFact, forgetFacts } from './facts.ts';

const folder = folderForEach();
let loci: EngineContext;

beforeEach(async () => {
  loci = await openInline(settings(folder.path, { writes: { enabled: true } }));
});

afterEach(() => loci.close());

describe('keys that differ in case, spaces or underscores', () => {
  it('are one key, which keeps its first spelling, in each category', async () => {
    const first = await storeFact(loci, { key: 'Home_City', value: 'Berlin' });
    const second = await storeFact(loci, { key: 'home city', value: 'Basel' });
    expect(second).toMatchObject({ id: first.id, key: 'Home_City', replaced: true });
    const elsewhere = await storeFact(loci, { key: 'HomeCity', value: 'Bern', category: 'work' });
    expect(elsewhere).toMatchObject({ key: 'HomeCity', replaced: false });
    expect(await recallFact(loci, { key: 'home_city', category: 'user_facts' })).toMatchObject({
      value: 'Basel',
    });
    expect(await recallFact(loci, { key: 'home-city' }).catch((error: unknown) => error)).toMatchObject({
      code: 'not_found',
    });
    expect((await forgetFacts(loci, { key: 'HOME CITY', category: 'work' })).facts).toMatchObject([
      { id: elsewhere.id },
    ]);
    expect((await listFacts(loci)).total).toBe(1);
  });

  it('that were stored apart before stay apart', async () => {
    const ids = await loci.store.records.commit(loci.namespace, {
      writes: ['a_b', 'A B'].map((key) => ({
        ...{ id: null, passages: [] },
        draft: draft({
          origin: 'fact',
          source: 'cli',
          category: 'user_facts',
          title: key,
          key,
          content: key,
          expiresAt: Date.UTC(2099, 0),
        }),
      })),
      chunking: 'test/1',
    });
    expect((await recallFact(loci, { key: 'A B' })).id).toBe(ids[1]);
    const stored = await storeFact(loci, { key: 'a_b', value: 'x' });
    expect([stored.id, stored.replaced]).toEqual([ids[0], true]);
    expect((await recallFact(loci, { key: 'A B' })).value).toBe('A B');
  });
});

describe('a key that no fact has', () => {
  it('is answered with keys that begin with it, then those that contain it, three at most', async () => {
    const hintOf = async (key: string): Promise<unknown> =>
      (
        (await recallFact(loci, { key }).catch((error: unknown) => error as { hint: unknown })) as {
          hint: unknown;
        }
      ).hint;
    for (const key of ['old-wifi', 'wifi.guest', 'oven', 'WiFi.home', 'my.wifi', 'wifi.attic'])
      await storeFact(loci, { key, value: `About ${key}.` });
    const all = '`memory_list` lists all keys.';
    expect(await hintOf('wifi')).toBe(`Did you mean "wifi.attic" or "WiFi.home" or "wifi.guest"? ${all}`);
    expect(await hintOf('guest')).toBe(`Did you mean "wifi.guest"? ${all}`);
    expect(await hintOf('ovn')).toBe(`Did you mean "oven"? ${all}`);
    expect(await hintOf('quuxian')).toBe(all);
  });
});

describe('facts sorted by when they expire', () => {
  it('come page by page, also after a fact that was forgotten meanwhile', async () => {
    for (const [key, expires] of Object.entries({ c: '9d', a: '1d', d: '9d', b: '2d' }))
      await storeFact(loci, { key, value: `About ${key}.`, expires });
    const keys: string[] = [];
    for (let after: number | undefined; ;) {
      const page = await listFacts(loci, {
        sort: 'expires',
        limit: 1,
        ...(after !== undefined && { after }),
      });
      expect(page.facts).toHaveLength(1);
      expect(page.total).toBe(keys.length > 1 ? 3 : 4);
      keys.push(page.facts[0]!.key);
      if (keys.length === 2) await deleteRecord(loci, { id: page.facts[0]!.id });
      if (page.next === null) break;
      after = page.next;
    }
    expect(keys).toEqual(['a', 'b', 'c', 'd']);
    const prefixed = await listFacts(loci, { sort: 'expires', prefix: 'd' });
    expect(prefixed.facts.map(({ key }) => key)).toEqual(['d']);
    await expect(listFacts(loci, { sort: 'expires', after: 999 })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('end a page early where values are long, and lose none', async () => {
    const long = 'x'.repeat(1_000_000);
    for (let i = 0; i < 6; i++) await storeFact(loci, { key: String(i), value: `${long}${String(i)}` });
    const first = await listFacts(loci, { sort: 'expires' });
    expect(first.facts.length).toBeGreaterThan(0);
    expect(first.facts.length).toBeLessThan(6);
    const second = await listFacts(loci, { sort: 'expires', after: first.next! });
    expect([...first.facts, ...second.facts].map(({ key }) => key)).toEqual(['0', '1', '2', '3', '4', '5']);
  });
});

describe('a fact that is stored again', () => {
  it('keeps its metadata with the same value, and loses it with another', async () => {
    const { id } = await storeFact(loci, { key: 'k', value: 'v', metadata: { from: 'capture' } });
    const metadata = async () => (await loci.store.records.get(loci.namespace, [id], 'any'))[0]!.metadata;
    await storeFact(loci, { key: 'k', value: 'v', expires: '300d' });
    expect(await metadata()).toEqual({ from: 'capture' });
    await storeFact(loci, { key: 'k', value: 'other' });
    expect(await metadata()).toEqual({});
  });

  it('by an agent lives no shorter than before, also when the agent stores it twice', async () => {
    const { namespace } = loci;
    const caller = { namespace, actor: 'claude', surface: 'mcp', trust: 'agent' as const };
    const ofSession = { ...loci.caller, session: 's1' };
    const { expires_at } = await storeFact(loci, { key: 'wifi', value: 'swordfish', expires: '365d' });
    for (const context of [loci.as(caller), loci.as(caller), loci.as(ofSession)])
      expect(await storeFact(context, { key: 'wifi', value: 'gone', expires: '1h' })).toMatchObject({
        expires_at,
        replaced: true,
      });
    const shorter = await storeFact(loci, { key: 'wifi', value: 'mine', expires: '1h' });
    expect(shorter.expires_at < expires_at).toBe(true);
  });
});

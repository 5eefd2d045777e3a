import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openInline, settings, temporaryFolder } from '../../../test/contract/engines.ts';
import { filesContaining } from '../../../test/contract/raw-file.ts';
import type { Loci } from '../open.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let now: number;
let loci: Loci;

beforeEach(async () => {
  folder = await temporaryFolder();
  now = Date.UTC(2026, 10, 22, 12);
  loci = await open();
});

afterEach(async () => {
  await loci.close();
  await folder[Symbol.asyncDispose]();
});

function open(): Promise<Loci> {
  return openInline(settings(folder.path, { search: { minScore: 0 } }), { now: () => now });
}

describe('an expired fact', () => {
  it('is in no result and no suggestion from the millisecond at which it expires', async () => {
    const ttlSeconds = 3600;
    const { id } = await loci.facts.store({ key: 'door', value: 'The code is marzipan.', ttlSeconds });
    await loci.facts.store({ key: 'gate', value: 'The code is nougat.', ttlSeconds: 7200 });
    now += HOUR - 1;
    const visible = async (): Promise<unknown[]> => [
      (await loci.search({ query: 'marzipan' })).results.filter((found) => found.id === id).length,
      (await loci.facts.list({ limit: 10 })).total,
      (await loci.facts.categories(5)).map(({ count, recentKeys }) => [count, recentKeys]),
      (await loci.corpus({ limit: 10 })).documents.length,
      (await loci.facet('category')).map(({ records }) => records),
      (await loci.status()).ownStats?.records,
    ];
    expect(await visible()).toEqual([1, 2, [[2, ['gate', 'door']]], 2, [2], 2]);
    now += 1;
    const { corrections } = await loci.search({ query: 'marzipam' });
    expect(corrections).toEqual([]);
    expect(await visible()).toEqual([0, 1, [[1, ['gate']]], 1, [1], 1]);
    await expect(loci.facts.recall('door')).rejects.toMatchObject({ code: 'not_found' });
    await expect(loci.get(`record/${String(id)}`)).rejects.toMatchObject({ code: 'not_found' });
    await expect(loci.undelete(id)).rejects.toMatchObject({ code: 'gone' });
    const [expired, ...written] = await loci.audit({ limit: 10 });
    expect(expired).toMatchObject({ action: 'expire', actor: 'loci', surface: 'engine' });
    expect(written.find(({ subject }) => subject === expired?.subject)?.diff).toBeNull();
    await loci.close();
    expect(filesContaining(folder.path, 'marzipan')).toEqual([]);
    expect(filesContaining(folder.path, 'code is nougat')).not.toEqual([]);
    loci = await open();
  });

  it('frees its key, also when it expired in another process', async () => {
    await loci.facts.store({ key: 'door', value: 'marzipan', ttlSeconds: 3600 });
    const other = await open();
    try {
      await other.facts.list({ limit: 1 });
      now += HOUR;
      const { id, replaced } = await other.facts.store({ key: 'door', value: 'nougat' });
      expect([id, replaced]).toEqual([2, false]);
      expect((await loci.facts.recall('door')).content).toBe('nougat');
    } finally {
      await other.close();
    }
  });
});

describe('a deleted record', () => {
  it('can be restored until it is purged with an audit entry', async () => {
    const { id } = await loci.write({ content: 'The plumber is called Zebulon.', title: 'Plumber' });
    await loci.delete(id);
    now += 30 * DAY;
    await loci.undelete(id);
    expect((await loci.search({ query: 'zebulon' })).results[0]).toMatchObject({ id, title: 'Plumber' });
    await loci.delete(id);
    now += 30 * DAY + 1;
    await loci.write({ content: 'Something else.' });
    await loci.close();
    loci = await open();
    await expect(loci.undelete(id)).rejects.toMatchObject({ code: 'gone', message: /purged/ });
    expect((await loci.audit({ action: 'purge', limit: 10 })).length).toBe(1);
    expect(filesContaining(folder.path, 'Zebulon.')).toEqual([]);
    expect(await loci.doctor()).toContainEqual(expect.objectContaining({ name: 'audit', result: 'ok' }));
  });

  it('is in no index', async () => {
    const { id } = await loci.write({ content: 'The plumber is called Zebulon.' });
    await loci.delete(id);
    const { results, corrections } = await loci.search({ query: 'zebulom' });
    expect([results, corrections]).toEqual([[], []]);
    expect((await loci.status()).ownStats).toMatchObject({ records: 0, passages: 0, terms: 0 });
  });
});

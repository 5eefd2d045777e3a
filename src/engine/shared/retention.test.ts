import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { folderForEach, openInline, settings } from '../../../test/contract/engines.ts';
import { filesContaining } from '../../../test/contract/raw-file.ts';
import { LociError } from '../../core/errors.ts';
import type { EngineContext } from '../context.ts';
import { storeFact, listFacts, factCategories, recallFact } from '../facts/facts.ts';
import { search } from '../records/search.ts';
import { corpus } from '../facts/corpus.ts';
import { facet } from '../records/results/why-nothing.ts';
import { storeStatus } from '../health/status.ts';
import { get } from '../records/get.ts';
import { undelete, deleteRecord } from '../records/delete.ts';
import { audit } from '../audit/read-audit.ts';
import { write } from '../records/write.ts';
import { doctor } from '../health/doctor.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const folder = folderForEach();
let now: number;
let loci: EngineContext;

beforeEach(async () => {
  now = Date.UTC(2026, 10, 22, 12);
  loci = await open();
});

afterEach(() => loci.close());

function open(): Promise<EngineContext> {
  return openInline(settings(folder.path, { search: { minScore: 0 } }), { now: () => now });
}

describe('an expired fact', () => {
  it('is in no result and no suggestion from the millisecond at which it expires', async () => {
    const expires = '1h';
    const { id } = await storeFact(loci, { key: 'door', value: 'The code is marzipan.', expires });
    await storeFact(loci, { key: 'gate', value: 'The code is nougat.', expires: '2h' });
    now += HOUR - 1;
    const visible = async (): Promise<unknown[]> => [
      (await search(loci, { query: 'marzipan' })).results.filter((found) => found.id === id).length,
      (await listFacts(loci, { limit: 10 })).total,
      (await factCategories(loci)).categories.map(({ count, recent_keys: keys }) => [count, keys]),
      (await corpus(loci, { limit: 10 })).documents.length,
      (await facet(loci, 'category')).map(({ records }) => records),
      (await storeStatus(loci)).records,
    ];
    expect(await visible()).toEqual([1, 2, [[2, ['gate', 'door']]], 2, [2], 2]);
    now += 1;
    const { corrections } = await search(loci, { query: 'marzipam' });
    expect(corrections).toEqual([]);
    expect(await visible()).toEqual([0, 1, [[1, ['gate']]], 1, [1], 1]);
    await expect(recallFact(loci, { key: 'door' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(get(loci, { citation: `record/${String(id)}` })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(undelete(loci, { id })).rejects.toMatchObject({ code: 'gone' });
    const [expired, ...written] = (await audit(loci, { limit: 10 })).entries;
    expect(expired).toMatchObject({ action: 'expire', actor: 'loci', surface: 'engine' });
    expect(written.find(({ subject }) => subject === expired?.subject)?.diff).toBeNull();
    await loci.close();
    expect(filesContaining(folder.path, 'marzipan')).toEqual([]);
    expect(filesContaining(folder.path, 'code is nougat')).not.toEqual([]);
    loci = await open();
  });

  it('frees its key, also when it expired in another process', async () => {
    await storeFact(loci, { key: 'door', value: 'marzipan', expires: '1h' });
    const other = await open();
    try {
      await listFacts(other, { limit: 1 });
      now += HOUR;
      const { id, replaced } = await storeFact(other, { key: 'door', value: 'nougat' });
      expect([id, replaced]).toEqual([2, false]);
      expect((await recallFact(loci, { key: 'door' })).value).toBe('nougat');
    } finally {
      await other.close();
    }
  });
});

describe('a deleted record', () => {
  it('can be restored until it is purged with an audit entry', async () => {
    const { id } = await write(loci, { content: 'The plumber is called Zebulon.', title: 'Plumber' });
    await deleteRecord(loci, { id });
    now += 30 * DAY;
    await undelete(loci, { id });
    expect((await search(loci, { query: 'zebulon' })).results[0]).toMatchObject({ id, title: 'Plumber' });
    await deleteRecord(loci, { id });
    now += 30 * DAY + 1;
    await write(loci, { content: 'Something else.' });
    await loci.close();
    loci = await open();
    await expect(undelete(loci, { id })).rejects.toMatchObject({ code: 'gone', message: /purged/ });
    expect((await audit(loci, { action: 'purge', limit: 10 })).entries.length).toBe(1);
    expect(filesContaining(folder.path, 'Zebulon.')).toEqual([]);
    expect(await doctor(loci)).toContainEqual(expect.objectContaining({ name: 'audit', result: 'ok' }));
  });

  it('is in no index', async () => {
    const { id } = await write(loci, { content: 'The plumber is called Zebulon.' });
    await deleteRecord(loci, { id });
    const { results, corrections } = await search(loci, { query: 'zebulom' });
    expect([results, corrections]).toEqual([[], []]);
    expect(await storeStatus(loci)).toMatchObject({ records: 0, passages: 0, terms: 0 });
  });
});

it('a read answers where nothing can be removed, which is said once', async () => {
  await loci.close();
  const warnings: string[] = [];
  loci = await openInline(settings(folder.path), {
    now: () => now,
    onWarning: (message) => warnings.push(message),
  });
  await storeFact(loci, { key: 'door', value: 'marzipan', expires: '1h' });
  now += HOUR;
  vi.spyOn(loci.store.records, 'commit').mockRejectedValue(new LociError('store_full', 'the disk is full'));
  for (let i = 0; i < 2; i++) expect((await listFacts(loci, { limit: 10 })).total).toBe(0);
  await expect
    .poll(() => warnings.toSorted())
    .toEqual([
      'Deleted records were not removed. The next purge tries again: the disk is full',
      'Expired records were not removed: the disk is full',
    ]);
});

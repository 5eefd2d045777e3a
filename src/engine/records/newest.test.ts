import { afterEach, beforeEach, expect, it } from 'vitest';
import { folderForEach, openInline, settings, writeNotes } from '../../../test/contract/engines.ts';
import type { EngineContext } from '../context.ts';
import { storeFact } from '../facts/facts.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import { search } from './search.ts';
import { write } from './write.ts';

const folder = folderForEach();
let loci: EngineContext;
let now = 0;

beforeEach(async () => {
  const vaults = [{ name: 'notes', path: folder.path }];
  loci = await openInline(settings(folder.path, { vaults, search: { minScore: 0 } }), { now: () => now });
});

afterEach(() => loci.close());

async function remember(content: string, day: string, title = ''): Promise<void> {
  now = Date.parse(`${day}T12:00`);
  await write(loci, { content, title });
}

it('of memories that say the same the latest stands first, and the earlier ones name it', async () => {
  await remember('The guest wifi password is marzipan-41.', '2025-02-11');
  await remember('Since the move, the guest wifi password is juniper-88.', '2026-03-09');
  const { results } = await search(loci, { query: 'guest wifi password', explain: true });
  expect(results.map(({ id }) => id)).toEqual([2, 1]);
  const [first, second] = results;
  expect(first).not.toHaveProperty('later');
  expect(first?.why).toContain('newer');
  expect(first!.score).toBeGreaterThanOrEqual(second!.score);
  expect(second?.later).toEqual({ id: 2, citation: 'record/2', date: '2026-03-09' });
  expect(second?.why).not.toContain('newer');
});

it('an entry of a journal has the day in the name of its file', async () => {
  await writeNotes(folder.path, {
    '2026-05-04.md': 'The bin stands next to the plum tree.\n',
    '2025-08-09.md': 'Bin: the bin stands behind the shed.\n',
  });
  now = Date.parse('2026-11-21');
  await indexVaults(loci);
  const { results } = await search(loci, { query: 'where does the bin stand' });
  expect(results.map(({ citation }) => citation)).toEqual(['2026-05-04.md#L1-L1', '2025-08-09.md#L1-L1']);
  expect(results[1]?.later).toMatchObject({ citation: '2026-05-04.md#L1-L1', date: '2026-05-04' });
});

it('a sentence that was written several times takes one place', async () => {
  await remember('Water the balcony plants.', '2026-05-03');
  await remember('Water the  balcony plants.', '2026-06-07');
  await remember('water the balcony plants.', '2026-07-11');
  await remember('Water the balcony plants.', '2026-07-12', 'Holiday');
  await remember(`Water the balcony plants.${'\n\nMore about the plants. '.repeat(200)}`, '2026-07-13');
  await storeFact(loci, { key: 'plants', value: 'Water the balcony plants.' });
  const { results } = await search(loci, { query: 'balcony plants' });
  expect(results.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([3, 4, 5, 6]);
  expect(results.find(({ id }) => id === 3)?.also).toEqual([
    { id: 2, citation: 'record/2', date: '2026-06-07' },
    { id: 1, citation: 'record/1', date: '2026-05-03' },
  ]);
  expect(results.filter(({ also }) => also !== undefined)).toHaveLength(1);
  const limited = await search(loci, { query: 'balcony plants', limit: 3 });
  expect(limited.results).toHaveLength(3);
});

import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ListOutput } from '../../src/engine/records/list.ts';
import { writeNotes } from '../contract/engines.ts';
import { loci, lociJson, preparedHomes } from './loci-command.ts';

const preparedHome = preparedHomes(async (home, folder) => {
  const oven = '---\ntags: [home/kitchen]\n---\nThe oven.';
  await writeNotes(join(folder, 'one'), { 'Oven.md': oven });
  await writeNotes(join(folder, 'two'), {
    'Oven.md': oven,
    'Tiles.md': `# Tiles\n\n${'Many words. '.repeat(100)}`,
  });
  await loci(['index', join(folder, 'one'), join(folder, 'two')], { home });
  await loci(['write', 'The plumber is Tove,\nshe prefers texts', '--tag', 'home'], { home });
  await loci(['fact', 'store', 'port', '8080'], { home });
});

let home: string;

beforeEach(() => {
  home = preparedHome();
});

const page = (...args: readonly string[]): Promise<ListOutput> => lociJson(['list', ...args], { home });
const citations = async (...args: readonly string[]): Promise<string[]> =>
  (await page(...args)).records.map(({ citation }) => citation).toSorted();

describe('loci list', () => {
  it('lists the last stored records first, with citations that get reads', async () => {
    const { records, total, next } = await page();
    expect([total, next]).toEqual([5, null]);
    expect(records.map(({ id }) => id)).toEqual([5, 4, 3, 2, 1]);
    expect(records.slice(0, 2)).toMatchObject([
      { citation: 'record/5', title: 'port', origin: 'fact' },
      {
        citation: 'record/4',
        title: 'The plumber is Tove,',
        origin: 'memory',
        trust: 'operator',
        tags: ['home'],
      },
    ]);
    expect(await citations('--origin', 'vault')).toEqual(['Tiles.md', 'one:Oven.md', 'two:Oven.md']);
    for (const { id, citation } of records)
      expect(await lociJson(['get', citation], { home })).toMatchObject({ id });
  });

  it('filters by vault, source, origin and tag', async () => {
    expect(await citations('--vault', 'two')).toEqual(['Tiles.md', 'two:Oven.md']);
    expect(await citations('--vault', 'two', '--tag', 'home')).toEqual(['two:Oven.md']);
    expect(await citations('--source', 'one', '--source', 'cli')).toEqual([
      'one:Oven.md',
      'record/4',
      'record/5',
    ]);
    expect(await citations('--origin', 'fact,memory')).toEqual(['record/4', 'record/5']);
    expect(await citations('--vault', 'two', '--origin', 'fact')).toEqual([]);
    expect(await page('--tag', 'hom')).toMatchObject({
      records: [],
      unmatched: [{ filter: 'tag', value: 'hom', known: ['home', 'home/kitchen'] }],
    });
  });
});

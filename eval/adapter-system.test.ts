import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AdapterId } from '../src/adapters/create-adapter.ts';
import { ADAPTERS, adapterSystem } from './adapter-system.ts';
import type { EvalCollection, EvalSet } from './sets.ts';
import type { System } from './system.ts';

const SET: EvalSet = {
  name: 'small',
  hash: '',
  root: '.',
  collections: [
    {
      id: 'notes',
      queries: [],
      docs: [
        { id: 'oven', path: 'Home/Oven.md', text: 'It is at the wall.', note: true },
        { id: 'links', path: 'Links.md', text: 'The warm corner: [[Oven]].', note: true },
      ],
    },
    {
      id: 'texts',
      queries: [],
      docs: [
        { id: 'first', title: 'A "wing"', text: 'In a slipstream.', note: false },
        { id: 'second', speaker: 'Melanie', text: 'Look!', caption: 'a wing', note: false },
      ],
    } satisfies EvalCollection,
  ],
};

describe.each(['filesystem', 'loci'] satisfies AdapterId[])('the adapter %s', (id) => {
  let system: System;
  beforeEach(async () => {
    system = await adapterSystem(SET, id, { provider: 'none', minScore: 0 });
  });
  afterEach(() => system.close());

  it('returns the ids of documents of the collection', async () => {
    const idsOf = async (...query: Parameters<System['rank']>): Promise<readonly string[]> =>
      (await system.rank(...query)).ids.toSorted();
    expect(await idsOf('notes', 'oven')).toEqual(['links', 'oven']);
    expect(await idsOf('texts', 'wing')).toEqual(['first', 'second']);
    expect(await idsOf('texts', 'melanie')).toEqual(['second']);
    expect(await idsOf('texts', 'oven')).toEqual([]);
  });

  it('does not see the document that a query was made from', async () => {
    const foundIn = async (src?: string): Promise<readonly string[]> =>
      (await system.rank('notes', 'warm corner', src)).ids;
    expect(await foundIn()).toContain('links');
    expect(await foundIn('links')).toEqual([]);
    expect(await foundIn('oven')).toEqual(['links']);
  });
});

it('an adapter that does not work is not measured', async () => {
  expect(ADAPTERS).toEqual(['filesystem', 'lancedb', 'loci']);
  await expect(adapterSystem(SET, 'loci', { provider: 'nonsense', minScore: 0 })).rejects.toThrow('nonsense');
  await expect(adapterSystem(SET, 'lancedb', { provider: 'none', minScore: 0 })).rejects.toThrow(
    /^lancedb is not measured: .*`@lancedb\/lancedb` is not installed/s,
  );
});

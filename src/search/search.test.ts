import { describe, expect, it } from 'vitest';
import { ALL_LIVE, note, write } from '../../test/contract/store-samples.ts';
import { openMemoryStore } from '../store/memory/open.ts';
import type { Store } from '../store/store.ts';
import { DEFAULT_RANKING } from './ranking.ts';
import { search } from './search.ts';

/** A store in which something happens just before the next calls of a stage. */
function interrupted(
  store: Store,
  stage: 'neighbours' | 'passages',
  happenings: (() => Promise<unknown>)[],
): Store {
  return {
    ...store,
    neighbours: async (...parameters) => {
      if (stage === 'neighbours') await happenings.shift()?.();
      return store.neighbours(...parameters);
    },
    passages: async (...parameters) => {
      if (stage === 'passages') await happenings.shift()?.();
      return store.passages(...parameters);
    },
  };
}

async function titles(store: Store): Promise<string[]> {
  const outcome = await search({
    store,
    namespace: 'n',
    query: 'marble',
    filter: ALL_LIVE,
    limit: 10,
    ranking: DEFAULT_RANKING,
    vectors: null,
  });
  return outcome.hits.map(({ passage }) => passage.record.title);
}

describe('search', () => {
  it.each(['neighbours', 'passages'] as const)(
    'finds a record that is replaced before its %s are read',
    async (stage) => {
      const store = openMemoryStore();
      const worktop = note('marble worktop', { title: 'Worktop' });
      const [id = 0] = await write(store, 'n', worktop, note('marble floor', { title: 'Floor' }));
      const replace = (): Promise<unknown> => write(store, 'n', { ...worktop, id });
      const found = await titles(interrupted(store, stage, [replace, replace]));
      expect(found.sort()).toEqual(['Floor', 'Worktop']);
    },
  );

  it('answers even where something is replaced all the time', async () => {
    const store = openMemoryStore();
    const worktop = note('marble worktop', { title: 'Worktop' });
    const [id = 0] = await write(store, 'n', worktop, note('marble floor', { title: 'Floor' }));
    const always = Array.from({ length: 99 }, () => () => write(store, 'n', { ...worktop, id }));
    expect(await titles(interrupted(store, 'passages', always))).toEqual(['Floor']);
    expect(always.length).toBeGreaterThan(90);
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import type { RecordDraft, SearchFilter } from '../../src/store/store.ts';
import type { Subject } from './store-contract.ts';
import { anyOf, embed, note, NOW, unit, write } from './store-samples.ts';

const RECORDS: Partial<RecordDraft>[] = [
  {
    project: 'p',
    origin: 'vault',
    source: 'a',
    category: 'note',
    recordType: 'fact',
    tags: ['Kitchen', 'Äpfel'],
    createdAt: NOW - 30,
  },
  {
    project: 'q',
    origin: 'vault',
    source: 'b',
    category: 'note',
    recordType: 'event',
    tags: ['kitchen'],
    createdAt: NOW - 20,
  },
  {
    project: 'p',
    origin: 'memory',
    source: 'a',
    category: 'todo',
    recordType: 'fact',
    tags: [],
    createdAt: NOW - 10,
  },
  {
    project: 'P',
    origin: 'fact',
    source: 'c',
    category: 'todo',
    recordType: 'event',
    tags: ['kitchens', 'x "y" \\', 'Äpfel/Rot/boskoop'.normalize('NFD')],
    createdAt: NOW,
  },
];

const CASES: [string, Omit<SearchFilter, 'now'>, number[]][] = [
  ['nothing', {}, [1, 2, 3, 4]],
  ['project', { project: 'p' }, [1, 3]],
  ['an unknown project', { project: 'p%' }, []],
  ['one origin', { origins: ['vault'] }, [1, 2]],
  ['several origins', { origins: ['memory', 'fact'] }, [3, 4]],
  ['no origin at all', { origins: [] }, []],
  ['sources', { sources: ['a', 'c', "a' OR '1'='1"] }, [1, 3, 4]],
  ['categories', { categories: ['todo'] }, [3, 4]],
  ['record types', { recordTypes: ['event', 'none'] }, [2, 4]],
  ['a tag, in any case', { tags: ['KITCHEN'] }, [1, 2]],
  ['a tag beyond ASCII, in any case, and those nested in it', { tags: ['äPFEL'] }, [1, 4]],
  ['a tag whose characters are put together otherwise', { tags: ['äpfel'.normalize('NFD')] }, [1, 4]],
  ['a nested tag', { tags: ['äpfel/ROT'] }, [4]],
  ['a part of a tag', { tags: ['äpfel/r'] }, []],
  ['the end of a nested tag', { tags: ['rot'] }, []],
  ['a tag of odd text', { tags: ['X "y" \\'] }, [4]],
  ['all of several tags', { tags: ['kitchen', 'äpfel'] }, [1]],
  ['no tags', { tags: [] }, [1, 2, 3, 4]],
  ['a beginning, inclusive', { from: NOW - 20 }, [2, 3, 4]],
  ['an end, exclusive', { until: NOW - 10 }, [1, 2]],
  ['a span', { from: NOW - 20, until: NOW }, [2, 3]],
  ['an empty span', { from: NOW, until: NOW }, []],
  ['several at once', { project: 'p', origins: ['vault', 'memory'], tags: ['kitchen'], until: NOW }, [1]],
  ['several that exclude one another', { project: 'p', recordTypes: ['event'] }, []],
];

export function describeFilters({ store, namespace, generation }: Subject): void {
  describe('filters', () => {
    const ns = namespace();
    let vectors = 0;

    beforeAll(async () => {
      const writes = RECORDS.map((given, i) => note(`word ${String(i)}`, given));
      await write(store(), ns, ...writes, note('word expired', { expiresAt: NOW }));
      vectors = await generation(3);
      await embed(store(), vectors, ns, () => unit(1, 0, 0));
    });

    it.each(CASES)('%s', async (_, asked, expected) => {
      const filter = { now: NOW, ...asked };
      const text = await store().searchText(ns, anyOf('word'), filter, 10);
      expect(text.map(({ record }) => record).toSorted()).toEqual(expected);
      const near = await store().searchVectors(ns, vectors, unit(1, 0, 0), filter, 10);
      expect(near.map(({ record }) => record)).toEqual(expected);
      const ids = (await store().searchText(ns, anyOf('word'), { now: 0 }, 10)).map(({ passage }) => passage);
      const passages = await store().passages(ns, ids.toSorted(), filter);
      expect(passages.map(({ record }) => record.id)).toEqual(expected);
    });
  });
}

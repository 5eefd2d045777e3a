import { beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_RANKING } from '../../src/search/rank/ranking.ts';
import { runSearch } from '../../src/search/search.ts';
import type {
  FacetField,
  RecordDraft,
  RecordFilter,
  TablePlace,
  TableRequest,
} from '../../src/store/model.ts';
import type { SearchFilter } from '../../src/store/search-model.ts';
import { nearestInTime, passagesOf, searchText, searchVectors } from './queries.ts';
import type { StoreFixture } from './store-contract.ts';
import { ALL_LIVE, anyOf, embed, note, NOW, unit, write } from './store-samples.ts';
import { ALL, deleteRecords, idsOf } from './written-samples.ts';

const RECORDS: Partial<RecordDraft>[] = [
  {
    project: 'p',
    origin: 'vault',
    source: 'a',
    key: 'My (notes)/Über [100%] x_y/a.md',
    category: 'note',
    recordType: 'fact',
    tags: ['Kitchen', 'Äpfel'],
    createdAt: NOW - 30,
  },
  {
    project: 'q',
    origin: 'source',
    source: 'b',
    category: 'note',
    recordType: 'event',
    tags: ['kitchen'],
    metadata: { completed: true },
    createdAt: NOW - 20,
  },
  {
    project: 'p',
    origin: 'memory',
    source: 'a',
    category: 'todo',
    recordType: 'fact',
    tags: [],
    metadata: { completed: 'true', done: true },
    createdAt: NOW - 10,
  },
  {
    project: 'P',
    origin: 'fact',
    source: 'c',
    category: 'todo',
    recordType: 'event',
    metadata: { undated: true },
    tags: ['kitchens', 'x "y" \\', 'Äpfel/Rot/boskoop'.normalize('NFD')],
    createdAt: NOW,
  },
  {
    project: 'r',
    origin: 'vault',
    source: 'd',
    category: 'copied',
    recordType: 'copied',
    metadata: { undated: true },
    tags: [],
    createdAt: NOW - 20,
  },
];

const CASES: [string, Omit<SearchFilter, 'now'>, number[]][] = [
  ['no condition', {}, [1, 2, 3, 4, 5]],
  ['project', { project: 'p' }, [1, 3]],
  ['an unknown project', { project: 'p%' }, []],
  ['one origin', { origins: ['vault'] }, [1, 5]],
  ['several origins', { origins: ['memory', 'fact'] }, [3, 4]],
  ['an empty list of origins', { origins: [] }, []],
  ['sources', { sources: ['a', 'c', "a' OR '1'='1"] }, [1, 3, 4]],
  ['an excluded source, but not records of agents under its name', { excludedSources: ['a'] }, [2, 3, 4, 5]],
  ['several excluded sources and vaults', { excludedSources: ['b', 'a'] }, [3, 4, 5]],
  ['an excluded name that only a fact has', { excludedSources: ['c'] }, [1, 2, 3, 4, 5]],
  ['an empty list of excluded sources', { excludedSources: [] }, [1, 2, 3, 4, 5]],
  ['excluded names that no record has', { excludedSources: ["a' OR '1'='1", 'A'] }, [1, 2, 3, 4, 5]],
  ['a source that is required and excluded', { sources: ['a'], excludedSources: ['a'] }, [3]],
  ['an excluded source and another condition', { excludedSources: ['b'], tags: ['kitchen'] }, [1]],
  ['categories', { categories: ['todo'] }, [3, 4]],
  ['record types', { recordTypes: ['event', 'none'] }, [2, 4]],
  ['a tag in another case', { tags: ['KITCHEN'] }, [1, 2]],
  ['a tag outside ASCII in another case, and by tags nested in it', { tags: ['äPFEL'] }, [1, 4]],
  ['a tag in another Unicode normalization form', { tags: ['äpfel'.normalize('NFD')] }, [1, 4]],
  ['a nested tag', { tags: ['äpfel/ROT'] }, [4]],
  ['a part of a tag, which selects nothing', { tags: ['äpfel/r'] }, []],
  ['the last part of a nested tag, which selects nothing', { tags: ['rot'] }, []],
  ['a tag with quotation marks and a backslash', { tags: ['X "y" \\'] }, [4]],
  ['several tags, all of which are required', { tags: ['kitchen', 'äpfel'] }, [1]],
  ['an empty list of tags', { tags: [] }, [1, 2, 3, 4, 5]],
  ['an excluded tag and those nested in it', { excludedTags: ['äPFEL'] }, [2, 3, 5]],
  ['several excluded tags', { excludedTags: ['äpfel/rot', 'nothing', 'KITCHEN'] }, [3, 5]],
  ['a path, which only notes have', { paths: ['**'] }, [1, 5]],
  ['a folder in another case', { paths: ['MY (notes)/üBER [100%] x_y'.normalize('NFD')] }, [1]],
  ['a folder at any depth', { paths: ['über [100%] x_y/'] }, [1]],
  ['a part of a folder, which selects nothing', { paths: ['My (notes)/Über'] }, []],
  ['characters that mean something in expressions', { paths: ['my (notes)/Über .100%. x%y/a.md'] }, []],
  ['a path with quotation marks and a backslash', { paths: [`a' OR '1'='1`, '\\', '(', '['] }, []],
  ['several paths, all of which are required', { paths: ['*.md', 'My*/**'] }, [1]],
  ['a name in any folder and another', { paths: ['*.md', '*.canvas'] }, []],
  ['`*`, which stays in a folder', { paths: ['My (notes)/*.md'] }, []],
  ['`**`, which does not', { paths: ['My (notes)/**.md'] }, [1]],
  ['`**` between folders', { paths: ['**/x_y/**/a.md'] }, []],
  ['`?` for one character', { paths: ['My?(notes)/**/?.md'] }, [1]],
  ['`?` for a separator, which it is not', { paths: ['My (notes)?Über [100%] x_y/a.md'] }, []],
  ['an excluded path', { excludedPaths: ['*.canvas', '*.md'] }, [2, 3, 4]],
  ['an excluded path that no note has', { excludedPaths: ['*.canvas'] }, [1, 2, 3, 4, 5]],
  ['excluded records', { excludedRecords: [2, 4, 99] }, [1, 3, 5]],
  ['completed records', { completed: true }, [2]],
  ['records that are not completed or do not say so', { completed: false }, [1, 3, 4, 5]],
  ['records without a date', { undated: true }, [4, 5]],
  ['records with a date that are not completed', { undated: false, completed: false }, [1, 3]],
  ['an inclusive start', { from: NOW - 20 }, [2, 3, 4]],
  ['an exclusive end', { until: NOW - 10 }, [1, 2]],
  ['a period, which has no note without a date', { from: NOW - 20, until: NOW }, [2, 3]],
  ['an empty period', { from: NOW, until: NOW }, []],
  ['several conditions', { project: 'p', origins: ['vault', 'memory'], tags: ['kitchen'], until: NOW }, [1]],
  ['conditions that exclude each other', { project: 'p', recordTypes: ['event'] }, []],
];

/** Queries with operators, and the records that they find. */
const QUERIES: [string, number[]][] = [
  ['word path:notes', [1]],
  ['word path:"(notes)/über [100%]"', [1]],
  ['word file:A', [1]],
  ['word file:notes', []],
  ['word -path:NOTES', [2, 3, 4, 5]],
  ['word tag:#kitchen', [1, 2]],
  ['word tag:kitchen tag:äpfel', [1]],
  ['word -tag:KITCHEN', [3, 4, 5]],
  ['word -kitchens', [3, 5]],
  ['word -"word 2" -"Word 0"', [2, 4, 5]],
  ['word -unknown', [1, 2, 3, 4, 5]],
  ['tag:kitchen', [2, 1]],
  ['-path:Nothing', [4, 3, 2, 5, 1]],
  ['-"word 3"', [3, 2, 5, 1]],
  ['tag:kitchen path:nothing', []],
];

export function describeFilters({ store, namespace, generation }: StoreFixture): void {
  describe('filters', () => {
    const ns = namespace();
    let vectors = 0;

    beforeAll(async () => {
      const writes = RECORDS.map((fields, i) => note(`word ${String(i)}`, fields));
      await write(store, ns, ...writes, note('word expired', { expiresAt: NOW }));
      vectors = await generation(3);
      await embed(store, vectors, ns, () => unit(1, 0, 0));
    });

    it.each(CASES)('select the same records in searches and lists: %s', async (_, conditions, expected) => {
      const filter = { now: NOW, ...conditions };
      const text = await searchText(store, ns, anyOf('word'), filter, 10);
      expect(text.map(({ record }) => record).toSorted()).toEqual(expected);
      const near = await searchVectors(store, ns, vectors, unit(1, 0, 0), filter, 10);
      expect(near.map(({ record }) => record)).toEqual(expected);
      const ids = (await searchText(store, ns, anyOf('word'), { now: 0 }, 10)).map(({ passage }) => passage);
      const passages = await passagesOf(
        store,
        ns,
        ids.toSorted((a, b) => a - b),
        filter,
      );
      expect(passages.map(({ record }) => record.id)).toEqual(expected);
      const newest = await nearestInTime(store, ns, filter, 10);
      // A list by time has notes without a date only if it is asked for them.
      expect(newest.map(({ record }) => record).toSorted()).toEqual(expected.filter((id) => id !== 5));
      const all = await nearestInTime(store, ns, filter, 10, true);
      expect(all.map(({ record }) => record).toSorted()).toEqual(expected);
      expect(idsOf(await store.records.list(ns, { filter }, ALL)).toSorted()).toEqual(expected);
      expect(await store.records.count(ns, filter)).toBe(expected.length);
      const facets = await store.records.facet(ns, 'project', filter);
      expect(facets.reduce((sum, { records }) => sum + records, 0)).toBe(expected.length);
    });

    it.each(QUERIES)('hold for a query with operators: %s', async (query, expected) => {
      const embedder = {
        ...{ provider: 'p', model: 'm', dimensions: 3, maxTokens: 100 },
        embed: (texts: readonly string[]) => Promise.resolve(texts.map(() => unit(1, 0, 0))),
        countTokens: (text: string) => text.length,
        close: () => Promise.resolve(),
      };
      const { hits, notices } = await runSearch({
        ...{ store, namespace: ns, query, operators: true, filter: { now: NOW }, limit: 10 },
        ...{ ranking: DEFAULT_RANKING, vectors: { embedder, generation: vectors } },
      });
      const ids = hits.map(({ passage }) => passage.record.id);
      // A list is in the order of time.
      expect(query.startsWith('word ') ? ids.toSorted() : ids).toEqual(expected);
      expect(notices).toEqual([]);
    });

    it('select the best passages even if excluded sources have many better ones', async () => {
      const other = namespace();
      const excluded = Array.from({ length: 700 }, () => note('tile', { origin: 'source', source: 'todos' }));
      const included = ['tile samples', 'tile for the kitchen floor', 'tile'].map((text) => note(text));
      const written = note('tile and grout', { origin: 'memory', source: 'todos' });
      const ids = (await write(store, other, ...excluded, ...included, written)).slice(700);
      await embed(store, vectors, other, (text) => unit(1, text.length - 4, 0));
      const filter = { now: NOW, excludedSources: ['todos'] };
      for (const limit of [2, 10, 10]) {
        const text = await searchText(store, other, anyOf('tile'), filter, limit);
        expect(text.map(({ record }) => record)).toEqual([ids[2], ids[0], ids[3], ids[1]].slice(0, limit));
        const near = await searchVectors(store, other, vectors, unit(1, 0, 0), filter, limit);
        expect(near.map(({ record }) => record)).toEqual([ids[2], ids[0], ids[3], ids[1]].slice(0, limit));
      }
    });
  });
}

export function describeFacets({ store, namespace }: StoreFixture): void {
  describe('facets', () => {
    const ns = namespace();
    const facet = async (field: FacetField, filter = {}) =>
      (await store.records.facet(ns, field, { now: NOW, ...filter })).map(({ value, records }) => [
        value,
        records,
      ]);

    beforeAll(async () => {
      await write(
        store,
        ns,
        note('one', { source: 'a', tags: ['home', 'Home', 'home'], project: 'p' }),
        note('two', { source: 'a, b', tags: ['Äpfel/rot', 'home'], recordType: 'event' }),
        note('three', { origin: 'memory', source: 'a', category: 'todo' }),
        note('expired', { source: 'gone', tags: ['gone'], expiresAt: NOW }),
      );
      await write(store, namespace(), note('of others', { source: 'theirs', tags: ['theirs'] }));
    });

    it('are the values of live records, with counts', async () => {
      expect(await facet('source')).toEqual([
        ['a', 2],
        ['a, b', 1],
      ]);
      expect(await facet('tag')).toEqual([
        ['home', 2],
        ['Home', 1],
        ['Äpfel/rot', 1],
      ]);
      expect(await facet('origin')).toEqual([
        ['vault', 2],
        ['memory', 1],
      ]);
      expect(await facet('project')).toEqual([
        ['default', 2],
        ['p', 1],
      ]);
      expect(await facet('category')).toEqual([
        ['note', 2],
        ['todo', 1],
      ]);
      const filter = { now: NOW, tags: ['home'] };
      expect(await store.records.facets(ns, ['source', 'recordType'], filter)).toEqual(
        await Promise.all(
          (['source', 'recordType'] as const).map((each) => store.records.facet(ns, each, filter)),
        ),
      );
      expect(await store.records.facets(namespace(), ['source', 'trust'], filter)).toEqual([[], []]);
      expect(await facet('trust')).toEqual([['operator', 3]]);
      expect(await facet('recordType')).toEqual([
        ['note', 2],
        ['event', 1],
      ]);
    });

    it('have the replacement character for half a surrogate pair', async () => {
      const other = namespace();
      const text = (name: string): string => `${name}\ud83d`;
      const fields = {
        content: text('content'),
        title: text('title'),
        key: text('key'),
        tags: [text('tag')],
        source: text('source'),
        category: text('category'),
        metadata: { [text('name')]: [text('value')] },
      };
      await write(store, other, note(text('content'), fields));
      const [record] = await store.records.list(other, { scan: 'undeleted' }, { after: null, limit: 1 });
      const expected = JSON.parse(JSON.stringify(fields).replaceAll('\\ud83d', '\ufffd')) as object;
      expect(record).toMatchObject(expected);
      const [passage] = (await store.records.passagesOf(other, [1])).get(1) ?? [];
      expect(passage?.text).toBe('content\ufffd');
      for (const [field, value] of [
        ['tag', record?.tags[0]],
        ['source', record?.source],
        ['category', record?.category],
      ] as const)
        expect(await store.records.facet(other, field, { now: NOW })).toEqual([{ value, records: 1 }]);
    });

    it('are those of the records that pass the filter', async () => {
      expect(await facet('source', { origins: ['memory'] })).toEqual([['a', 1]]);
      expect(await facet('tag', { sources: ['a'], tags: ['HOME'] })).toEqual([
        ['Home', 1],
        ['home', 1],
      ]);
      expect(await facet('tag', { origins: ['fact'] })).toEqual([]);
      expect(await store.records.facet('unknown namespace', 'tag', { now: NOW })).toEqual([]);
    });
  });
}

const DAY_MS = 86_400_000;

export function describeTables({ store, namespace }: StoreFixture): void {
  const ids = async (
    ns: string,
    sort: TableRequest['sort'],
    { descending = false, filter = {}, after = null as TablePlace | null, limit = 10 } = {},
  ): Promise<number[]> => {
    const request = { filter: { ...ALL_LIVE, ...filter }, sort, descending };
    const rows = await store.records.table(ns, request, { after, limit });
    return rows.map(({ record }) => record.id);
  };
  const at = (day: number, updatedAt: number): Parameters<typeof note>[1] => ({
    metadata: { date: new Date(NOW + day * DAY_MS).toISOString().slice(0, 10) },
    createdAt: NOW + day * DAY_MS,
    updatedAt,
  });

  describe('a table', () => {
    const ns = namespace();
    beforeAll(async () => {
      await write(
        store,
        ns,
        note('1', { title: 'zebra', ...at(2, NOW + 1), trust: 'agent' }),
        note('2', { title: 'Äpfel', ...at(0, NOW + 4) }),
        note('3', { title: '', ...at(0, NOW + 2), source: 'b' }),
        note('4', { title: 'Apples', ...at(-3, NOW + 2), project: 'p' }),
        note('5', { title: 'apples', ...at(9, NOW + 9) }),
        note('6', { title: 'gone', ...at(9, NOW), expiresAt: NOW }),
      );
      await deleteRecords(store, ns, 5);
      await write(store, namespace(), note('of others', at(0, NOW)));
    });

    it.each([
      ['time', false, [4, 2, 3, 1]],
      ['time', true, [1, 3, 2, 4]],
      ['updated', false, [1, 3, 4, 2]],
      ['title', false, [3, 4, 1, 2]],
      ['title', true, [2, 1, 4, 3]],
    ] as const)('is sorted by %s, descending: %s, on every page', async (sort, descending, expected) => {
      expect(await ids(ns, sort, { descending })).toEqual(expected);
      const found: number[] = [];
      for (let after: TablePlace | null = null; ;) {
        const request = { filter: ALL_LIVE, sort, descending };
        const [row] = await store.records.table(ns, request, { after, limit: 1 });
        if (row === undefined) break;
        found.push(row.record.id);
        after = row.place;
      }
      expect(found).toEqual(expected);
    });

    it.each<[Partial<RecordFilter>, number[]]>([
      [{ project: 'p' }, [4]],
      [{ trust: ['agent'] }, [1]],
      [{ timedFrom: NOW, timedUntil: NOW + 1 }, [2, 3]],
      [{ timedUntil: NOW }, [4]],
      [{ excludedSources: ['b'] }, [4, 2, 1]],
      [{ deleted: true }, [5]],
    ])('has the records that pass the filter %j, as counts have', async (filter, expected) => {
      expect(await ids(ns, 'time', { filter })).toEqual(expected);
      expect(await store.records.count(ns, { ...ALL_LIVE, ...filter })).toBe(expected.length);
    });

    it('is sorted by when records expire, without those that never do', async () => {
      const of = namespace();
      const [late, soon, never, same] = await write(
        store,
        of,
        ...[9, 3, null, 3].map((day, i) =>
          note(String(i), { expiresAt: day === null ? null : NOW + day * DAY_MS }),
        ),
      );
      expect(await ids(of, 'expires')).toEqual([soon, same, late]);
      const after = { value: NOW + 3 * DAY_MS, id: soon! };
      expect(await ids(of, 'expires', { after })).toEqual([same, late]);
      expect(await ids(of, 'expires', { descending: true })).not.toContain(never);
    });

    it('is empty in a namespace without records', async () => {
      expect(await ids(namespace(), 'time')).toEqual([]);
    });

    it('has the live records of each source in each span of a histogram', async () => {
      const spans = [-3, -1, 0, 2, 3].map((day) => NOW + day * DAY_MS);
      expect(await store.records.histogram(ns, ALL_LIVE, spans)).toEqual([
        { span: 0, origin: 'vault', source: 'notes', records: 1 },
        { span: 2, origin: 'vault', source: 'b', records: 1 },
        { span: 2, origin: 'vault', source: 'notes', records: 1 },
        { span: 3, origin: 'vault', source: 'notes', records: 1 },
      ]);
      const filter = { ...ALL_LIVE, project: 'p' };
      expect(await store.records.histogram(ns, filter, spans)).toHaveLength(1);
      expect(await store.records.histogram(namespace(), ALL_LIVE, spans)).toEqual([]);
    });
  });
}

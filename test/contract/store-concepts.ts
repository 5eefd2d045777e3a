import { describe, expect, it } from 'vitest';
import type {
  ConceptName,
  ConceptUpdate,
  NameKind,
  NamingRequest,
  RecordNames,
} from '../../src/store/concept-model.ts';
import { sha256 } from '../../src/core/ids.ts';
import type { StoreFixture } from './store-contract.ts';
import { note, NOW, write } from './store-samples.ts';
import { commit, deleteRecords, purgeRequest, purge } from './written-samples.ts';

const LIMIT = 1000;

function name(kind: NameKind, text: string): ConceptName {
  return { key: text.toLowerCase(), text, kind, line: kind === 'phrase' ? 3 : null };
}

function names(record: number, ...own: ConceptName[]): RecordNames {
  return { project: 'p', note: `n_${String(record)}`, names: own };
}

export function describeConcepts({ store, namespace }: StoreFixture): void {
  async function put(ns: string, concepts: ConceptUpdate): Promise<void> {
    await commit(store, ns, { concepts });
  }

  /** The records that name one of the keys. */
  async function naming(
    ns: string,
    project: string,
    keys: readonly string[],
    excludedSources: readonly string[] = [],
  ): Promise<number[]> {
    const request = { project, keys, limit: LIMIT, excludedSources };
    const found = [...(await store.graph.namings(ns, request)).values()];
    return [...new Set(found.flatMap(({ places }) => places.map(({ record }) => record)))].sort();
  }

  /** How many records name each key. */
  async function counts(
    ns: string,
    counted: readonly string[],
    fields: Partial<NamingRequest> = {},
  ): Promise<number[]> {
    const found = await store.graph.namings(ns, { project: 'p', keys: [], counted, ...fields });
    return counted.map((key) => found.get(key)!.records);
  }

  async function keysOf(ns: string, firstWords: readonly string[]): Promise<string[]> {
    const rows = await store.graph.conceptNames(ns, { project: 'p', only: { firstWords } });
    return rows.map(({ key }) => key);
  }

  /** Note 1 is the oven and mentions 2; notes 2 and 3 have an alias, 3 and 4 a phrase; 4 mentions the oven. */
  async function filled(): Promise<string> {
    const ns = namespace();
    await write(store, ns, note('one'), note('two'), note('three'), note('four'));
    await put(ns, {
      names: new Map([
        [1, names(1, name('title', 'Oven'), name('alias', 'New Oven'), name('phrase', 'Only Here'))],
        [2, names(2, name('title', 'Tiles'), name('alias', 'Heat'))],
        [3, names(3, name('alias', 'Heat'), name('phrase', 'Ada Lovelace'))],
        [4, { project: 'p', note: null, names: [name('phrase', 'Ada Lovelace')] }],
      ]),
      mentions: new Map([
        [1, [{ key: 'tiles', line: 2, count: 3 }]],
        [4, [{ key: 'oven', line: 1, count: 1 }]],
      ]),
      progress: { upTo: 4, rules: '1' },
    });
    return ns;
  }

  describe('names of records', () => {
    it('are the titles and aliases of a project, and what several records share', async () => {
      const ns = await filled();
      const rows = await store.graph.conceptNames(ns, { project: 'p' });
      expect(rows.map(({ record, text }) => `${String(record)} ${text}`)).toEqual([
        '1 New Oven',
        '1 Oven',
        '2 Heat',
        '2 Tiles',
        '3 Ada Lovelace',
        '3 Heat',
      ]);
      const { line: _, ...alias } = name('alias', 'New Oven');
      expect(rows[0]).toEqual({ record: 1, project: 'p', note: 'n_1', ...alias, count: 1 });
      const { line: __, ...phrase } = name('phrase', 'Ada Lovelace');
      expect(rows[4]).toEqual({ record: 3, project: 'p', note: null, ...phrase, count: 2 });
      expect(await store.graph.conceptNames(ns, { project: 'other' })).toEqual([]);
      const claims = await store.graph.conceptNames(ns, { project: 'p', only: 'claims' });
      expect(claims).toEqual(rows.filter(({ kind }) => kind !== 'phrase'));
    });

    it('are selected by key, with the other names of the notes that have them', async () => {
      const ns = await filled();
      const select = async (...keys: string[]): Promise<string[]> => {
        const rows = await store.graph.conceptNames(ns, { project: 'p', only: { keys } });
        return rows.map(({ record, text }) => `${String(record)} ${text}`);
      };
      expect(await select('heat', 'oven')).toEqual(['1 New Oven', '1 Oven', '2 Heat', '2 Tiles', '3 Heat']);
      expect(await select('tiles', 'ada lovelace')).toEqual(['2 Heat', '2 Tiles', '3 Ada Lovelace']);
    });

    it('leave out sources that a call does not see, as if they had no records', async () => {
      const ns = namespace();
      const hidden = { source: 'hidden' };
      await write(store, ns, note('one'), note('two', hidden), note('three', hidden), note('four'));
      const phrase = name('phrase', 'Ada Lovelace');
      const common = name('phrase', 'Slow Heat');
      await put(ns, {
        names: new Map([
          [1, names(1, name('title', 'Oven'), phrase, common)],
          [2, names(2, name('title', 'Layoff'), name('alias', 'Oven'), phrase)],
          [3, names(3, phrase)],
          [4, names(4, common)],
        ]),
        mentions: new Map([[3, [{ key: 'oven', line: 1, count: 1 }]]]),
      });
      const excludedSources = ['hidden', 'other'];
      const texts = async (only?: { keys: string[] }): Promise<string[]> => {
        const selector = { project: 'p', excludedSources, ...(only !== undefined && { only }) };
        const rows = await store.graph.conceptNames(ns, selector);
        return rows.map(({ record, text }) => `${String(record)} ${text}`);
      };
      expect(await texts()).toEqual(['1 Oven', '1 Slow Heat']);
      expect(await texts({ keys: ['layoff', 'oven'] })).toEqual(['1 Oven']);
      const namingOf = (excluded?: string[]): Promise<number[]> =>
        naming(ns, 'p', ['oven', 'ada lovelace'], excluded);
      expect(await namingOf(excludedSources)).toEqual([1]);
      expect(await namingOf()).toEqual([1, 2, 3]);
    });

    it('that are in another project take the mentions of their record with them', async () => {
      const ns = await filled();
      await put(ns, { names: new Map([[4, { project: 'q', note: null, names: [] }]]) });
      expect([await naming(ns, 'p', ['oven']), await naming(ns, 'q', ['oven'])]).toEqual([[], [4]]);
    });

    it('are keys by first word, for titles and aliases alone', async () => {
      const ns = await filled();
      expect(await keysOf(ns, ['new', 'ov', 'tiles', 'ada', ''])).toEqual(['new oven', 'tiles']);
    });

    it('are not shared where more records have them in lower case than as a phrase', async () => {
      const ns = namespace();
      await write(store, ns, note('one'), note('two'), note('three'), note('four'));
      const putNames = (...kinds: readonly (readonly [NameKind, string])[]): Promise<void> =>
        put(ns, { names: new Map(kinds.map(([kind, text], i) => [i + 1, names(i + 1, name(kind, text))])) });
      const shared = async (): Promise<number> =>
        (await store.graph.conceptNames(ns, { project: 'p' })).reduce((sum, { count }) => sum + count, 0);
      await putNames(['phrase', 'Warning'], ['phrase', 'Warning'], ['word', 'Warning']);
      expect(await shared()).toBe(3);
      await putNames(['phrase', 'Warning'], ['opening', 'Warning'], ['word', 'Warning']);
      expect(await shared()).toBe(0);
      await putNames(
        ['opening', 'Miller Brothers'],
        ['opening', 'Miller Brothers'],
        ['word', 'Miller Brothers'],
      );
      expect(await shared()).toBe(3);
      await putNames(['tag', 'Warning'], ['opening', 'Warning'], ['word', 'Warning'], ['word', 'Warning']);
      expect(await shared()).toBe(4);
    });

    it('are counted without the records of hidden sources', async () => {
      const ns = namespace();
      await write(store, ns, note('one', { source: 'seen' }), note('two', { source: 'hidden' }));
      const own = names(0, name('phrase', 'Ada Lovelace'));
      await put(ns, { names: new Map([1, 2].map((record) => [record, own])) });
      const count = async (hidden: readonly string[]): Promise<unknown> =>
        (await counts(ns, ['ada lovelace'], { excludedSources: hidden }))[0];
      expect([await count([]), await count(['hidden'])]).toEqual([2, 1]);
    });

    it('are counted with the mentions of a name, but not for the note that is called so', async () => {
      const ns = await filled();
      const keys = ['oven', 'ada lovelace', 'heat', 'x'];
      expect(await counts(ns, keys)).toEqual([1, 2, 0, 0]);
      expect(await counts(ns, keys, { max: 1 })).toEqual([1, 1, 0, 0]);
      expect(await naming(ns, 'p', ['oven', 'ada lovelace'])).toEqual([3, 4]);
    });

    it('are replaced for a record, and removed with it', async () => {
      const ns = await filled();
      await put(ns, { names: new Map([[1, names(1, name('title', 'Stove'))], [2, null]]) }); // prettier-ignore
      const rows = await store.graph.recordConcepts(ns, [1, 2, 9]);
      expect([...rows.keys()]).toEqual([1]);
      expect(rows.get(1)?.mentions).toHaveLength(1);
      await deleteRecords(store, ns, 1);
      expect(await store.graph.recordConcepts(ns, [1])).toEqual(new Map());
      await put(ns, {
        names: new Map([[1, names(1, name('title', 'Stove'))]]),
        mentions: new Map([[9, []]]),
      });
      expect(await store.graph.recordConcepts(ns, [1, 9])).toEqual(new Map());
    });

    it('are removed when a record is purged', async () => {
      const ns = await filled();
      await deleteRecords(store, ns, 3);
      await purge(store.records, ns, purgeRequest());
      expect(await store.graph.recordConcepts(ns, [3])).toEqual(new Map());
    });
  });

  describe('titles and aliases for which texts were not searched', () => {
    const namesOf = async (ns: string, limit = 10): Promise<string[]> =>
      (await store.graph.state(ns, limit)).waiting.names.map(({ project, key }) => `${project} ${key}`);

    it('are those that a record got, lost or took to another project, until they were searched for', async () => {
      const ns = await filled();
      const all = ['p heat', 'p new oven', 'p oven', 'p tiles'];
      expect([await namesOf(ns), await namesOf(ns, 2)]).toEqual([all, all.slice(0, 2)]);
      const state = { conceptsUpTo: 4, conceptRules: '1', changedNames: 4 };
      expect(await store.graph.state(ns)).toMatchObject(state);
      await put(ns, { searched: [{ project: 'p', key: 'heat' }, { project: 'q', key: 'oven' }] }); // prettier-ignore
      expect(await namesOf(ns)).toEqual(all.slice(1));
      await put(ns, { searched: 'all' });
      await put(ns, { names: new Map([[1, names(1, name('alias', 'Oven'), name('phrase', 'New Oven'))]]) });
      expect(await namesOf(ns)).toEqual(['p new oven']);
      await put(ns, { searched: 'all', names: new Map([[3, { ...names(3, name('alias', 'Heat')), project: 'q' }]]) }); // prettier-ignore
      expect(await namesOf(ns)).toEqual([]);
      await put(ns, { names: new Map([[3, names(3, name('alias', 'Heat'))]]) });
      expect(await namesOf(ns)).toEqual(['p heat', 'q heat']);
    });

    it('are those of a record that is deleted', async () => {
      const ns = await filled();
      await put(ns, { searched: 'all' });
      await deleteRecords(store, ns, 1, 4);
      expect(await namesOf(ns)).toEqual(['p new oven', 'p oven']);
    });
  });

  describe('places where a name stands', () => {
    it('are mentions, tags and phrases by key and record, as many as are asked for', async () => {
      const ns = await filled();
      const keys = ['oven', 'ada lovelace', 'heat'];
      const found = await store.graph.namings(ns, { project: 'p', keys, counted: ['tiles'], limit: 10 });
      const phrase = { key: 'ada lovelace', text: 'Ada Lovelace', kind: 'phrase', line: 3, count: 1 };
      const mention = { record: 4, key: 'oven', text: null, kind: 'mention', line: 1, count: 1 };
      expect([...found]).toEqual([
        ['oven', { records: 1, places: [mention] }],
        ['ada lovelace', { records: 2, places: [3, 4].map((record) => ({ record, ...phrase })) }],
        ['heat', { records: 0, places: [] }],
        ['tiles', { records: 1, places: [] }],
      ]);
      const first = await store.graph.namings(ns, { project: 'p', keys: ['ada lovelace'], limit: 1 });
      expect(first.get('ada lovelace')).toEqual({ records: 2, places: [{ record: 3, ...phrase }] });
      expect(await naming(ns, 'q', ['ada lovelace'])).toEqual([]);
    });

    it('are lines with their passage and hash, or whole records', async () => {
      const ns = namespace();
      const lines = { content: 'one\r\ntwo' };
      await write(store, ns, note('one\r\ntwo', lines));
      const [record] = await store.records.get(ns, [1], { liveAt: NOW });
      const places = await store.graph.linePlaces(ns, [
        { record: 1, line: 1 },
        { record: 9, line: 1 },
        { record: 1, line: null },
      ]);
      expect(places).toEqual([
        { record: 1, passage: 0, lines: { first: 1, last: 1 }, hash: sha256('one') },
        { record: 1, passage: null, lines: null, hash: record!.contentHash },
      ]);
    });
  });

  it('are discarded with everything that is derived', async () => {
    const ns = await filled();
    await store.admin.resetDerived(ns, { text: true, vectors: false });
    const state = { conceptsUpTo: 0, conceptRules: '', changedNames: 0 };
    expect(await store.graph.state(ns)).toMatchObject(state);
    expect(await store.graph.recordConcepts(ns, [1, 2, 3, 4])).toEqual(new Map());
  });

  it('no other namespace sees the names and mentions of concepts', async () => {
    const ns = await filled();
    const other = namespace();
    await write(store, other, note('one'));
    const { graph } = store;
    expect(await graph.conceptNames(other, { project: 'p' })).toEqual([]);
    expect(await keysOf(other, ['oven'])).toEqual([]);
    expect(await graph.recordConcepts(other, [1])).toEqual(new Map());
    expect(await counts(other, ['oven'])).toEqual([0]);
    expect(await naming(other, 'p', ['oven'])).toEqual([]);
    expect((await graph.state(other, 10)).waiting.names).toEqual([]);
    await put(other, { searched: 'all' });
    expect((await graph.state(ns, 10)).waiting.names).toHaveLength(4);
  });
}

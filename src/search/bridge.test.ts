import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openSqliteInMemory } from '../../test/contract/sqlite-in-memory.ts';
import { addVectors, ALL_LIVE, embed, note, unit, write } from '../../test/contract/store-samples.ts';
import type { Embedder } from '../embed/embedder.ts';
import type { RecordWrite } from '../store/model.ts';
import type { Store } from '../store/store.ts';
import { DEFAULT_RANKING } from './rank/ranking.ts';
import type { SearchOptions } from './run.ts';
import { runSearch, type SearchOutcome } from './search.ts';

const QUERY = 'who leads the publisher of Lantern Weekly';
const MAGAZINE = note('Lantern Weekly is a magazine. Its publisher is Harbour Press.', {
  title: 'Lantern Weekly',
  key: 'Lantern Weekly.md',
});
const PRESS = note('Anna Vogel leads the company.', { title: 'Harbour Press', key: 'Harbour Press.md' });
const OTHERS = Array.from({ length: 12 }, (_, i) =>
  note(`The publisher number ${String(i)} prints a weekly.`, {
    title: `Printer ${String(i)}`,
    key: `p${String(i)}.md`,
  }),
);

async function search(
  store: Store,
  query = QUERY,
  options: Partial<SearchOptions> = {},
): Promise<SearchOutcome> {
  return runSearch({
    ...{ store, namespace: 'n', query, filter: ALL_LIVE, limit: 30, ranking: DEFAULT_RANKING, vectors: null },
    ...options,
  });
}

const titlesOf = ({ hits }: SearchOutcome): string[] => hits.map(({ passage }) => passage.record.title);
const withoutBridges = { ranking: { ...DEFAULT_RANKING, bridging: null } };

async function storeWith(...notes: RecordWrite[]): Promise<Store> {
  const store = openSqliteInMemory();
  await write(store, 'n', ...notes);
  return store;
}

describe('a bridge', () => {
  it('leads from the best result to the note that it mentions, and says how', async () => {
    const store = await storeWith(MAGAZINE, ...OTHERS, PRESS);
    const outcome = await search(store);
    expect(titlesOf(await search(store, QUERY, withoutBridges)).indexOf('Harbour Press')).toBeGreaterThan(0);
    expect(titlesOf(outcome).slice(0, 2)).toEqual(['Lantern Weekly', 'Harbour Press']);
    const [, { bridge, boosts } = {}] = outcome.hits;
    expect(bridge).toMatchObject({
      record: 1,
      title: 'Lantern Weekly',
      kind: 'mention',
      text: 'harbour press',
    });
    expect(boosts?.map(({ name }) => name)).toContain('bridge');
  });

  it('raises a record that the best result names before unrelated matches, even if its text has no word of the query', async () => {
    const press = note('Anna Vogel, since 1990.', { title: 'Harbour Press', key: 'Harbour Press.md' });
    const store = await storeWith(MAGAZINE, ...OTHERS, press);
    expect(titlesOf(await search(store, QUERY, withoutBridges))).not.toContain('Harbour Press');
    expect(titlesOf(await search(store)).slice(0, 2)).toEqual(['Lantern Weekly', 'Harbour Press']);
  });

  it('does not lead to a record that the operators of the query exclude', async () => {
    const press = note('Anna Vogel, since 1990.', { title: 'Harbour Press', key: 'Harbour Press.md' });
    const store = await storeWith(MAGAZINE, ...OTHERS, press);
    const found = async (operators: string): Promise<string[]> =>
      titlesOf(await search(store, `${QUERY} ${operators}`, { operators: true }));
    expect(await found('-bread')).toContain('Harbour Press');
    for (const operators of ['-vogel', '-file:harbour'])
      expect(await found(operators), operators).not.toContain('Harbour Press');
  });

  it('leads to five results, and takes no place for one that ranks before the result that leads to it', async () => {
    const names = [
      'Harbour Press',
      'Field Press',
      'Forest Press',
      'Meadow Press',
      'Valley Press',
      'River Press',
    ];
    const magazine = note(`Lantern Weekly is a magazine. It belongs to ${names.join(', ')}.`, {
      title: 'Lantern Weekly',
      key: 'Lantern Weekly.md',
    });
    const presses = names.map((title) => note('Anna Vogel leads it.', { title, key: `${title}.md` }));
    const store = await storeWith(magazine, ...OTHERS, ...presses);
    const { hits } = await search(store);
    expect(hits.filter(({ boosts }) => boosts.some(({ name }) => name === 'bridge'))).toHaveLength(5);
    const best = note('Nobody knows.', {
      title: QUERY,
      key: 'q.md',
      metadata: { aliases: ['Harbour Press'] },
    });
    const withBest = await search(await storeWith(magazine, ...OTHERS, best, ...presses.slice(1)));
    expect(titlesOf(withBest)[0]).toBe(QUERY);
    expect(withBest.hits.filter(({ bridge }) => bridge !== undefined)).toHaveLength(5);
  });

  it('raises no note before a document of a source that matches better', async () => {
    const task = { origin: 'source', source: 'tasks', recordType: 'task', key: 't' } as const;
    const press = note('Anna Vogel, since 1990.', { title: 'Harbour Press', key: 'Harbour Press.md' });
    const store = await storeWith(
      MAGAZINE,
      ...OTHERS,
      press,
      note('Ask who leads.', { ...task, title: 'Ask' }),
    );
    const titles = titlesOf(await search(store));
    expect(titles.slice(0, 3)).toEqual(['Lantern Weekly', 'Ask', 'Harbour Press']);
  });

  it('leads along a link whose text does not match the query to a note that no signal found', async () => {
    const linking = note('Lantern Weekly is published by [[hp|them]].', {
      title: 'Lantern Weekly',
      key: 'Lantern Weekly.md',
      metadata: { links: [{ target: 'hp' }] },
    });
    const store = await storeWith(
      linking,
      ...OTHERS,
      note('Anna Vogel is the boss.', { title: 'HP', key: 'hp.md' }),
    );
    const { hits } = await search(store, 'boss of lantern weekly');
    const found = hits.find(({ passage }) => passage.record.title === 'HP');
    expect(found?.bridge).toMatchObject({ title: 'Lantern Weekly' });
    expect(titlesOf(await search(store, 'boss of lantern weekly')).indexOf('HP')).toBeLessThan(3);
  });

  it('adds a note that neither words nor vectors found, with its cosine', async () => {
    const store = await storeWith(
      MAGAZINE,
      ...OTHERS,
      note('Anna Vogel', { title: 'Harbour Press', key: 'h.md' }),
    );
    const generation = await addVectors(store);
    await embed(store, generation, 'n', () => unit(1, 0, 0));
    const embedder: Embedder = {
      ...{ provider: 'test', model: 'm', dimensions: 3, maxTokens: 512 },
      embed: (texts) => Promise.resolve(texts.map(() => unit(1, 0, 0))),
      countTokens: (text) => text.length,
      close: () => Promise.resolve(),
    };
    const ranking = { ...DEFAULT_RANKING, depth: 5, pool: 5 };
    const options = { ranking, vectors: { embedder, generation } };
    const without = await search(store, 'lantern magazine money', {
      ...options,
      ranking: { ...ranking, bridging: null },
    });
    expect(titlesOf(without)).not.toContain('Harbour Press');
    const { hits } = await search(store, 'lantern magazine money', options);
    const added = hits.find(({ passage }) => passage.record.title === 'Harbour Press');
    expect(added?.contributions.find(({ signal }) => signal === 'vector')?.raw).toBeCloseTo(1, 2);
  });

  it('leads to a note with a Chinese title', async () => {
    const store = await storeWith(
      note('灯笼周刊由海港出版社出版。', { title: '灯笼周刊', key: 'a.md' }),
      ...OTHERS,
      note('社长是王芳。', { title: '海港出版社', key: 'b.md' }),
    );
    const { hits } = await search(store, '灯笼周刊的社长');
    expect(hits.find(({ passage }) => passage.record.title === '海港出版社')?.bridge).toMatchObject({
      title: '灯笼周刊',
      kind: 'mention',
    });
  });

  it('never comes to rank before the result that leads to it', async () => {
    const store = await storeWith(MAGAZINE, ...OTHERS, PRESS);
    const { hits } = await search(store);
    for (const [rank, { bridge }] of hits.entries()) {
      const anchor = hits.findIndex(({ passage }) => passage.record.id === bridge?.record);
      expect(anchor).toBeLessThan(rank);
    }
  });

  describe('by a phrase that both have', () => {
    const magazine = (text: string): RecordWrite =>
      note(`Lantern Weekly is a magazine. ${text}`, { title: 'Lantern Weekly', key: 'Lantern Weekly.md' });
    const leader = (text: string): RecordWrite =>
      note(`Anna leads the company. ${text}`, { title: 'The boss', key: 'boss.md' });
    const connecting = async (...notes: RecordWrite[]): Promise<string[]> => {
      const { hits } = await search(await storeWith(...OTHERS, ...notes));
      return hits.flatMap(({ bridge }) => (bridge === undefined ? [] : [bridge.text]));
    };

    it('follows a name of one word', async () => {
      const notes = [magazine('The house is in Falkirk now.'), leader('She lives in Falkirk too.')];
      expect(await connecting(...notes)).toEqual(['Falkirk']);
    });

    it('follows no word that other texts have in lower case as often', async () => {
      const notes = [magazine('The house has a Warning now.'), leader('She got a Warning too.')];
      expect(await connecting(...notes)).toEqual(['Warning']);
      const printed = ['A weekly warning.', 'Another weekly warning.'].map((text) =>
        note(text, { title: 'Notice' }),
      );
      expect(await connecting(...notes, ...printed)).toEqual([]);
    });

    it('follows no word that begins sentences only', async () => {
      expect(await connecting(magazine('However, it is small.'), leader('However, she is old.'))).toEqual([]);
    });

    it.each(['November', 'Monday', 'Scottish'])('follows no month, weekday or demonym: %s', async (word) => {
      const notes = [magazine(`It is a ${word} thing.`), leader(`She likes the ${word} thing.`)];
      expect(await connecting(...notes)).toEqual([]);
    });

    it('follows no word that many records of the store have, though few of the results have it', async () => {
      const notes = [magazine('The house is in Falkirk now.'), leader('She lives in Falkirk too.')];
      const others = Array.from({ length: 41 }, (_, i) => note(`A walk in Falkirk ${String(i)}.`));
      expect(await connecting(...notes, ...others.slice(0, 38))).toEqual(['Falkirk']);
      expect(await connecting(...notes, ...others)).toEqual([]);
    });
  });

  it('changes nothing among turns of sessions and records without a title', async () => {
    const turn = { origin: 'memory', title: '', metadata: { session: 's' } } as const;
    const store = await storeWith(
      note('Lantern Weekly is a magazine of Harbour Press.', turn),
      note('Harbour Press: Anna Vogel leads it.', turn),
      note('Harbour Press is large.', { origin: 'memory', title: '' }),
    );
    const withBridges = await search(store);
    expect(withBridges.hits).toEqual((await search(store, QUERY, withoutBridges)).hits);
  });

  it.each([
    ['of another namespace', 'other', {}],
    ['of a hidden source', 'n', { excludedSources: ['secret'] }],
    ['of another project', 'n', { project: 'house' }],
    ['that has expired', 'n', {}],
  ])('leads to no note %s', async (what, namespace, filter) => {
    const store = await storeWith({ ...MAGAZINE, draft: { ...MAGAZINE.draft, project: 'house' } });
    const expiresAt = what === 'that has expired' ? 1 : null;
    await write(
      store,
      namespace,
      note('Anna Vogel leads.', {
        ...{ title: 'Harbour Press', key: 'h.md', source: 'secret', project: 'work', expiresAt },
      }),
    );
    const { hits } = await search(store, QUERY, { filter: { ...ALL_LIVE, ...filter } });
    expect(hits.map(({ passage }) => passage.record.title)).toEqual(['Lantern Weekly']);
  });

  it('leaves the results as they are when the store fails or does not answer', async () => {
    const store = await storeWith(MAGAZINE, ...OTHERS, PRESS);
    const expected = await search(store, QUERY, withoutBridges);
    for (const named of [() => Promise.reject(new Error('broken')), () => Promise.race<never>([])]) {
      const broken = { ...store, search: { ...store.search, named } };
      expect((await search(broken, QUERY, { deadlineMs: 10_000 })).hits).toEqual(expected.hits);
    }
  });

  it('requires the phrases that the query requires', async () => {
    const store = await storeWith(MAGAZINE, PRESS);
    expect(titlesOf(await search(store, '"lantern weekly"'))).toEqual(['Lantern Weekly']);
  });
});

describe('hostile notes', () => {
  it.each([
    [
      'a note with 10,000 links',
      { links: Array.from({ length: 10_000 }, (_, i) => ({ target: `p${String(i)}` })) },
    ],
    [
      'a note with 10,000 aliases',
      { aliases: Array.from({ length: 10_000 }, (_, i) => `Printer ${String(i)}`) },
    ],
    ['a note that links to itself', { links: [{ target: 'x' }, { target: '#top' }] }],
    ['names of one letter and of function words', { aliases: ['a', 'The', 'of', '', '…', 'X'] }],
  ])('%s', async (_, metadata) => {
    const text = '[[x]] [[#top]] [[p1]] Lantern Weekly and the X of a Printer 1 '.repeat(20);
    const hostile = note(text, { title: 'X', key: 'x.md', metadata });
    const store = await storeWith(hostile, MAGAZINE, ...OTHERS, PRESS);
    const { hits } = await search(store);
    const ids = hits.map(({ passage }) => passage.record.id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { bridge, passage } of hits) expect(bridge?.record).not.toBe(passage.record.id);
  });

  it('of any texts and titles keep each record once, with the best result first as without bridges', async () => {
    const word = fc.constantFrom(
      'Lantern',
      'Weekly',
      'Harbour Press',
      'the',
      '海港',
      '[[Harbour Press]]',
      'X',
      '(',
      '\u0000',
    );
    const text = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(' '));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 8 }), async (documents) => {
        const store = await storeWith(
          ...documents.map(([title, body], i) => note(body, { title, key: `${String(i)}.md` })),
        );
        const { hits } = await search(store, 'Lantern Harbour the weekly');
        const { hits: without } = await search(store, 'Lantern Harbour the weekly', withoutBridges);
        const ids = hits.map(({ passage }) => passage.record.id);
        expect(new Set(ids).size).toBe(ids.length);
        // After bridges, a result that more surely fits may come before one whose score is nearly the same.
        const isExchanged = hits[0]?.boosts.some(({ name }) => name === 'confidence') === true;
        if (!isExchanged) expect(ids[0]).toBe(without[0]?.passage.record.id);
        expect(ids).toEqual(expect.arrayContaining(without.map(({ passage }) => passage.record.id)));
      }),
      { numRuns: 25 },
    );
  });
});

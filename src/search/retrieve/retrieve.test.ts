import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passagesOf } from '../../../test/contract/queries.ts';
import { openSqliteInMemory } from '../../../test/contract/sqlite-in-memory.ts';
import { ALL_LIVE, note, NOW, write } from '../../../test/contract/store-samples.ts';
import type { RecordWrite } from '../../store/model.ts';
import type { SearchFilter } from '../../store/search-model.ts';
import type { Store } from '../../store/store.ts';
import type { SourceNames } from '../query/intent.ts';
import { DEFAULT_RANKING } from '../rank/ranking.ts';
import { runSearch, type SearchOutcome } from '../search.ts';

const DAY = 86_400_000;
const NAMES: SourceNames = new Map([
  ['list', 'Google Tasks'],
  ['family_calendar', 'Family'],
  ['gmail', 'Post'],
  ['git-log', 'git-log'],
]);
/** The options of a search without a model, except for its store and query. */
const OPTIONS = {
  namespace: 'n',
  filter: ALL_LIVE,
  limit: 10,
  ranking: DEFAULT_RANKING,
  vectors: null,
  sourceNames: NAMES,
} as const;

describe('search with an intent', () => {
  const sourceDocument = (
    source: string,
    title: string,
    daysAhead: number,
    completed?: boolean,
  ): RecordWrite =>
    note('sugar for the bees', {
      title,
      origin: 'source',
      source,
      trust: 'external',
      recordType: completed === undefined ? 'document' : 'task',
      createdAt: NOW + daysAhead * DAY,
      metadata: completed === undefined ? {} : { completed },
    });
  const writes = [
    note('todos, todos, todos', { title: 'on todos', createdAt: NOW }),
    note('nothing', { title: 'Todos', createdAt: NOW - 400 * DAY }),
    sourceDocument('list', 'in a week', 7, false),
    sourceDocument('list', 'done', 0, true),
    sourceDocument('list', 'tomorrow', 1, false),
    sourceDocument('list', 'overdue', -20, false),
    sourceDocument('family_calendar', 'in a month', 30),
    sourceDocument('family_calendar', 'last month', -30),
    sourceDocument('family_calendar', 'the day after', 2),
    sourceDocument('gmail', 'mail', 0),
  ];

  async function found(query: string, filter: SearchFilter = ALL_LIVE): Promise<SearchOutcome> {
    const store = openSqliteInMemory();
    await write(store, 'n', ...writes);
    return runSearch({ ...OPTIONS, store, query, filter });
  }

  const titles = async (query: string, filter?: SearchFilter): Promise<string[]> =>
    (await found(query, filter)).hits.map(({ passage }) => passage.record.title);

  it('lists documents by their time, below a note of that title, completed ones last', async () => {
    const listed = ['Todos', 'tomorrow', 'in a week', 'overdue', 'on todos', 'done'];
    expect(await titles('my todos')).toEqual(listed);
    expect(await titles('my open todos')).toEqual(listed.slice(0, -1));
    expect(await titles('my calendar')).toEqual(['the day after', 'in a month']);
    expect(await titles('overdue')).toEqual(['overdue']);
    const agenda = ['tomorrow', 'the day after', 'in a week', 'overdue', 'in a month'];
    expect(await titles('what do I have to do')).toEqual(agenda);
  });

  it('has a high confidence in a list', async () => {
    const { hits } = await found('my calendar');
    expect(Math.min(...hits.map(({ confidence }) => confidence))).toBeGreaterThan(0.5);
    expect(hits[0]?.boosts.map(({ name }) => name)).toEqual(['kind']);
  });

  it('explains the whole score', async () => {
    for (const query of ['my calendar', 'my todos', 'chores about bees', "what's on 3 May"])
      for (const { score, contributions, boosts } of (await found(query)).hits) {
        const sum = [...contributions, ...boosts].reduce((total, { added }) => total + added, 0);
        expect(sum, query).toBeCloseTo(score, 10);
      }
  });

  it('lists documents of the dates in the query, and has a low confidence in others', async () => {
    expect(await titles('my calendar on 3 May')).toEqual(['the day after']);
    const { hits } = await found('my calendar on 20 August');
    expect(Math.max(0, ...hits.map(({ confidence }) => confidence))).toBeLessThan(0.2);
  });

  it('lists completed documents for a query that asks for them', async () => {
    expect((await titles('completed todos'))[0]).toBe('Todos');
    expect((await titles('completed todos'))[1]).toBe('done');
    const { hits } = await found('completed todos');
    expect(hits[1]?.confidence).toBeGreaterThan(0.5);
    expect(await titles('done tasks', { ...ALL_LIVE, origins: ['source'] })).toEqual(['done']);
  });

  it('lists documents without a date last, and not as due', async () => {
    const undated = note('cat sitter', {
      ...{ title: 'undated', origin: 'source', source: 'list', recordType: 'task', createdAt: NOW },
      metadata: { completed: false, undated: true },
    });
    const store = openSqliteInMemory();
    await write(store, 'n', ...writes.slice(2), undated);
    const listed = async (query: string): Promise<string[]> =>
      (await runSearch({ ...OPTIONS, store, query })).hits.map(({ passage }) => passage.record.title);
    expect(await listed('todos')).toEqual(['tomorrow', 'in a week', 'overdue', 'undated', 'done']);
    expect(await listed('overdue')).toEqual(['overdue']);
    expect(await listed('what do I have to do today')).not.toContain('undated');
    expect(await listed("what's on today")).not.toContain('undated');
  });

  it('boosts only the documents that match the topic of the query', async () => {
    const mail = (title: string, text: string): RecordWrite =>
      note(text, { title, origin: 'source', source: 'gmail', createdAt: NOW });
    const store = openSqliteInMemory();
    const mails = [
      mail('quota', 'Quota of the mail server, mail by mail'),
      mail('hall', 'Keep it free. Maren'),
    ];
    await write(store, 'n', ...mails, note('bees', { title: 'bees' }));
    const { hits } = await runSearch({ ...OPTIONS, store, query: 'mail from Maren' });
    const [first, second] = hits;
    expect(first?.passage.record.title).toBe('hall');
    expect(second?.boosts.map(({ name }) => name)).not.toContain('kind');
  });

  it('finds an open document even if many completed ones match', async () => {
    const many = Array.from({ length: 60 }, (_, i) => sourceDocument('list', 'done', -i, true));
    const store = openSqliteInMemory();
    await write(store, 'n', ...many, sourceDocument('list', 'passport', -40, false));
    for (const query of ['overdue', 'my todos', 'open tasks', 'what do I have to do']) {
      const { hits } = await runSearch({ ...OPTIONS, store, query });
      expect(hits[0]?.passage.record.title, query).toBe('passport');
    }
  });

  it('searches notes when all documents are completed, and lists notes of the dates after open documents', async () => {
    const titlesWith = async (...others: RecordWrite[]): Promise<string[]> => {
      const store = openSqliteInMemory();
      const noteOfTheDay = note('Pay the rent, call the plumber', { title: 'note', createdAt: NOW + DAY });
      await write(store, 'n', noteOfTheDay, ...others);
      const query = 'what do I have to do tomorrow';
      const { hits } = await runSearch({ ...OPTIONS, store, query });
      return hits.map(({ passage }) => passage.record.title);
    };
    expect((await titlesWith(sourceDocument('list', 'done', 1, true)))[0]).toBe('note');
    expect(await titlesWith(sourceDocument('list', 'open', 1, false))).toEqual(['open', 'note']);
  });

  it('looks up a date once, even if the query repeats it', async () => {
    const store = openSqliteInMemory();
    await write(store, 'n', ...writes);
    let searches = 0;
    const countingStore: Store = {
      ...store,
      search: {
        ...store.search,
        retrieve: (namespace, request) => {
          searches += request.queries.length;
          return store.search.retrieve(namespace, request);
        },
      },
    };
    const query = 'bees todos calendar mail commits monday';
    await runSearch({ ...OPTIONS, store: countingStore, query });
    const withoutRepetition = searches;
    await runSearch({ ...OPTIONS, store: countingStore, query: query + ' monday'.repeat(60) });
    expect([withoutRepetition > 0, searches]).toEqual([true, 2 * withoutRepetition]);
  });

  it('does not boost a document of a source for its title', async () => {
    const store = openSqliteInMemory();
    const sameTitle = sourceDocument('list', 'Todos', 300, false);
    await write(store, 'n', ...writes, sameTitle);
    const { hits } = await runSearch({ ...OPTIONS, store, query: 'todos' });
    expect(hits[0]?.passage.record.origin).toBe('vault');
    expect(hits[1]?.passage.record.title).toBe('tomorrow');
  });

  it('searches without the intent when there are no such documents', async () => {
    expect(await titles('commits of bees')).toContain('mail');
    expect(await titles('my commits')).toEqual([]);
  });

  it('ranks documents of the type first among those about a topic', async () => {
    const mixed = await titles('chores about bees');
    expect(mixed.slice(0, 3).sort()).toEqual(['in a week', 'overdue', 'tomorrow']);
    expect((await titles('mail about bees'))[0]).toBe('mail');
  });

  it('never returns what the filter excludes (I6)', async () => {
    const filters = fc.record(
      {
        sources: fc.subarray(['list', 'family_calendar', 'gmail', 'notes']),
        excludedSources: fc.subarray(['list', 'family_calendar', 'gmail', 'notes']),
        origins: fc.subarray(['source', 'vault', 'memory'] as const),
        recordTypes: fc.subarray(['task', 'document', 'note']),
        from: fc.integer({ min: -10, max: 10 }).map((days) => NOW + days * DAY),
        until: fc.integer({ min: -10, max: 10 }).map((days) => NOW + days * DAY),
      },
      { requiredKeys: [] },
    );
    const queries = fc.constantFrom(
      'todos',
      'my calendar',
      'overdue',
      'todos on 3 May',
      'mail of bees',
      "what's on 3 May",
    );
    const store = openSqliteInMemory();
    await write(store, 'n', ...writes);
    const all = { ...OPTIONS, store, limit: 50 };
    await fc.assert(
      fc.asyncProperty(filters, queries, async (criteria, query) => {
        const filter = { ...ALL_LIVE, ...criteria };
        const { hits } = await runSearch({ ...all, query, filter });
        const ids = hits.map(({ passage }) => passage.id);
        expect((await passagesOf(store, 'n', ids, filter)).map(({ id }) => id)).toEqual(ids);
      }),
    );
  });
});

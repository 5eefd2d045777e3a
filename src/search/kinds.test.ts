import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALL_LIVE, note, NOW, write } from '../../test/contract/store-samples.ts';
import { storedPassage } from '../../test/contract/stored-passage.ts';
import { openMemoryStore } from '../store/memory/open.ts';
import type { RecordWrite, SearchFilter, Store } from '../store/store.ts';
import { datesIn } from './dates.ts';
import { isOfKind, kindIn, type Kind, type SourceNames } from './kinds.ts';
import { parseQuery } from './query.ts';
import { DEFAULT_RANKING, wholeOf } from './ranking.ts';
import { search, type SearchOutcome } from './search.ts';

const DAY = 86_400_000;
const WHOLE = wholeOf(DEFAULT_RANKING.smoothing!);
const NAMES: SourceNames = new Map([
  ['list', 'Google Tasks'],
  ['family_calendar', 'Family'],
  ['gmail', 'Post'],
  ['git-log', 'git-log'],
  ['household', 'Household'],
]);

function kind(query: string, names: SourceNames = NAMES): Kind | null {
  return kindIn(parseQuery(query), datesIn(query, NOW), names, NOW);
}

/** What a query asks for, by the documents that are of it. */
function asked(query: string): string[] {
  const found = kind(query);
  if (found === null) return [];
  const brought = (source: string, recordType = 'document'): boolean =>
    isOfKind(
      storedPassage({ record: { origin: 'source', source, recordType, createdAt: NOW + 1 } }).record,
      found,
    );
  const told = {
    tasks: brought('jira', 'task'),
    events: brought('family_calendar'),
    mails: brought('gmail'),
  };
  const kinds = { ...told, commits: brought('git-log'), others: brought('household') };
  return Object.entries(kinds).flatMap(([name, is]) => (is ? [name] : []));
}

describe('kindIn', () => {
  it.each([
    ['todos', ['tasks']],
    ['kitchen to-do', ['tasks']],
    ['overdue tasks', []],
    ['my calendar', ['events']],
    ['mail from Maren', ['mails']],
    ['any new e-mails?', ['mails']],
    ['recent commits', ['commits']],
    ['todos and mail', ['tasks', 'mails']],
    ['what do I have to do', ['tasks', 'events']],
    ["what's coming up next week", ['tasks', 'events']],
    ['what is due tomorrow?', ['tasks', 'events']],
    ["what's on tomorrow", ['tasks', 'events']],
    ['next appointment', ['events']],
    // These are about something.
    ['worktop appointment confirmed?', []],
    ['what to do when the heat pump fails', []],
    ['the invoice that was due in May', []],
    ['meeting notes with Priya', []],
    // A source is no kind by what it happens to be called.
    ['household', []],
  ] as const)('%s: %j', (query, kinds) => {
    expect(asked(query)).toEqual(kinds);
  });

  it('says whether anything else is asked for', () => {
    expect([kind('my open todos')?.alone, kind('kitchen todos')?.alone]).toEqual([true, false]);
    expect(kind('calendar tomorrow')?.alone).toBe(true);
    // Notes of the day are asked for as well.
    expect(kind("what's on tomorrow")?.alone).toBe(false);
  });

  it('names nothing where there are no sources, or none that brings such things', () => {
    expect(kind('todos', new Map())).toBeNull();
    expect(kind('my calendar', new Map([['list', 'Google Tasks']]))).toBeNull();
  });

  it('means what is ahead of a calendar, and of tasks that are overdue what is open and behind', () => {
    const task = (createdAt: number, completed: boolean, query: string): boolean => {
      const record = {
        origin: 'source',
        source: 'list',
        recordType: 'task',
        createdAt,
        metadata: { completed },
      } as const;
      return isOfKind(storedPassage({ record }).record, kind(query)!);
    };
    expect(task(NOW - DAY, false, 'overdue')).toBe(true);
    expect(task(NOW + DAY, false, 'overdue')).toBe(false);
    expect(task(NOW - DAY, true, 'overdue')).toBe(false);
    expect(task(NOW - DAY, true, 'todos')).toBe(true);
    const event = (createdAt: number, query: string): boolean =>
      isOfKind(
        storedPassage({ record: { origin: 'source', source: 'family_calendar', createdAt } }).record,
        kind(query)!,
      );
    expect([event(NOW - 2 * DAY, 'calendar'), event(NOW + DAY, 'calendar')]).toEqual([false, true]);
    expect(event(NOW - 2 * DAY, 'dentist calendar')).toBe(true);
  });

  it("is no agent's and no note's", () => {
    for (const origin of ['vault', 'memory', 'fact'] as const)
      expect(isOfKind(storedPassage({ record: { origin, recordType: 'task' } }).record, kind('todos')!)).toBe(
        false,
      );
  });
});

describe('search by kind', () => {
  const brought = (source: string, title: string, ahead: number, completed?: boolean): RecordWrite =>
    note('sugar for the bees', {
      title,
      origin: 'source',
      source,
      trust: 'external',
      recordType: completed === undefined ? 'document' : 'task',
      createdAt: NOW + ahead * DAY,
      metadata: completed === undefined ? {} : { completed },
    });
  const writes = [
    note('todos, todos, todos', { title: 'on todos', createdAt: NOW }),
    note('nothing', { title: 'Todos', createdAt: NOW - 400 * DAY }),
    brought('list', 'in a week', 7, false),
    brought('list', 'done', 0, true),
    brought('list', 'tomorrow', 1, false),
    brought('list', 'overdue', -20, false),
    brought('family_calendar', 'in a month', 30),
    brought('family_calendar', 'last month', -30),
    brought('family_calendar', 'the day after', 2),
    brought('gmail', 'mail', 0),
  ];

  async function found(query: string, filter: SearchFilter = ALL_LIVE): Promise<SearchOutcome> {
    const store = openMemoryStore();
    await write(store, 'n', ...writes);
    const given = { store, namespace: 'n', query, filter, limit: 10, ranking: DEFAULT_RANKING, names: NAMES };
    return search({ ...given, vectors: null });
  }

  const titles = async (query: string, filter?: SearchFilter): Promise<string[]> =>
    (await found(query, filter)).hits.map(({ passage }) => passage.record.title);

  it('lists what is asked for by its time: what is done last, and below a note of that name', async () => {
    const listed = ['Todos', 'tomorrow', 'in a week', 'overdue', 'on todos', 'done'];
    expect(await titles('my todos')).toEqual(listed);
    expect(await titles('my open todos')).toEqual(listed.slice(0, -1));
    expect(await titles('my calendar')).toEqual(['the day after', 'in a month']);
    expect(await titles('overdue')).toEqual(['overdue']);
    const agenda = ['tomorrow', 'the day after', 'in a week', 'overdue', 'in a month', 'done'];
    expect(await titles('what do I have to do')).toEqual(agenda);
  });

  it('is sure of it', async () => {
    const { hits } = await found('my calendar');
    expect(Math.min(...hits.map(({ confidence }) => confidence))).toBeGreaterThan(0.5);
    expect(hits[0]?.boosts.map(({ name }) => name)).toEqual(['kind']);
  });

  it('explains the whole score', async () => {
    for (const query of ['my calendar', 'my todos', 'chores about bees', "what's on 3 May"])
      for (const { score, contributions, boosts } of (await found(query)).hits) {
        const divided = contributions.map(({ signal, added }) =>
          signal === 'recency' ? added : added / WHOLE,
        );
        const sum = [...divided, ...boosts.map(({ added }) => added)].reduce((a, b) => a + b, 0);
        expect(sum, query).toBeCloseTo(score, 10);
      }
  });

  it('shows what is of the days that are named, and doubts the rest', async () => {
    expect(await titles('my calendar on 3 May')).toEqual(['the day after']);
    const { hits } = await found('my calendar on 20 August');
    expect(Math.max(0, ...hits.map(({ confidence }) => confidence))).toBeLessThan(0.2);
  });

  it('finds what is open behind any number of what is done', async () => {
    const many = Array.from({ length: 60 }, (_, i) => brought('list', 'done', -i, true));
    const store = openMemoryStore();
    await write(store, 'n', ...many, brought('list', 'passport', -40, false));
    const given = {
      store,
      namespace: 'n',
      filter: ALL_LIVE,
      limit: 10,
      ranking: DEFAULT_RANKING,
      names: NAMES,
    };
    for (const query of ['overdue', 'my todos', 'open tasks', 'what do I have to do']) {
      const { hits } = await search({ ...given, query, vectors: null });
      expect(hits[0]?.passage.record.title, query).toBe('passport');
    }
  });

  it('takes no place of notes where all is done, and leaves those of the days where some is open', async () => {
    const asked = async (...others: RecordWrite[]): Promise<string[]> => {
      const store = openMemoryStore();
      const ofTheDay = note('Pay the rent, call the plumber', { title: 'note', createdAt: NOW + DAY });
      await write(store, 'n', ofTheDay, ...others);
      const given = { store, namespace: 'n', filter: ALL_LIVE, limit: 10, ranking: DEFAULT_RANKING };
      const query = 'what do I have to do tomorrow';
      const { hits } = await search({ ...given, names: NAMES, query, vectors: null });
      return hits.map(({ passage }) => passage.record.title);
    };
    expect((await asked(brought('list', 'done', 1, true)))[0]).toBe('note');
    expect(await asked(brought('list', 'open', 1, false))).toEqual(['open', 'note']);
  });

  it('asks for a day once, however often it is named', async () => {
    const store = openMemoryStore();
    await write(store, 'n', ...writes);
    let searches = 0;
    const counted: Store = {
      ...store,
      searchText: (...parameters) => {
        searches++;
        return store.searchText(...parameters);
      },
    };
    const given = { namespace: 'n', filter: ALL_LIVE, limit: 10, ranking: DEFAULT_RANKING, names: NAMES };
    const once = 'bees todos calendar mail commits monday';
    await search({ ...given, store: counted, query: once, vectors: null });
    const before = searches;
    await search({ ...given, store: counted, query: once + ' monday'.repeat(60), vectors: null });
    expect([before > 0, searches]).toEqual([true, 2 * before]);
  });

  it('believes no document of a source that bears the name of what is asked for', async () => {
    const store = openMemoryStore();
    const forged = brought('list', 'Todos', 300, false);
    await write(store, 'n', ...writes, forged);
    const given = { store, namespace: 'n', filter: ALL_LIVE, limit: 10, ranking: DEFAULT_RANKING };
    const { hits } = await search({ ...given, names: NAMES, query: 'todos', vectors: null });
    expect(hits[0]?.passage.record.origin).toBe('vault');
    expect(hits[1]?.passage.record.title).toBe('tomorrow');
  });

  it('searches as ever where nothing of the kind is there', async () => {
    expect(await titles('commits of bees')).toContain('mail');
    expect(await titles('my commits')).toEqual([]);
  });

  it('puts the kind first of what is about a thing', async () => {
    const mixed = await titles('chores about bees');
    expect(mixed.slice(0, 3).sort()).toEqual(['in a week', 'overdue', 'tomorrow']);
    expect((await titles('mail about bees'))[0]).toBe('mail');
  });

  it('never shows what the filter hides (I6)', async () => {
    const filters = fc.record(
      {
        sources: fc.subarray(['list', 'family_calendar', 'gmail', 'notes']),
        exceptSources: fc.subarray(['list', 'family_calendar', 'gmail', 'notes']),
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
    const store = openMemoryStore();
    await write(store, 'n', ...writes);
    const all = { store, namespace: 'n', limit: 50, ranking: DEFAULT_RANKING, vectors: null, names: NAMES };
    await fc.assert(
      fc.asyncProperty(filters, queries, async (given, query) => {
        const filter = { ...ALL_LIVE, ...given };
        const { hits } = await search({ ...all, query, filter });
        const ids = hits.map(({ passage }) => passage.id);
        expect((await store.passages('n', ids, filter)).map(({ id }) => id)).toEqual(ids);
      }),
    );
  });
});

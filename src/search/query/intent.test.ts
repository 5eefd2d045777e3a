import { describe, expect, it } from 'vitest';
import { NOW } from '../../../test/contract/store-samples.ts';
import { storedPassage } from '../../../test/contract/stored-passage.ts';
import { detectDates } from './dates.ts';
import { isOfIntent, detectIntent, type QueryIntent, type SourceNames } from './intent.ts';
import { parseQuery } from './parse.ts';

const DAY = 86_400_000;
const NAMES: SourceNames = new Map([
  ['list', 'Google Tasks'],
  ['family_calendar', 'Family'],
  ['gmail', 'Post'],
  ['git-log', 'git-log'],
  ['household', 'Household'],
]);

function kind(query: string, names: SourceNames = NAMES): QueryIntent | null {
  return detectIntent(parseQuery(query), detectDates(query, NOW), names, NOW);
}

/** What a query asks for, by the documents that are of it. */
function asked(query: string): string[] {
  const found = kind(query);
  if (found === null) return [];
  const brought = (source: string, recordType = 'document'): boolean =>
    isOfIntent(
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
    ['how do I do todos', []],
    // A source is no kind by what it happens to be called.
    ['household', []],
  ] as const)('%s: %j', (query, kinds) => {
    expect(asked(query)).toEqual(kinds);
  });

  it('says whether anything else is asked for', () => {
    expect([kind('my open todos')?.listOnly, kind('kitchen todos')?.listOnly]).toEqual([true, false]);
    expect(kind('calendar tomorrow')?.listOnly).toBe(true);
    // Notes of the day are asked for as well.
    expect(kind("what's on tomorrow")?.listOnly).toBe(false);
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
      return isOfIntent(storedPassage({ record }).record, kind(query)!);
    };
    expect(task(NOW - DAY, false, 'overdue')).toBe(true);
    expect(task(NOW + DAY, false, 'overdue')).toBe(false);
    expect(task(NOW - DAY, true, 'overdue')).toBe(false);
    expect(task(NOW - DAY, true, 'todos')).toBe(true);
    const event = (createdAt: number, query: string): boolean =>
      isOfIntent(
        storedPassage({ record: { origin: 'source', source: 'family_calendar', createdAt } }).record,
        kind(query)!,
      );
    expect([event(NOW - 2 * DAY, 'calendar'), event(NOW + DAY, 'calendar')]).toEqual([false, true]);
    expect(event(NOW - 2 * DAY, 'dentist calendar')).toBe(true);
  });

  it("is no agent's and no note's", () => {
    for (const origin of ['vault', 'memory', 'fact'] as const)
      expect(
        isOfIntent(storedPassage({ record: { origin, recordType: 'task' } }).record, kind('todos')!),
      ).toBe(false);
  });
});

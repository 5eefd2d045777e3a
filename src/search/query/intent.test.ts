import { describe, expect, it } from 'vitest';
import { NOW } from '../../../test/contract/store-samples.ts';
import { storedPassage } from '../../../test/contract/stored-passage.ts';
import { detectDates } from './dates.ts';
import {
  asksForReply,
  detectIntent,
  isOfIntent,
  pastPhrases,
  type QueryIntent,
  type SourceNames,
} from './intent.ts';
import { parseQuery } from './parse.ts';

const DAY = 86_400_000;
const NAMES: SourceNames = new Map([
  ['list', 'Google Tasks'],
  ['family_calendar', 'Family'],
  ['gmail', 'Post'],
  ['git-log', 'git-log'],
  ['household', 'Household'],
]);

function intentOf(query: string, names: SourceNames = NAMES): QueryIntent | null {
  return detectIntent(parseQuery(query), detectDates(query, NOW), names, NOW);
}

/** The types of documents that a query asks for. */
function typesOf(query: string): string[] {
  const intent = intentOf(query);
  if (intent === null) return [];
  const isRequested = (source: string, recordType = 'document'): boolean =>
    isOfIntent(
      storedPassage({ record: { origin: 'source', source, recordType, createdAt: NOW + 1 } }).record,
      intent,
    );
  const types = {
    tasks: isRequested('jira', 'task'),
    events: isRequested('family_calendar'),
    mails: isRequested('gmail'),
    commits: isRequested('git-log'),
    others: isRequested('household'),
  };
  return Object.entries(types).flatMap(([name, isRequested]) => (isRequested ? [name] : []));
}

describe('detectIntent', () => {
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
    // These queries have a topic.
    ['worktop appointment confirmed?', []],
    ['what to do when the heat pump fails', []],
    ['the invoice that was due in May', []],
    ['meeting notes with Priya', []],
    ['how do I do todos', []],
    // The name of a source alone does not name a type of document.
    ['household', []],
  ] as const)('%s: %j', (query, types) => {
    expect(typesOf(query)).toEqual(types);
  });

  it('reports whether a query has a topic', () => {
    expect([intentOf('my open todos')?.listOnly, intentOf('kitchen todos')?.listOnly]).toEqual([true, false]);
    expect(intentOf('calendar tomorrow')?.listOnly).toBe(true);
    // This query asks for notes of that day, too.
    expect(intentOf("what's on tomorrow")?.listOnly).toBe(false);
  });

  it('is null without sources, or without a source of that type', () => {
    expect(intentOf('todos', new Map())).toBeNull();
    expect(intentOf('my calendar', new Map([['list', 'Google Tasks']]))).toBeNull();
  });

  it('matches future events of a calendar, and open past tasks that are overdue', () => {
    const task = (createdAt: number, completed: boolean, query: string): boolean => {
      const record = {
        origin: 'source',
        source: 'list',
        recordType: 'task',
        createdAt,
        metadata: { completed },
      } as const;
      return isOfIntent(storedPassage({ record }).record, intentOf(query)!);
    };
    expect(task(NOW - DAY, false, 'overdue')).toBe(true);
    expect(task(NOW + DAY, false, 'overdue')).toBe(false);
    expect(task(NOW - DAY, true, 'overdue')).toBe(false);
    expect(task(NOW - DAY, true, 'todos')).toBe(true);
    const event = (createdAt: number, query: string): boolean =>
      isOfIntent(
        storedPassage({ record: { origin: 'source', source: 'family_calendar', createdAt } }).record,
        intentOf(query)!,
      );
    expect([event(NOW - 2 * DAY, 'calendar'), event(NOW + DAY, 'calendar')]).toEqual([false, true]);
    expect(event(NOW - 2 * DAY, 'dentist calendar')).toBe(true);
  });

  it('matches only documents of sources', () => {
    for (const origin of ['vault', 'memory', 'fact'] as const)
      expect(
        isOfIntent(storedPassage({ record: { origin, recordType: 'task' } }).record, intentOf('todos')!),
      ).toBe(false);
  });
});

it.each([
  'What was the guest wifi password?',
  'where did I live before Basel',
  'who used to teach violin',
  'my old number plate',
  'who was the first manager',
  'when was my previous appointment',
  'wo wohnte ich früher',
  'wie hieß die alte Adresse',
  'cuál era la contraseña',
  'quelle était l’ancienne adresse',
  'qual era la password',
  'wat was het wachtwoord',
  'какой был прежний пароль',
  '以前的密码',
])('asks for the past: %s', (query) => {
  expect(pastPhrases(query)).not.toEqual([]);
});

it.each([
  'what is the guest wifi password',
  'how old is Emma',
  'Who was Kinsey Millhone created by?',
  'Where was the band founded?',
  'which university was she educated at',
  'when is the war museum open',
  'wann ist die Prüfung',
  'dónde está la llave',
])('does not: %s', (query) => {
  expect(pastPhrases(query)).toEqual([]);
});

describe('asksForReply', () => {
  it.each([
    ['what was that trail you recommended', true],
    ['Which trail did you suggest?', true],
    ['in our previous conversation about the cartoon', true],
    ['which hotel would you suggest', false],
    ['can you recommend a hotel', false],
    ['what I said about our conversation', false],
    ['what did Ada say', false],
  ])('tells what an assistant has said from what it may say: %s', (query, expected) => {
    expect(asksForReply(query)).toBe(expected);
  });
});

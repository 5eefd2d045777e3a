import { analyze } from '../../core/text/analyze.ts';
import { isStopWord } from '../../core/text/stop-words.ts';
import type { Timestamp } from '../../core/types.ts';
import type { RecordHeader, SearchFilter, StoredPassage } from '../../store/store.ts';
import { isDateOnlyQuery, dateTerms, type DateRange } from './dates.ts';
import { matchedTerms } from './phrases.ts';
import type { ParsedQuery, QueryTerm } from './parse.ts';

/** What a query asks for by what it is, beside or instead of what it is about: "kitchen todos", "my calendar". */
export interface QueryIntent {
  /** The index terms that say so; whatever is of the kind counts as holding them. */
  readonly intentTerms: ReadonlySet<string>;
  /** Each lets through some of the kind, together they let through all of it. */
  readonly filters: readonly IntentFilter[];
  /** Index terms of what else is asked for; of the kind, what holds one of them is meant. */
  readonly topicTerms: ReadonlySet<string>;
  /** What is done, or what is open, is not asked for at all. */
  readonly state: 'open' | 'done' | null;
  /** Whether these are asked for, perhaps of days, and nothing else: then they are listed by their time. */
  readonly listOnly: boolean;
}

type IntentFilter = Pick<SearchFilter, 'sources' | 'recordTypes' | 'undated' | 'from' | 'until'>;

/** Names of the sources that the settings have, by what their records go by. */
export type SourceNames = ReadonlyMap<string, string>;

interface DocumentType {
  /** What people call its things. */
  readonly queryWords: RegExp;
  /** The same, where nothing but a kind is asked for: "worktop appointment confirmed?" may well mean a mail. */
  readonly listOnlyWords?: RegExp;
  /** A word in the name of a source that brings them. */
  readonly sourceNameWords: RegExp;
  /** What its things are, whatever their source is called. */
  readonly recordTypes?: readonly string[];
  /** Asked for without a day, what is over is not meant. */
  readonly futureOnly?: true;
}

const TASKS: DocumentType = {
  queryWords: /^(?:to ?dos?|tasks?|chores?|errands?|overdue)$/,
  sourceNameWords: /^(?:todos?|tasks?|taskwarrior|reminders?|chores?)$/,
  recordTypes: ['task'],
};
const EVENTS: DocumentType = {
  queryWords: /^(?:calendar|agenda)$/,
  listOnlyWords: /^(?:appointments?|events?|meetings?)$/,
  sourceNameWords: /^(?:cal|i?calendars?|ical|ics|events?|appointments?|agenda)$/,
  futureOnly: true,
};
const MAILS: DocumentType = {
  queryWords: /^(?:(?:e ?)?mails?|inbox)$/,
  sourceNameWords: /^(?:e?mails?|inbox|maildir|gmail)$/,
};
const COMMITS: DocumentType = { queryWords: /^commits?$/, sourceNameWords: /^(?:git|commits?)$/ };
const DOCUMENT_TYPES: readonly DocumentType[] = [TASKS, EVENTS, MAILS, COMMITS];

/** Ask for tasks and events, where nothing else is asked for: "what do I have to do this week". */
const AGENDA = /\b(?:to do|due|planned|scheduled|coming up|going on|on my plate)\b/i;
const OVERDUE = /\boverdue\b/i;
const OPEN = /\b(?:open|pending|unfinished|outstanding|remaining|overdue|undone|not done)\b/i;
const DONE = /\b(?:done|completed|finished)\b/i;
/** "How do I keep todos" is no list. */
const QUESTION = /\b(?:how|why)\b/i;
const AHEAD = /\b(?:upcoming|coming|next)\b/i;
/** Say nothing of what a thing is about. */
const FILLERS =
  /^(?:open|pending|done|undone|completed|finished|unfinished|outstanding|remaining|current|upcoming|coming|next|new|latest|recent|due|planned|scheduled|going|plate|need|want|got|left|still|supposed|lists?|show|give|find|items?|things?|everything|anything|something)$/;

/** `null` for a query that asks for no kind of thing, or for none that a source brings. */
export function detectIntent(
  query: ParsedQuery,
  dates: readonly DateRange[],
  names: SourceNames,
  now: Timestamp,
): QueryIntent | null {
  if (names.size === 0 || QUESTION.test(query.text)) return null;
  const naming = query.terms.filter(({ surface }) =>
    DOCUMENT_TYPES.some(({ queryWords: asked }) => asked.test(surface)),
  );
  const kinds = new Set(
    DOCUMENT_TYPES.filter(({ queryWords: asked }) => naming.some(({ surface }) => asked.test(surface))),
  );
  const rest = termsBesidesDates(query.terms, dates).filter((term) => !naming.includes(term));
  const onlyKinds = rest.every(({ surface }) =>
    DOCUMENT_TYPES.some((kind) => kind.listOnlyWords?.test(surface)),
  );
  const agenda = onlyKinds && AGENDA.test(query.text);
  if (onlyKinds)
    for (const kind of DOCUMENT_TYPES)
      if (rest.some(({ surface }) => kind.listOnlyWords?.test(surface))) kinds.add(kind);
  // Of days alone, what was due and what took place on them is asked for beside what was noted.
  const ofDays = !agenda && kinds.size === 0 && isDateOnlyQuery(query.terms, dates);
  if (agenda || ofDays) for (const kind of [TASKS, EVENTS]) kinds.add(kind);
  const alone = onlyKinds && !ofDays;
  const time = timeFilter(query.text, { dates, agenda, alone, now });
  const filters = [...kinds].flatMap((kind) =>
    filtersForType(kind, names).map((one) => ({ ...one, ...time(kind) })),
  );
  if (filters.length === 0) return null;
  const terms = new Set((alone ? query.terms : naming).flatMap((term) => term.terms));
  const about = new Set(alone ? [] : rest.flatMap((term) => term.terms));
  return {
    intentTerms: terms,
    topicTerms: about,
    filters,
    state: stateOf(query.text, agenda),
    listOnly: alone,
  };
}

/** What says more of a thing than its day, and that it is one. */
function termsBesidesDates(terms: readonly QueryTerm[], dates: readonly DateRange[]): QueryTerm[] {
  const dated = dateTerms(dates);
  return terms.filter(
    ({ terms: words, surface }) =>
      !FILLERS.test(surface) && !isStopWord(surface) && !words.every((word) => dated.has(word)),
  );
}

function stateOf(text: string, agenda: boolean): QueryIntent['state'] {
  if (agenda || OPEN.test(text)) return 'open';
  return DONE.test(text) ? 'done' : null;
}

/** Whether the passage is of the kind, and holds some of what else is asked for. */
export function matchesIntent(passage: StoredPassage, kind: QueryIntent): boolean {
  if (!isOfIntent(passage.record, kind)) return false;
  return kind.topicTerms.size === 0 || matchedTerms(passage, kind.topicTerms).size > 0;
}

export function isOfIntent(
  { origin, source, recordType, createdAt, metadata }: RecordHeader,
  { filters, state }: QueryIntent,
): boolean {
  const done = metadata['completed'] === true;
  if (origin !== 'source' || (state !== null && done !== (state === 'done'))) return false;
  return filters.some(
    ({ sources, recordTypes, undated, from = -Infinity, until = Infinity }) =>
      (sources?.includes(source) ?? true) &&
      (recordTypes?.includes(recordType) ?? true) &&
      (undated === undefined || (metadata['undated'] === true) === undated) &&
      createdAt >= from &&
      createdAt < until,
  );
}

function filtersForType(
  { sourceNameWords: called, recordTypes }: DocumentType,
  names: SourceNames,
): IntentFilter[] {
  const sources = [...names].flatMap(([id, name]) =>
    [...wordsOf(id), ...wordsOf(name)].some((word) => called.test(word)) ? [id] : [],
  );
  return [
    ...(sources.length > 0 ? [{ sources }] : []),
    ...(recordTypes === undefined ? [] : [{ recordTypes }]),
  ];
}

function wordsOf(text: string): string[] {
  return analyze(text.replaceAll('_', ' ')).map(({ surface }) => surface);
}

interface TimeContext {
  readonly dates: readonly DateRange[];
  readonly agenda: boolean;
  readonly alone: boolean;
  readonly now: Timestamp;
}

/** Bounds of what is meant. What is of no day is of none of those that are named. */
function timeFilter(
  text: string,
  { dates, agenda, alone, now }: TimeContext,
): (kind: DocumentType) => Pick<IntentFilter, 'undated' | 'from' | 'until'> {
  const today = new Date(now).setHours(0, 0, 0, 0);
  if (OVERDUE.test(text)) return () => ({ undated: false, until: today });
  const named = dates.length > 0 ? { undated: false } : {};
  return ({ futureOnly: ahead = false }) => {
    const isAhead = dates.length > 0 ? ahead && agenda : alone && (ahead || AHEAD.test(text));
    return isAhead ? { undated: false, from: today } : named;
  };
}

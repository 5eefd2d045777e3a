import { analyze } from '../../core/text/analyze.ts';
import { isStopWord } from '../../core/text/stop-words.ts';
import type { Timestamp } from '../../core/types.ts';
import type { RecordHeader, SearchFilter, StoredPassage } from '../../store/search-model.ts';
import { dateTerms, isDateOnlyQuery, type DateRange } from './dates.ts';
import {
  AGENDA_PHRASES,
  DOCUMENT_TYPES,
  DONE_PHRASES,
  EVENTS,
  FILLER_WORDS,
  FUTURE_PHRASES,
  OPEN_PHRASES,
  OVERDUE_PHRASES,
  QUESTION_PHRASES,
  TASKS,
  type DocumentType,
} from './intent-words.ts';
import type { ParsedQuery, QueryTerm } from './parse.ts';
import { matchedTerms } from './phrases.ts';

/** The types of documents that a query asks for, besides or instead of a topic: "kitchen todos", "my calendar". */
export interface QueryIntent {
  /** The index terms that name the types; every document of these types counts as having them. */
  readonly intentTerms: ReadonlySet<string>;
  /** Together they admit the documents of these types. */
  readonly filters: readonly IntentFilter[];
  /** Index terms of the query's topic; a document of these types must have one of them. */
  readonly topicTerms: ReadonlySet<string>;
  /** `null` for documents in either state. */
  readonly state: 'open' | 'done' | null;
  /** Whether the query has no topic: its results are a list of these documents, ordered by time. */
  readonly listOnly: boolean;
}

type IntentFilter = Pick<SearchFilter, 'sources' | 'recordTypes' | 'undated' | 'from' | 'until'>;

/** The name in the settings of each source, by the `source` of its records. */
export type SourceNames = ReadonlyMap<string, string>;

const AGENDA = anyOf(AGENDA_PHRASES);
const OVERDUE = anyOf(OVERDUE_PHRASES);
const OPEN = anyOf(OPEN_PHRASES);
const DONE = anyOf(DONE_PHRASES);
const FUTURE = anyOf(FUTURE_PHRASES);
const QUESTION = anyOf(QUESTION_PHRASES);
const FILLERS: ReadonlySet<string> = new Set(FILLER_WORDS);

function anyOf(phrases: readonly string[]): RegExp {
  return new RegExp(`\\b(?:${phrases.join('|')})\\b`, 'i');
}

/** `null` for a query that asks for no type of document, or only for types that no source has. */
export function detectIntent(
  query: ParsedQuery,
  dates: readonly DateRange[],
  names: SourceNames,
  now: Timestamp,
): QueryIntent | null {
  if (names.size === 0 || QUESTION.test(query.text)) return null;
  const naming = query.terms.filter(({ surface }) =>
    DOCUMENT_TYPES.some(({ queryWords }) => queryWords.includes(surface)),
  );
  const types = new Set(typesNamedBy('queryWords', naming));
  const rest = withoutDatesAndFillers(query.terms, dates).filter((term) => !naming.includes(term));
  const hasTopic = !rest.every(({ surface }) =>
    DOCUMENT_TYPES.some(({ listOnlyWords }) => listOnlyWords.includes(surface)),
  );
  if (!hasTopic) for (const type of typesNamedBy('listOnlyWords', rest)) types.add(type);
  const isAgenda = !hasTopic && AGENDA.test(query.text);
  // "What did I do yesterday": tasks and events of that day are searched in addition to notes.
  const isDateOnly = !isAgenda && types.size === 0 && isDateOnlyQuery(query.terms, dates);
  if (isAgenda || isDateOnly) for (const type of [TASKS, EVENTS]) types.add(type);
  const listOnly = !hasTopic && !isDateOnly;
  const filters = [...types].flatMap((type) => {
    const time = timeFilter(type, query.text, { dates, isAgenda, listOnly, now });
    return filtersForType(type, names).map((filter) => ({ ...filter, ...time }));
  });
  if (filters.length === 0) return null;
  return {
    intentTerms: new Set((listOnly ? query.terms : naming).flatMap(({ terms }) => terms)),
    topicTerms: new Set(listOnly ? [] : rest.flatMap(({ terms }) => terms)),
    filters,
    state: stateOf(query.text, isAgenda),
    listOnly,
  };
}

function typesNamedBy(list: 'queryWords' | 'listOnlyWords', terms: readonly QueryTerm[]): DocumentType[] {
  return DOCUMENT_TYPES.filter((type) => terms.some(({ surface }) => type[list].includes(surface)));
}

function withoutDatesAndFillers(terms: readonly QueryTerm[], dates: readonly DateRange[]): QueryTerm[] {
  const ofDates = dateTerms(dates);
  return terms.filter(
    ({ terms: words, surface }) =>
      !FILLERS.has(surface) && !isStopWord(surface) && !words.every((word) => ofDates.has(word)),
  );
}

function stateOf(text: string, isAgenda: boolean): QueryIntent['state'] {
  if (isAgenda || OPEN.test(text)) return 'open';
  return DONE.test(text) ? 'done' : null;
}

/** Whether the passage is of a document that the query asks for and has a term of its topic. */
export function matchesIntent(passage: StoredPassage, intent: QueryIntent): boolean {
  if (!isOfIntent(passage.record, intent)) return false;
  return intent.topicTerms.size === 0 || matchedTerms(passage, intent.topicTerms).size > 0;
}

/** Whether the record is a document of the types and in the state that the query asks for. */
export function isOfIntent(
  { origin, source, recordType, createdAt, metadata }: RecordHeader,
  { filters, state }: QueryIntent,
): boolean {
  const isDone = metadata['completed'] === true;
  if (origin !== 'source' || (state !== null && isDone !== (state === 'done'))) return false;
  return filters.some(
    ({ sources, recordTypes, undated, from = -Infinity, until = Infinity }) =>
      (sources?.includes(source) ?? true) &&
      (recordTypes?.includes(recordType) ?? true) &&
      (undated === undefined || (metadata['undated'] === true) === undated) &&
      createdAt >= from &&
      createdAt < until,
  );
}

function filtersForType({ sourceNameWords, recordTypes }: DocumentType, names: SourceNames): IntentFilter[] {
  const sources = [...names].flatMap(([id, name]) =>
    [...wordsOf(id), ...wordsOf(name)].some((word) => sourceNameWords.includes(word)) ? [id] : [],
  );
  return [...(sources.length > 0 ? [{ sources }] : []), ...(recordTypes.length > 0 ? [{ recordTypes }] : [])];
}

function wordsOf(text: string): string[] {
  return analyze(text.replaceAll('_', ' ')).map(({ surface }) => surface);
}

interface TimeQuery {
  readonly dates: readonly DateRange[];
  readonly isAgenda: boolean;
  readonly listOnly: boolean;
  readonly now: Timestamp;
}

/** The bounds of the times that the query means. A document without a date matches no date in a query. */
function timeFilter(
  { futureOnly }: DocumentType,
  text: string,
  { dates, isAgenda, listOnly, now }: TimeQuery,
): Pick<IntentFilter, 'undated' | 'from' | 'until'> {
  const today = new Date(now).setHours(0, 0, 0, 0);
  if (OVERDUE.test(text)) return { undated: false, until: today };
  const isFuture = dates.length > 0 ? futureOnly && isAgenda : listOnly && (futureOnly || FUTURE.test(text));
  if (isFuture) return { undated: false, from: today };
  return dates.length > 0 ? { undated: false } : {};
}

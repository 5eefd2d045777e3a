import { analyze, fold } from '../../core/text/analyze.ts';
import { isStopWord } from '../../core/text/stop-words.ts';
import type { Timestamp } from '../../core/types.ts';
import type { RecordHeader, SearchFilter, StoredPassage, TextTerm } from '../../store/search-model.ts';
import { type DateRange, dateTerms, isDateOnlyQuery } from './dates.ts';
import type { ParsedQuery, QueryTerm } from './parse.ts';
import { matchedTerms } from './phrases.ts';

/** The words by which a query asks for documents of a type, and by which sources of these are recognised. */
interface DocumentType {
  /** Words of a query that ask for these documents, folded; an identifier's parts have a space between. */
  readonly queryWords: readonly string[];
  /** Words that do so only in a query for a list: "worktop appointment confirmed?" may well mean a mail. */
  readonly listOnlyWords: readonly string[];
  /** A source with one of these words in its id or name delivers these documents. */
  readonly sourceNameWords: readonly string[];
  /** Record types of these documents, whatever their source is called. */
  readonly recordTypes: readonly string[];
  /** Whether a query without a date means the future ones only. */
  readonly futureOnly: boolean;
}

const TASKS: DocumentType = {
  queryWords: words('todo todos task tasks chore chores errand errands overdue', 'to do', 'to dos'),
  listOnlyWords: [],
  sourceNameWords: words('todo todos task tasks taskwarrior reminder reminders chore chores'),
  recordTypes: ['task'],
  futureOnly: false,
};

const EVENTS: DocumentType = {
  queryWords: words('calendar agenda'),
  listOnlyWords: words('appointment appointments event events meeting meetings'),
  sourceNameWords: words(
    'cal calendar calendars icalendar icalendars ical ics event events appointment appointments agenda',
  ),
  recordTypes: [],
  futureOnly: true,
};

const MAILS: DocumentType = {
  queryWords: words('mail mails email emails inbox', 'e mail', 'e mails'),
  listOnlyWords: [],
  sourceNameWords: words('mail mails email emails inbox maildir gmail'),
  recordTypes: [],
  futureOnly: false,
};

const COMMITS: DocumentType = {
  queryWords: words('commit commits'),
  listOnlyWords: [],
  sourceNameWords: words('git commit commits'),
  recordTypes: [],
  futureOnly: false,
};

const DOCUMENT_TYPES: readonly DocumentType[] = [TASKS, EVENTS, MAILS, COMMITS];

/** The words of a list separated by spaces, and phrases of several words. */
function words(list: string, ...phrases: string[]): string[] {
  return [...list.split(' '), ...phrases];
}

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

/** What asks for tasks and events: "what do I have to do this week". */
const AGENDA = /\b(?:due|planned|scheduled|to do|coming up|going on|on my plate)\b/i;
const OVERDUE = /\boverdue\b/i;
const OPEN = /\b(?:open|pending|unfinished|outstanding|remaining|overdue|undone|not done)\b/i;
const DONE = /\b(?:done|completed|finished)\b/i;
const FUTURE = /\b(?:upcoming|coming|next)\b/i;
/** A query with one of these asks for an explanation, not for a list: "how do I keep todos". */
const QUESTION = /\b(?:how|why)\b/i;

/** Words that are not part of the topic of a query. */
const FILLERS: ReadonlySet<string> = new Set([
  ...words(
    'open pending done undone completed finished unfinished outstanding remaining current upcoming coming',
  ),
  ...words('next new latest recent due planned scheduled going plate need want got left still supposed'),
  ...words('list lists show give find item items thing things everything anything something'),
]);

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

/** Words that ask for what was true before, folded, by language. Their endings are those of adjectives. */
const PAST_WORDS: readonly string[] = [
  'before|previous(?:ly)?|former(?:ly)?|earlier|prior|first|initial(?:ly)?|original(?:ly)?|(?<!how )old|used? to|back then',
  'at th(?:e|at) time|in the past|no longer|history',
  // A passive asks for something else: "Who was it created by?", "Where was the band founded?".
  '(?:what|how (?:much|many|long|big|often)) (?:was|were)',
  '(?:who|where|when|which) (?:was|were) (?:my|our|your|his|her|their|the)(?!.*(?:\\b(?:by|in|at|on|from|to)\\W*$|ed\\b))',
  'vorher|zuvor|fruher(?:e[nrs]?)?|damals|ehemal\\w+|ursprunglich\\w*|zuerst|anfangs|bisherig\\w+|erste[nrs]?|alte[nrs]?|vorig\\w+',
  'w(?:as|er|ie|o|ann) (?:war(?:en)?|hieß(?:en)?)|welche[rs]? .*\\bwar(?:en)?',
  'avant|auparavant|autrefois|ancien(?:ne)?s?|precedente?s?|premiere?s?|(?:quel(?:le)?|qui|ou|comment) etai(?:en)?t',
  'antes|anterior(?:es|mente)?|previ[oa]s?|primer[oa]?s?|antigu[oa]s?|solia|(?:cual|quien|que|como|donde|cuando|cuanto) (?:era|eran|fue)',
  'prima|precedenti?e?|vecchi[oa]|originari\\w+|inizialmente|(?:qual|chi|dove|come|quanto) era(?:no)?',
  'primeir[oa]s?|antig[oa]s?|antigamente|(?:quem|onde|quanto) era(?:m)?',
  'vroeger|eerder|eerst|voorheen|vorige|oude|oorspronkelijke?|destijds|(?:wat|wie|waar|hoe) (?:was|waren)',
  'tidigare|forut|tidligere|eskiden|onceki|раньше|прежде|прежн\\p{L}+|перв\\p{L}+',
];
const PAST = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${PAST_WORDS.join('|')})(?![\\p{L}\\p{N}])|以前|之前|原来|最初|曾经|かつて|前の|이전|예전`,
  'gu',
);

/** The phrases by which a query asks for the past: "before", "what was". A record that has such a phrase is about that itself. */
export function pastPhrases(query: string): TextTerm[] {
  return Array.from(fold(query).matchAll(PAST), ([phrase]) => ({
    terms: analyze(phrase).map(({ term }) => term),
    prefix: false,
  }));
}

/** What an assistant did with words, in the past. */
const SAID =
  'recommended|suggested|mentioned|said|told|gave|provided|listed|wrote|explained|advised|proposed|shared|described|showed';
const DID_SAY =
  'recommend|suggest|mention|say|tell|give|provide|list|write|explain|advise|propose|share|describe|show';
const ASKS_FOR_REPLY = new RegExp(
  `\\b(?:you (?:${SAID})|did you (?:${DID_SAY})|our (?:previous|last|earlier|past) (?:conversation|chat|discussion)s?)\\b`,
  'i',
);

/** Whether a query asks for what an assistant has said: "which trail did you recommend". Turns of the user do not come first then. */
export function asksForReply(query: string): boolean {
  return ASKS_FOR_REPLY.test(query);
}

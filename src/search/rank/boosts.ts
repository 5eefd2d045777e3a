import { analyze } from '../../core/text/analyze.ts';
import type { Metadata, Timestamp } from '../../core/types.ts';
import { CONVERSATION_TYPE } from '../../sources/conversation.ts';
import { isSourced } from '../../store/rules/filter.ts';
import type { RecordHeader, StoredPassage } from '../../store/search-model.ts';
import { dateTerms, type DateRange } from '../query/dates.ts';
import { matchesIntent } from '../query/intent.ts';
import type { ParsedQuery } from '../query/parse.ts';
import { matchedTerms } from '../query/phrases.ts';
import type { SearchRun } from '../run.ts';
import type { BoostName, Ranking } from './ranking.ts';

/** One reason why a passage ranks higher or lower than its signals alone would place it. */
export interface Boost {
  readonly name: BoostName;
  /** `boostsOf` returns a share of the query's best score; a ranking has the score it amounts to. Negative to lower. */
  readonly added: number;
  /** For a boost that multiplies the score before it. */
  readonly factor?: number;
}

/**
 * Boosts for a query that only asks for a list. They order the results: a note with that title, then open documents by
 * their time, then other notes and completed documents.
 */
const LIST_BOOSTS = { title: 4, wanted: 3, otherState: 1 };

/**
 * The boosts of a passage, apart from those of its source.
 * @param sessions how good each session of the candidates is, as a share of the best one
 */
export function boostsOf(
  passage: StoredPassage,
  run: SearchRun,
  sessions: ReadonlyMap<string, number>,
): Boost[] {
  const { ranking, intent } = run;
  const metadata = trustedMetadata(passage);
  const boosts: Boost[] = [];
  const add = (name: Boost['name'], added: number): void => {
    if (added > 0) boosts.push({ name, added });
  };
  const date = dateOf(passage, run.dates);
  const near = date ?? dateOf(passage, run.dates, true);
  if (near !== undefined) {
    const added = near.relative ? relativeDateBoost(passage, run) : ranking.dateBoost;
    add('date', added * (date === undefined ? NEAR_DATE_SHARE : 1));
  }
  if (namesSpeaker(run.query, metadata['speaker'])) add('speaker', ranking.speakerBoost);
  add('session', ranking.sessionPrior * (sessions.get(sessionOf(passage) ?? '') ?? 0));
  if (metadata['role'] === 'user') add('user', ranking.userPrior);
  const isList = intent?.listOnly === true;
  if (intent !== null && matchesIntent(passage, intent)) {
    const isWanted = isCompleted(passage.record) === (intent.state === 'done');
    const inList = isWanted ? LIST_BOOSTS.wanted : LIST_BOOSTS.otherState;
    add('kind', isList ? inList : ranking.kindBoost);
  }
  // A source chooses the titles of its documents, so they are not evidence.
  if (passage.record.origin !== 'source' && namesTitle(run.queryTerms, passage.record))
    add('title', isList ? LIST_BOOSTS.title : ranking.titleBoost);
  return boosts;
}

/** The boosts of a record's source and of its completion. */
export function sourceBoosts(
  record: Pick<RecordHeader, 'origin' | 'metadata'>,
  weight: number | null,
  score: number,
  { completedFactor }: Ranking,
): Boost[] {
  if (weight === null) return [];
  const boosts: Boost[] = [];
  if (weight !== 1) boosts.push({ name: 'source', added: score * (weight - 1), factor: weight });
  if (record.origin === 'source' && isCompleted(record)) {
    const added = score * weight * (completedFactor - 1);
    boosts.push({ name: 'completed', added, factor: completedFactor });
  }
  return boosts;
}

/** The metadata that ranking relies on: a source could set its own to rank higher. That of conversations is made by their reader. */
function trustedMetadata({ record }: StoredPassage): Metadata {
  return record.origin === 'source' && record.recordType !== CONVERSATION_TYPE ? {} : record.metadata;
}

/** Whether a turn is of the user or of an assistant; nothing for what is no turn. */
export function roleOf(passage: StoredPassage | undefined): unknown {
  return passage === undefined ? undefined : trustedMetadata(passage)['role'];
}

export function isCompleted({ metadata }: Pick<RecordHeader, 'metadata'>): boolean {
  return metadata['completed'] === true;
}

export function sessionOf(passage: StoredPassage): string | null {
  const { session } = trustedMetadata(passage);
  return typeof session === 'string' || typeof session === 'number' ? String(session) : null;
}

/** The start of the day that a record is about: its `date`, else the time at which it was made. */
export function dayStartOf(passage: StoredPassage): Timestamp {
  const { record } = passage;
  const { date } = trustedMetadata(passage);
  if (typeof date !== 'string') return record.createdAt;
  const parsed = Date.parse(DATE_ONLY.test(date) ? `${date}T00:00` : date);
  return Number.isNaN(parsed) ? record.createdAt : parsed;
}

const DATE_ONLY = /^\d{4}-\d{2}-\d{2}$/;

/** Whether the only date of a note is the time of its file, which for a copy is the time of copying. */
export function isDatedByFile({ record }: StoredPassage): boolean {
  return record.origin === 'vault' && typeof record.metadata['date'] !== 'string';
}

/** Doubled when the passage has a term of the rest of the query, halved when its only date is the time of its file. */
function relativeDateBoost(passage: StoredPassage, { query, dates, ranking }: SearchRun): number {
  const ofDates = dateTerms(dates);
  const rest = query.terms.filter(({ terms }) => !terms.every((term) => ofDates.has(term)));
  const matched = matchedTerms(passage, new Set(rest.flatMap(({ terms }) => terms)));
  const matchesRest = rest.some(({ terms }) => terms.every((term) => matched.has(term)));
  return ranking.relativeDateBoost * (matchesRest ? 2 : 1) * (isDatedByFile(passage) ? 0.5 : 1);
}

/** The share of its boost that a record gets whose date is only within the margin of one that the query names. */
const NEAR_DATE_SHARE = 0.6;

/** The first of the dates that the record is of. @param withMargin also those that it is near */
export function dateOf(
  passage: StoredPassage,
  dates: readonly DateRange[],
  withMargin = false,
): DateRange | undefined {
  const { record } = passage;
  if (isSourced(record) && record.metadata['undated'] === true) return undefined;
  const day = dayStartOf(passage);
  return dates.find(({ from, until, marginMs = 0 }) => {
    const margin = withMargin ? marginMs : 0;
    return day >= from - margin && day < until + margin;
  });
}

function namesSpeaker(query: ParsedQuery, speaker: unknown): boolean {
  if (typeof speaker !== 'string') return false;
  const names = analyze(speaker).map((token) => token.surface);
  return query.terms.some((term) => names.includes(term.surface));
}

function namesTitle(queryTerms: ReadonlySet<string>, record: RecordHeader): boolean {
  // Most titles begin with a word that the query lacks. The other words need not be analysed then.
  if (record.metadata['aliases'] === undefined && !titleTermsByRecord.has(record)) {
    const [first] = analyze(record.title, 1);
    if (first === undefined || (first.kind !== 'tail' && !queryTerms.has(first.term))) return false;
  }
  return titleTerms(record).some((terms) => terms.length > 0 && terms.every((term) => queryTerms.has(term)));
}

/** By header: a store that caches headers returns the same, unchanged objects for many searches. */
const titleTermsByRecord = new WeakMap<RecordHeader, readonly (readonly string[])[]>();

/** The terms of a record's title and of each of its aliases. */
function titleTerms(record: RecordHeader): readonly (readonly string[])[] {
  const cached = titleTermsByRecord.get(record);
  if (cached !== undefined) return cached;
  const { aliases } = record.metadata;
  const texts = [record.title, ...(Array.isArray(aliases) ? aliases : [])];
  const terms = texts.flatMap((text) =>
    typeof text === 'string'
      ? [analyze(text).flatMap(({ kind, term }) => (kind === 'tail' ? [] : [term]))]
      : [],
  );
  titleTermsByRecord.set(record, terms);
  return terms;
}

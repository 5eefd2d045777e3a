import { analyze } from '../../core/text/analyze.ts';
import type { Metadata, Timestamp } from '../../core/types.ts';
import type { RecordHeader, StoredPassage } from '../../store/store.ts';
import { dateTerms, type DateRange } from '../query/dates.ts';
import { matchesIntent, type QueryIntent } from '../query/intent.ts';
import { matchedTerms } from '../query/phrases.ts';
import type { ParsedQuery } from '../query/parse.ts';
import type { Ranking } from './ranking.ts';

/** One reason why a passage stands higher, or lower, than its words and meaning alone would put it. */
export interface Boost {
  readonly name: 'date' | 'speaker' | 'session' | 'user' | 'title' | 'source' | 'completed' | 'near' | 'kind';
  /** From `boostsOf` a share of the query's best score; in a ranking, the score that it came to. Below 0 it takes away. */
  readonly added: number;
  /** Where it multiplies what there was before it. */
  readonly factor?: number;
}

export interface BoostContext {
  readonly query: ParsedQuery;
  /** The index terms of its words. */
  readonly asked: ReadonlySet<string>;
  readonly ranking: Ranking;
  readonly dates: readonly DateRange[];
  readonly kind: QueryIntent | null;
  /** Rank of each session among the sessions of the candidates, from 1. */
  readonly sessionRanks: ReadonlyMap<string, number>;
}

/**
 * Where nothing but a kind is asked for: a note of that title, then what is of the kind and open by its time, then other
 * notes, and what is done.
 */
const [TITLE_ALONE, OF_KIND_ALONE, DONE_ALONE] = [4, 3, 1];

/** Everything that speaks for a passage beside what the signals said. */
export function boostsOf(passage: StoredPassage, context: BoostContext): Boost[] {
  const { ranking } = context;
  const metadata = saidOf(passage);
  const boosts: Boost[] = [];
  const add = (name: Boost['name'], added: number): void => {
    if (added > 0) boosts.push({ name, added });
  };
  const date = dateOf(passage, context.dates);
  if (date !== undefined) add('date', date.relative ? relativeBoost(passage, context) : ranking.dateBoost);
  if (namesSpeaker(context.query, metadata['speaker'])) add('speaker', ranking.speakerBoost);
  const sessionRank = context.sessionRanks.get(sessionOf(passage) ?? '');
  if (sessionRank !== undefined) add('session', ranking.sessionPrior / sessionRank);
  if (metadata['role'] === 'user') add('user', ranking.userPrior);
  const { kind } = context;
  const done = passage.record.metadata['completed'] === true;
  if (kind !== null && matchesIntent(passage, kind)) {
    const alone = done === (kind.state === 'done') ? OF_KIND_ALONE : DONE_ALONE;
    add('kind', kind.listOnly ? alone : ranking.kindBoost);
  }
  // What a source calls its documents is its own word.
  if (passage.record.origin !== 'source' && namesTitle(context, passage))
    add('title', kind?.listOnly === true ? TITLE_ALONE : ranking.titleBoost);
  return boosts;
}

/** What ranking may believe of a record: a source says of its documents what it likes. */
function saidOf({ record }: StoredPassage): Metadata {
  return record.origin === 'source' ? {} : record.metadata;
}

export function sessionOf(passage: StoredPassage): string | null {
  const { session } = saidOf(passage);
  return typeof session === 'string' || typeof session === 'number' ? String(session) : null;
}

/** The day that a record is about: its date if it names one, else when it was made. A day alone begins here. */
export function dayOf(passage: StoredPassage): Timestamp {
  const { record } = passage;
  const { date } = saidOf(passage);
  if (typeof date !== 'string') return record.createdAt;
  const named = Date.parse(DAY_ALONE.test(date) ? `${date}T00:00` : date);
  return Number.isNaN(named) ? record.createdAt : named;
}

const DAY_ALONE = /^\d{4}-\d{2}-\d{2}$/;

/** Whether nothing but the time of a note's file says of which day it is: of a copy, that is the day it was copied. */
export function isDatedByFile({ record }: StoredPassage): boolean {
  return record.origin === 'vault' && typeof record.metadata['date'] !== 'string';
}

/** Twice for what holds a word of the rest of the query; half for what its file alone dates. */
function relativeBoost(passage: StoredPassage, { query, dates, ranking }: BoostContext): number {
  const ofDates = dateTerms(dates);
  const rest = query.terms.filter(({ terms }) => !terms.every((term) => ofDates.has(term)));
  const held = matchedTerms(passage, new Set(rest.flatMap(({ terms }) => terms)));
  const says = rest.some(({ terms }) => terms.every((term) => held.has(term)));
  return ranking.relativeDateBoost * (says ? 2 : 1) * (isDatedByFile(passage) ? 0.5 : 1);
}

/** The date among those that the query names which the record is of. */
export function dateOf(passage: StoredPassage, dates: readonly DateRange[]): DateRange | undefined {
  const { origin, metadata } = passage.record;
  if (origin === 'source' && metadata['undated'] === true) return undefined;
  const day = dayOf(passage);
  return dates.find(({ from, until }) => day >= from && day < until);
}

function namesSpeaker(query: ParsedQuery, speaker: unknown): boolean {
  if (typeof speaker !== 'string') return false;
  const names = analyze(speaker).map((token) => token.surface);
  return query.terms.some((term) => names.includes(term.surface));
}

function namesTitle({ asked }: BoostContext, { record }: StoredPassage): boolean {
  return titlesOf(record).some((terms) => terms.length > 0 && terms.every((term) => asked.has(term)));
}

/** Of records that are looked at again and again: what a store holds in memory does not change. */
const titles = new WeakMap<RecordHeader, readonly (readonly string[])[]>();

/** The terms of a record's title and of each of its aliases. */
function titlesOf(record: RecordHeader): readonly (readonly string[])[] {
  const known = titles.get(record);
  if (known !== undefined) return known;
  const { aliases } = record.metadata;
  const texts = [record.title, ...(Array.isArray(aliases) ? aliases : [])];
  const terms = texts.flatMap((text) =>
    typeof text === 'string'
      ? [analyze(text).flatMap(({ kind, term }) => (kind === 'tail' ? [] : [term]))]
      : [],
  );
  titles.set(record, terms);
  return terms;
}

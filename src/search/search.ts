import { analyze } from '../core/text/analyze.ts';
import type { Timestamp } from '../core/types.ts';
import type { SearchFilter, Store, StoredPassage, TextTerm } from '../store/store.ts';
import { dateOf } from './rank/boosts.ts';
import { type RelatedOptions, relatedDocuments } from './related.ts';
import { withConfidence } from './rank/confidence.ts';
import { isDateOnlyQuery, detectDates, type DateRange } from './query/dates.ts';
import { fuse, type Fused } from './rank/fuse.ts';
import { isOfIntent, detectIntent, type QueryIntent, type SourceNames } from './query/intent.ts';
import { containsPhrases } from './query/phrases.ts';
import type { Hit } from './rank/hit.ts';
import { parseQuery, requiredPhrases, type ParsedQuery } from './query/parse.ts';
import { rank } from './rank/rank.ts';
import type { Ranking } from './rank/ranking.ts';
import {
  retrieve,
  type Correction,
  type MissingSignal,
  type RetrievalResult,
  type VectorIndexRef,
} from './retrieve/retrieve.ts';
import { smooth, type Smoothed } from './rank/smooth.ts';
import { NO_POLICIES, policyOf, type SourcePolicies } from './rank/source-policy.ts';

export interface SearchInput {
  readonly store: Store;
  readonly namespace: string;
  readonly query: string;
  readonly filter: SearchFilter;
  readonly limit: number;
  readonly ranking: Ranking;
  readonly vectors: VectorIndexRef | null;
  /** What holds for single vaults and sources; the others go by what is usual. */
  readonly policies?: SourcePolicies;
  /** Queries may call sources by these. */
  readonly names?: SourceNames;
  /** Documents of sources to show beside the results; none unless given. */
  readonly related?: RelatedOptions;
  readonly signal?: AbortSignal;
}

export interface SearchOutcome {
  readonly query: ParsedQuery;
  readonly hits: readonly Hit[];
  /** Documents of sources that belong to what was found and have no room among the hits that are shown. */
  readonly related: readonly Hit[];
  /** What would stand among the hits, but scores below what its source asks for. */
  readonly belowMinScore: readonly Hit[];
  readonly retrieved: RetrievalResult;
  readonly corrections: readonly Correction[];
  readonly missing: readonly MissingSignal[];
}

/** Searches whose passages are replaced between two of their stages begin anew, so often at most. */
const MAX_ATTEMPTS = 4;

const NO_NAMES: SourceNames = new Map();

/** What is left of the confidence where a query asks for days alone, and nothing is of them. */
const OTHER_DAYS_FACTOR = 0.1;

/** One hit a record, best first. */
export async function runSearch(input: SearchInput): Promise<SearchOutcome> {
  for (let attempt = 1; ; attempt++) {
    const { outcome, overtaken } = await attemptSearch(input);
    if (!overtaken || attempt === MAX_ATTEMPTS) return outcome;
  }
}

/** `overtaken` when what a signal found is not there any more: its record was written or derived anew meanwhile. */
async function attemptSearch(input: SearchInput): Promise<{ outcome: SearchOutcome; overtaken: boolean }> {
  const { ranking, limit, policies = NO_POLICIES, names = NO_NAMES } = input;
  const query = parseQuery(input.query);
  const dates = ranking.dateBoost > 0 ? detectDates(query.text, input.filter.now) : [];
  const asked = ranking.kindBoost > 0 ? detectIntent(query, dates, names, input.filter.now) : null;
  const retrieved = await retrieve(query, { ...input, dates, intent: asked });
  const { intent: kind, corrections, missing } = retrieved;
  const vector = ranking.weights.vector * retrieved.modelCoverage;
  const fused = fuse(retrieved.lists, { ...ranking, weights: { ...ranking.weights, vector } });
  const top = fused.filter(({ passage }, i) => i < ranking.pool || retrieved.constrainedMatches.has(passage));
  // Side by side: only turns of sessions bring in more than these.
  const [pool, ofTop] = await Promise.all([smoothed(fused, top, input), passagesOf(top, input)]);
  const known = new Set(top.map(({ passage }) => passage));
  const brought = pool.filter(({ passage }) => !known.has(passage));
  const passages = [...ofTop, ...(brought.length === 0 ? [] : await passagesOf(brought, input))];
  const there = new Set(passages.map(({ id }) => id));
  const held = pool.every(({ passage, contributions }) => contributions.length === 0 || there.has(passage));
  const required = requiredPhrases(query);
  const fit = passages.filter((passage) => containsPhrases(passage, required) && fitsIntent(passage, kind));
  const daysAlone = dates.length > 0 && (kind?.listOnly === true || isDateOnlyQuery(query.terms, dates));
  const ofThose = daysAlone ? passagesOfDates(fit, dates) : fit;
  const shown = ofThose.length > 0 ? ofThose : fit;
  const ranked = rank(query, pool, shown, { ranking, dates, kind, now: input.filter.now, policies });
  // Nothing is of the days that were asked for: what there is of others is hardly meant.
  const doubt = shown === ofThose ? 1 : OTHER_DAYS_FACTOR;
  const sure = withConfidence(ranked, retrieved, { dates, kind, doubt });
  // What is left out takes nobody's place.
  const hits = sure.filter((hit) => !isBelowMinScore(hit, policies)).slice(0, limit);
  const weak = sure.slice(0, limit).filter((hit) => isBelowMinScore(hit, policies));
  const related =
    daysAlone || kind?.listOnly === true ? [] : await findRelated(input, sure, retrieved, required);
  return {
    outcome: { query, hits, related, belowMinScore: weak, retrieved, corrections, missing },
    overtaken: !held,
  };
}

function findRelated(
  input: SearchInput,
  sure: readonly Hit[],
  retrieved: RetrievalResult,
  required: readonly TextTerm[],
): Promise<Hit[]> {
  const { related, policies = NO_POLICIES } = input;
  if (related === undefined) return Promise.resolve([]);
  const hits = sure.filter((hit) => !isBelowMinScore(hit, policies));
  return relatedDocuments(input, related, {
    hits,
    retrieved,
    matchesPhrases: (passage) => containsPhrases(passage, required),
  });
}

function isBelowMinScore({ passage, confidence }: Hit, policies: SourcePolicies): boolean {
  return confidence < (policyOf(passage.record, policies)?.minScore ?? 0);
}

/** Where documents of a kind are asked for and nothing else, those of other kinds are not. */
function fitsIntent({ record }: StoredPassage, kind: QueryIntent | null): boolean {
  return kind?.listOnly !== true || record.origin !== 'source' || isOfIntent(record, kind);
}

/** What is of the days, and what names them: as the query does, or a day as ISO 8601 does. */
function passagesOfDates(
  passages: readonly StoredPassage[],
  dates: readonly DateRange[],
): readonly StoredPassage[] {
  const written = dates
    .filter(({ text }) => /\d/.test(text))
    .flatMap(({ text, from, until }) => (until - from > LONGEST_DAY ? [text] : [text, isoDay(from)]))
    .map((text) => ({ terms: analyze(text).map(({ term }) => term), prefix: false }));
  return passages.filter(
    (passage) =>
      dateOf(passage, dates) !== undefined || written.some((date) => containsPhrases(passage, [date])),
  );
}

/** The day on which summer time ends has an hour more. */
const LONGEST_DAY = 25 * 3_600_000;

function isoDay(time: Timestamp): string {
  const day = new Date(time);
  const parts = [day.getFullYear(), day.getMonth() + 1, day.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}

function passagesOf(
  entries: readonly Fused[],
  { store, namespace, filter }: SearchInput,
): Promise<StoredPassage[]> {
  return store.passages(
    namespace,
    entries.map(({ passage }) => passage),
    filter,
  );
}

async function smoothed(
  fused: readonly Fused[],
  top: readonly Fused[],
  { store, namespace, ranking }: SearchInput,
): Promise<Smoothed[]> {
  if (ranking.smoothing === null) return top.map((entry) => ({ ...entry, rawScore: entry.score }));
  const neighbourhoods = await store.neighbours(
    namespace,
    top.map(({ passage }) => passage),
    { before: 1, after: 2 },
  );
  const scored = new Map(fused.map((entry) => [entry.passage, entry]));
  return smooth(scored, top, neighbourhoods, ranking.smoothing).slice(0, top.length);
}

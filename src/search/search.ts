import { analyze } from '../core/text/analyze.ts';
import type { BelongsTo } from '../store/graph-model.ts';
import type { StoredPassage } from '../store/search-model.ts';
import { isList, type SearchOptions, type SearchRun, type StartedRun, startRun } from './run.ts';
import { isDateOnlyQuery, writtenDays, type DateRange } from './query/dates.ts';
import { isOfIntent } from './query/intent.ts';
import { requiredPhrases } from './query/parse.ts';
import { containsPhrases } from './query/phrases.ts';
import { dateOf, roleOf } from './rank/boosts.ts';
import { confidenceOf, confidenceRater, partsOf, type Hit } from './rank/confidence.ts';
import {
  limitHits,
  orderByConfidence,
  originalsFirst,
  rerankBest,
  withoutRepetition,
} from './final-order.ts';
import { TYPICAL_EVIDENCE } from './rank/confidence-weights.ts';
import { QueryCoverage, weighByCoverage } from './rank/coverage.ts';
import { fuse, type Fused, smooth, type Smoothed, weighShortTurns } from './rank/fuse.ts';
import { rank, type Ranked } from './rank/rank.ts';
import { rememberingStore } from './ahead.ts';
import { followBridges, readBridges } from './bridge.ts';
import { type RankedSearch, readCandidates } from './candidates.ts';
import { newestFirst } from './newest-first.ts';
import { linkedNotes, type LinkEvidence } from './linked-notes.ts';
import { candidateEdges, relatedDocuments, type RelatedDocument } from './related.ts';
import { laterVector, type RetrievalResult, retrieveCandidates, scoresOf } from './retrieve/retrieve.ts';
import { bestFirst } from './retrieve/signals.ts';
import { raiseByStatements, statementCosines, withoutUnknown } from './retrieve/vectors.ts';

export interface SearchOutcome extends RankedSearch {
  /** One for each record, best first. */
  readonly hits: readonly Hit[];
  /** Documents of sources that belong to the best note and are not among the hits, best first. */
  readonly related: readonly RelatedDocument[];
  /** Hits among the best `limit` that were dropped because of the run's `minScore`. */
  readonly belowMinScore: readonly Hit[];
  /** Hits among the best `limit` that were dropped because of the `minScore` of their vault or source. */
  readonly belowSourceMinScore: readonly Hit[];
  /** What else must be said about the answer. */
  readonly notices: readonly string[];
}

/** How often a search starts again because the passages that it found were replaced meanwhile. */
const MAX_ATTEMPTS = 4;

export async function runSearch(options: SearchOptions): Promise<SearchOutcome> {
  for (let attempt = 1; ; attempt++) {
    const { outcome, isOvertaken } = await attemptSearch(options);
    if (!isOvertaken || attempt === MAX_ATTEMPTS) return outcome;
  }
}

async function attemptSearch(
  options: SearchOptions,
): Promise<{ readonly outcome: SearchOutcome; readonly isOvertaken: boolean }> {
  const { store } = options;
  const started = await withoutExcluded(
    startRun(store.capabilities.isRemote ? { ...options, store: rememberingStore(store) } : options),
  );
  if (started.listsAll) return { outcome: await listNewest(started), isOvertaken: false };
  const retrieved = await retrieveCandidates(started);
  const { query, intent, vectors } = retrieved;
  const run: SearchRun = { ...started, query, queryTerms: queryTermsOf(retrieved), intent, vectors };
  const coverage = new QueryCoverage(run, retrieved);
  const { pool, passages, edges, links, isOvertaken, damaged } = await loadPool(run, retrieved, coverage);
  const { selected, confidenceFactor } = select(run, passages);
  const found = rank(run, pool, selected, links);
  const list = isList(run);
  const bridged = list ? found : await followBridges(run, retrieved, found);
  const rate = confidenceRater(run, bridged, retrieved, { isList: list, factor: confidenceFactor }, coverage);
  const ordered = list ? bridged : orderByConfidence(bridged, rate, run.ranking);
  const { reranker, signal } = run;
  const { ranked, notice } =
    list || reranker === null
      ? { ranked: ordered, notice: null }
      : await rerankBest(reranker, query.text, ordered, signal);
  const rateOnce = (hit: Ranked | Hit): Hit => ('confidence' in hit ? hit : rate(hit));
  const newest = list
    ? ranked
    : await newestFirst({ run, retrieved, coverage }, await withoutRepetition(run, ranked), rateOnce);
  const limited = limitHits(run, originalsFirst(newest, rateOnce), rateOnce);
  const related =
    list || limited.hits.length === 0 ? [] : await relatedDocuments(run, limited.eligible, edges, coverage);
  const { hits, belowMinScore, belowSourceMinScore } = limited;
  const notices = [...run.notices, run.vectors?.notice, notice, damageNotice(damaged)].filter(
    (each) => typeof each === 'string',
  );
  return {
    outcome: {
      run,
      retrieved,
      coverage,
      passages,
      hits,
      related,
      belowMinScore,
      belowSourceMinScore,
      notices,
    },
    isOvertaken,
  };
}

/** More passages than a store has. */
const UNLIMITED = 1e9;

/** Leaves out the records that have an excluded word or phrase in one of their passages. */
async function withoutExcluded(run: StartedRun): Promise<StartedRun> {
  const { store, namespace, filter, excluded, ranking } = run;
  if (excluded.length === 0) return run;
  const text = { any: excluded, all: [], weights: ranking.fields };
  const { lists } = await store.search.retrieve(namespace, {
    queries: [{ by: 'text', text, filter: { now: filter.now }, limit: UNLIMITED }],
  });
  const excludedRecords = [...new Set(scoresOf(lists).map(({ record }) => record))];
  return { ...run, filter: { ...filter, excludedRecords } };
}

/** All records that pass the filter, newest first, for a query without words. All of them match it equally well. */
async function listNewest(started: StartedRun): Promise<SearchOutcome> {
  const { store, namespace, filter, limit } = started;
  const run: SearchRun = { ...started, vectors: await started.vectors };
  const { lists, passages } = await store.search.retrieve(namespace, {
    queries: [{ by: 'time', undated: true, filter, limit }],
    load: true,
  });
  const scores = scoresOf(lists).toSorted(bestFirst);
  const byId = new Map(passages.map((passage) => [passage.id, passage]));
  const parts = partsOf({ ...TYPICAL_EVIDENCE, match: 1 }, 0);
  const confidenceParts = { ...parts, match: { cosine: null, coverage: 1 }, modelCoverage: 0, factor: 1 };
  const confidence = confidenceOf(confidenceParts);
  const listed = scores.flatMap(({ passage: id, score: raw }, i): Hit[] => {
    const passage = byId.get(id);
    const [score, boosts] = [1 / (i + 1), []];
    const contributions = [{ signal: 'recency' as const, rank: i + 1, raw, added: score }];
    return passage === undefined
      ? []
      : [{ passage, score, contributions, boosts, links: null, confidence, confidenceParts }];
  });
  const { hits, belowMinScore, belowSourceMinScore } = limitHits(run, listed, (hit) => hit as Hit);
  const retrieved: RetrievalResult = {
    ...{ query: run.query, intent: null, vectors: run.vectors, vector: null, modelCoverage: 0 },
    ...{ lists: [{ signal: 'recency', scores }], corrections: [], terms: [], missing: [] },
    ...{
      notEmbedded: new Set(),
      hasSessions: false,
      constrainedMatches: new Set(scores.map(({ passage }) => passage)),
    },
  };
  const coverage = new QueryCoverage(run, retrieved);
  return {
    run,
    retrieved,
    coverage,
    passages,
    hits,
    related: [],
    belowMinScore,
    belowSourceMinScore,
    notices: run.notices,
  };
}

/** The index terms of the query's words, with their inflections. */
function queryTermsOf({ query, terms }: RetrievalResult): Set<string> {
  const variants = terms.flatMap((term) => term.variants ?? []);
  const words = query.terms.flatMap(({ terms: own, alternatives = [] }) => [
    ...own,
    ...alternatives.flatMap((each) => each.terms),
  ]);
  return new Set([...words, ...variants]);
}

interface LoadedPool {
  /** The best passages, scored. */
  readonly pool: readonly Smoothed[];
  readonly passages: readonly StoredPassage[];
  /** The edges of documents to the records that may rank first. */
  readonly edges: readonly BelongsTo[];
  /** What the links of other notes say, by record. */
  readonly links: ReadonlyMap<number, LinkEvidence>;
  /** Whether a record was replaced or deleted after a signal had found it. */
  readonly isOvertaken: boolean;
  /** Records that are left out because they cannot be read. */
  readonly damaged: ReadonlySet<number>;
}

function damageNotice(damaged: ReadonlySet<number>): string | null {
  if (damaged.size === 0) return null;
  const names = Array.from(damaged, (record) => `record/${String(record)}`).join(', ');
  return `left out, because what is stored of it is damaged: ${names}; \`loci doctor\` says more`;
}

/** Fuses the signals' lists and loads the best passages. */
async function loadPool(
  run: SearchRun,
  retrieved: RetrievalResult,
  coverage: QueryCoverage,
): Promise<LoadedPool> {
  const { store, namespace, filter, ranking } = run;
  const vector = ranking.weights.vector * retrieved.modelCoverage;
  const fuseLists = (lists: RetrievalResult['lists']): Fused[] =>
    fuse(lists, { ...ranking, weights: { ...ranking.weights, vector } }, retrieved.notEmbedded);
  const found = fuseLists(retrieved.lists);
  const top = found.filter(({ passage }, i) => i < ranking.pool || retrieved.constrainedMatches.has(passage));
  const { smoothing } = ranking;
  const topIds = top.map(({ passage }) => passage);
  const reach = smoothing === null || !retrieved.hasSessions ? undefined : SMOOTHING_REACH;
  const search = { run, retrieved, coverage, passages: [] };
  if (run.ahead?.shows === true && store.capabilities.isRemote)
    readShown(search, [...new Set(found.map(({ record }) => record))]);
  const [loaded, edges, statements] = await Promise.all([
    store.search.passages(namespace, topIds, filter, reach),
    candidateEdges(run, found),
    statementCosines(run, { vector: laterVector(retrieved), hasSessions: retrieved.hasSessions }, topIds),
  ]);
  const lists = raiseByStatements(retrieved.lists, loaded.passages, statements, ranking.statementShare);
  const fused = lists === retrieved.lists ? found : fuseLists(lists);
  const known = withoutUnknown(fused, loaded.passages, run.vectors);
  const ofTurns = weighShortTurns(known, loaded.passages, ranking);
  const weighed = weighByCoverage(ofTurns, loaded.passages, loaded.neighbourhoods, coverage, ranking);
  const scored = new Map(weighed.map((entry) => [entry.passage, entry]));
  const isTop = new Set(topIds);
  const weighedTop = weighed.filter(({ passage }) => isTop.has(passage));
  const byId = new Map(loaded.passages.map((passage) => [passage.id, passage]));
  const pool =
    smoothing === null
      ? weighedTop.map((entry) => ({ ...entry, rawScore: entry.score }))
      : smooth(scored, weighedTop, loaded.neighbourhoods, smoothing, (id) => roleOf(byId.get(id))).slice(
          0,
          top.length,
        );
  const passages = [...new Set([...topIds, ...pool.map(({ passage }) => passage)])].flatMap(
    (id) => byId.get(id) ?? [],
  );
  const damaged = new Map(loaded.damaged.map(({ passage, record }) => [passage, record]));
  // Signals apply the filter themselves, so a passage that a signal found was replaced or deleted, not filtered out.
  const isOvertaken = pool.some(
    ({ passage, contributions }) => !byId.has(passage) && contributions.length > 0 && !damaged.has(passage),
  );
  const [linked] = await Promise.all([
    linkedNotes(run, retrieved, pool, passages),
    run.store.capabilities.isRemote ? readBeforeLinks({ run, retrieved, coverage, passages }, pool) : null,
  ]);
  return {
    pool: [...pool, ...linked.passages.map(withoutSignals)],
    passages: [...passages, ...linked.passages],
    edges,
    links: linked.evidence,
    isOvertaken,
    damaged: new Set(damaged.values()),
  };
}

/** Reads what the search will need, as far as links change nothing. */
async function readBeforeLinks(search: RankedSearch, pool: readonly Smoothed[]): Promise<void> {
  const { run, retrieved, passages } = search;
  if (isList(run)) return;
  const { selected, confidenceFactor } = select(run, passages);
  const ranked = rank(run, pool, selected, new Map());
  await Promise.all([
    readBridges(run, retrieved, ranked).catch(() => undefined),
    readAhead(search, ranked, confidenceFactor),
  ]);
}

/** The results whose passages are compared once more: those that are shown first. */
const SHOWN_FIRST = 10;

/**
 * Reads what follows these results if their order stays as it is. It does not wait for the passages that will be shown, which need
 * what is compared before them. A failure is that of the stage that asks for it again.
 */
async function readAhead(search: RankedSearch, ranked: readonly Ranked[], factor: number): Promise<void> {
  const { run, retrieved, coverage } = search;
  const { store, namespace, ranking, ahead } = run;
  if (ranked.length === 0) return;
  const rate = confidenceRater(run, ranked, retrieved, { isList: false, factor }, coverage);
  const hits = orderByConfidence(ranked, rate, ranking).map(({ passage }) => passage);
  const vector = laterVector(retrieved);
  const newest = ranking.newest === null ? [] : hits.slice(0, ranking.newest.results);
  if (ahead?.shows === true)
    readShown(
      search,
      hits.map(({ record }) => record.id),
    );
  await Promise.allSettled([
    vector === null
      ? null
      : store.vectors.ofPassages(
          namespace,
          vector.generation,
          newest.map(({ id }) => id),
        ),
    ahead?.read(
      store,
      hits.map(({ record }) => record),
    ),
  ]);
}

/** @param records best first */
function readShown(search: RankedSearch, records: readonly number[]): void {
  readCandidates(search, records.slice(0, SHOWN_FIRST)).catch(() => undefined);
}

function withoutSignals({ id, record }: StoredPassage): Smoothed {
  return { passage: id, record: record.id, score: 0, rawScore: 0, contributions: [] };
}

/** A turn of a session receives shares of the scores of the two turns before it and of the one after it. */
const SMOOTHING_REACH = { before: 1, after: 2 };

interface Selection {
  readonly selected: readonly StoredPassage[];
  readonly confidenceFactor: number;
}

/** Applies when a query asks only for dates and no passage has them: passages of other dates are unlikely to be relevant. */
const OTHER_DATES_FACTOR = 0.1;

/** Keeps the passages that have the required phrases and are of the document types and dates that the query asks for. */
function select({ query, dates, intent }: SearchRun, passages: readonly StoredPassage[]): Selection {
  const phrases = requiredPhrases(query);
  const withPhrases =
    phrases.length === 0 ? passages : passages.filter((each) => containsPhrases(each, phrases));
  const ofTypes =
    intent?.listOnly === true
      ? withPhrases.filter(({ record }) => record.origin !== 'source' || isOfIntent(record, intent))
      : withPhrases;
  const isDateOnly = dates.length > 0 && (intent?.listOnly === true || isDateOnlyQuery(query.terms, dates));
  if (!isDateOnly) return { selected: ofTypes, confidenceFactor: 1 };
  const ofDates = passagesOfDates(ofTypes, dates);
  if (ofDates.length > 0) return { selected: ofDates, confidenceFactor: 1 };
  return { selected: ofTypes, confidenceFactor: ofTypes.length === 0 ? 1 : OTHER_DATES_FACTOR };
}

/** The passages of records of these dates, and those whose text has a date in the words of the query or in ISO 8601. */
function passagesOfDates(
  passages: readonly StoredPassage[],
  dates: readonly DateRange[],
): readonly StoredPassage[] {
  const asWritten = dates
    .filter(({ text }) => /\d/.test(text))
    .map(({ text }) => ({ terms: analyze(text).map(({ term }) => term), prefix: false }));
  const dateTerms = [...asWritten, ...writtenDays(dates)];
  return passages.filter(
    (passage) =>
      dateOf(passage, dates) !== undefined || dateTerms.some((date) => containsPhrases(passage, [date])),
  );
}

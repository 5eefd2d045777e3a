import { LociError } from '../../core/errors.ts';
import { dayText } from '../../core/time/whole-day.ts';
import { stem } from '../../core/text/analyze.ts';
import type { Reranker } from '../../embed/rerank/reranker.ts';
import { matchedTerms } from '../../search/query/phrases.ts';
import { CLASSIC_RANKING, DEFAULT_RANKING, type Ranking } from '../../search/rank/ranking.ts';
import { type MissingSignal, NOT_ALL_EMBEDDED } from '../../search/retrieve/signals.ts';
import type { ReadAhead, VectorIndexRef } from '../../search/run.ts';
import { runSearch, type SearchOutcome } from '../../search/search.ts';
import { shownPassages, type ShownPassages } from '../../search/shown-passages.ts';
import { hasProse } from '../../sources/markdown/plain-text.ts';
import type { Hit } from '../../search/rank/confidence.ts';
import type { RecordHeader, SearchFilter } from '../../store/search-model.ts';
import type { EngineContext, EngineServices } from '../context.ts';
import { storeFilters } from '../fields/record-fields.ts';
import { millisecondsSince } from '../fields/times.ts';
import { DelayedWrites } from '../shared/delayed-writes.ts';
import { expire } from '../shared/retention.ts';
import { vectorsOf } from '../embedding/models.ts';
import { sourceOrigins } from '../reading/configured/source-origin.ts';
import {
  audienceOf,
  hiddenSources,
  knownSources,
  sourcePolicies,
  excludeSources,
  type Audience,
} from '../reading/configured/source-policies.ts';
import { embeddingProcess } from '../embedding/backfill.ts';
import { citationOfLines, readingFrom, wholeCitations } from '../shared/citations.ts';
import type { SearchInput, SearchOutput, SearchResultOutput } from './results/search-fields.ts';
import { formatHit } from './results/search-result.ts';
import { countStrong } from './results/search-messages.ts';
import { unmatchedFilters, reasonsForNothing, undatedNotice } from './results/why-nothing.ts';
import { validUntil } from '../../core/valid-until.ts';
import { hitChanges } from '../../store/items/kinds.ts';

export interface SearchRequest extends Omit<SearchFilter, 'now'> {
  readonly query: string;
  /** Whether somebody typed the query, so that it may have operators, such as `path:x`; not unless given. */
  readonly operators?: boolean;
  /** Maximum number of results; the configured one unless given. */
  readonly limit?: number;
  /** Maximum number of related documents, at most `limit`; the configured one unless given. */
  readonly related?: number;
  /** Results with a lower score are left out; the configured threshold unless given. 0 to 1. */
  readonly minScore?: number;
  /** `context` leaves out the sources that the settings keep out of a model's context. By `audienceOf` unless given. */
  readonly audience?: Audience;
  /** What differs from the ranking of the settings. */
  readonly ranking?: Partial<Ranking>;
  /** What the caller will read of the results. */
  readonly ahead?: ReadAhead;
  readonly signal?: AbortSignal;
}

interface SearchOptions {
  readonly signal?: AbortSignal;
}

const READ_ONLY =
  'the memory is read-only here, so that it is as it was when it was last written: notes that have changed since are not read, and nothing is recorded';

/** @throws LociError `invalid_input` for an empty query, and the errors of the store */
export async function search(...parameters: Parameters<typeof searchWithOutcome>): Promise<SearchOutput> {
  return (await searchWithOutcome(...parameters)).output;
}

/** A search with the hits of its results. @throws LociError as `search` */
export async function searchWithOutcome(
  context: EngineContext,
  given: SearchInput,
  { signal }: SearchOptions = {},
): Promise<{ readonly output: SearchOutput; readonly outcome: SearchOutcome }> {
  const started = performance.now();
  const { query, limit, related, min_score, explain, ...rest } = given;
  const filter = filterOf(rest);
  const outcome = await searchOutcome(context, {
    ...{ ...filter, query, operators: true },
    ...(limit !== undefined && { limit }),
    ...(related !== undefined && { related }),
    ...(min_score !== undefined && { minScore: min_score }),
    ...(signal !== undefined && { signal }),
    ahead: {
      shows: true,
      read: (store, records) => wholeCitations(readingFrom(context, store), records),
    },
  });
  const { hits, retrieved, run, notices } = outcome;
  const results = await searchResults(context, outcome, explain);
  const missing = await explainedMissing(context, retrieved.missing);
  const took_ms = millisecondsSince(started);
  const isEmpty = hits.length === 0;
  // Of sources that are hidden, the search says nothing.
  const { excludedSources: _, ...conditions } = run.filter;
  const nothing = isEmpty ? await reasonsForNothing(context, conditions, outcome) : null;
  const output: SearchOutput = {
    query,
    results: results.slice(0, hits.length),
    strong: countStrong(results.slice(0, hits.length)),
    related: results.slice(hits.length).map((result, i) => {
      const { record: id, title } = outcome.related[i]!.belongsTo;
      return { ...result, belongs_to: { id, title } };
    }),
    corrections: knownCorrections(context, outcome),
    missing: [...missing],
    notices: [
      ...(context.store.capabilities.readOnly ? [READ_ONLY] : []),
      ...notices,
      ...(await undatedNotice(context, conditions, nothing)),
    ],
    unmatched: isEmpty ? await unmatchedFilters(context, conditions) : [],
    nothing,
    provider: providerOf(run),
    took_ms,
  };
  return { output, outcome };
}

/**
 * The corrections of words that the caller may know. The vocabulary has the words of all records, and so those of sources that an agent
 * does not see: it learns only what its results have.
 */
function knownCorrections(
  { caller }: EngineContext,
  { retrieved, hits, related }: SearchOutcome,
): SearchOutput['corrections'] {
  const shown = [...hits, ...related];
  const isKnown = (word: string): boolean =>
    caller.trust === 'operator' ||
    shown.some(({ passage }) => matchedTerms(passage, new Set([stem(word)])).size > 0);
  return retrieved.corrections.flatMap(({ word, replacements }) => {
    const instead = replacements.filter(isKnown);
    return instead.length === 0 ? [] : [{ word, instead }];
  });
}

function filterOf({
  category,
  record_type,
  ...given
}: Omit<SearchInput, 'query' | 'limit' | 'related' | 'min_score' | 'explain'>): Omit<SearchFilter, 'now'> {
  return {
    ...storeFilters(given),
    ...(category !== undefined && { categories: [category] }),
    ...(record_type !== undefined && { recordTypes: [record_type] }),
  };
}

/** Says which process is embedding what has no vector yet. */
async function explainedMissing(
  context: EngineContext,
  missing: readonly MissingSignal[],
): Promise<readonly MissingSignal[]> {
  if (!missing.includes(NOT_ALL_EMBEDDED)) return missing;
  const process = await embeddingProcess(context);
  // The bundled model refuses no text.
  if (process === null && context.config.embedding.provider === 'local') return missing;
  const why =
    process === null
      ? `${NOT_ALL_EMBEDDED.why}, or says why the provider refuses it`
      : `some of what matches has no vector yet: ${process} is embedding it; \`loci status\` shows how far it is`;
  return missing.map((each) => (each === NOT_ALL_EMBEDDED ? { ...each, why } : each));
}

/** Provider and model of the vectors that a search used, or `none`. */
function providerOf({ vectors }: Pick<SearchOutcome['run'], 'vectors'>): string {
  return vectors === null ? 'none' : `${vectors.embedder.provider}/${vectors.embedder.model}`;
}

/**
 * The hits of a search that the caller may see, with their passages.
 * @param vectors another index than that of all searches, to compare models; `null` for none
 */
export async function searchOutcome(
  context: EngineContext,
  request: SearchRequest,
  vectors?: VectorIndexRef | null,
): Promise<SearchOutcome> {
  const { query, operators = false, limit: requestedLimit, minScore, related, ...others } = request;
  const { signal, audience, ranking, ahead, ...filter } = others;
  if (query.trim() === '') throw new LociError('invalid_input', 'the query is empty');
  const { caller, config, namespace, store } = context;
  const now = context.now();
  await expire(context);
  const { vaults, sources, conversations, isCurrent } = await knownSources(context);
  const all = [...sources, ...conversations];
  const hidden = hiddenSources(vaults, all, audience ?? audienceOf(caller, filter));
  const policies = sourcePolicies(vaults, all);
  const reranker = await usableReranker(context);
  const limit = requestedLimit ?? config.search.limit;
  const outcome = await runSearch({
    store,
    namespace,
    ...{ query, operators },
    filter: { ...excludeSources(filter, hidden), now },
    limit,
    minScore: minScore ?? config.search.minScore,
    ranking: { ...rankingOf(config.search), ...ranking },
    vectors: vectors === undefined ? vectorsOf(context) : vectors,
    policies,
    reranker,
    deadlineMs: config.search.deadline === 0 ? undefined : config.search.deadline,
    sourceNames: new Map(sources.map(({ id, name }) => [id, name ?? id])),
    ...(sources.length > 0 && {
      related: {
        resultLimit: limit,
        limit: Math.min(related ?? config.search.related, limit),
        // The request does not ask for related documents, so they are chosen as for a model's context.
        excludedSources: hiddenSources(vaults, all, 'context'),
      },
    }),
    ...(signal === undefined ? {} : { signal }),
    ...(ahead !== undefined && { ahead }),
  });
  if (!(await isCurrent)) return searchOutcome(context, request, vectors);
  return { ...outcome, hits: currentFirst(outcome.hits) };
}

/** The reranker. If the settings of it are wrong, it refuses every request: the order of the search is good enough without it. */
async function usableReranker(context: EngineContext): Promise<Pick<Reranker, 'provider' | 'rerank'> | null> {
  try {
    return await context.shared(OpenedReranker).reranker;
  } catch (error) {
    if (!(error instanceof LociError) || error.code !== 'invalid_config') throw error;
    const refusal = new LociError('embedding_unavailable', error.message, { cause: error });
    return { provider: context.config.rerank.provider, rerank: () => Promise.reject(refusal) };
  }
}

/** The configured reranker, which is opened at the first search; `null` for `none`. */
class OpenedReranker {
  readonly reranker: Promise<Reranker | null>;

  constructor(services: EngineServices) {
    const settings = services.config.rerank;
    this.reranker =
      settings.provider === 'none'
        ? Promise.resolve(null)
        : import('../../embed/rerank/registry.ts').then(({ openReranker }) => openReranker(settings));
    services.closeWithStore(this);
  }

  async close(): Promise<void> {
    await (await this.reranker.catch(() => null))?.close();
  }
}

/** The results of the hits, then those of the related documents. */
export async function searchResults(
  context: EngineContext,
  outcome: SearchOutcome,
  explain = false,
): Promise<SearchResultOutput[]> {
  const hits = [...outcome.hits, ...outcome.related];
  const records = hits.map(({ passage }) => passage.record);
  context.shared(HitCounter).count(context.namespace, records.flatMap(vaultOrSource));
  const [shown, citations, origins] = await Promise.all([
    shownOf(outcome, hits),
    wholeCitations(readingFrom(context, outcome.run.store), records),
    sourceOrigins(context, records),
  ]);
  const options = { terms: highlightedTerms(outcome), now: outcome.run.filter.now, explain };
  const cite = (i: number, { passage: { record }, ...lines }: ShownPassages['best']): string =>
    citationOfLines(citations[i]!, { record, ...lines });
  const citationOf = new Map(records.map(({ id }, i) => [id, cite(i, shown[i]!.best)]));
  return hits.map((hit, i) => {
    const { later } = hit;
    const { best, second } = shown[i]!;
    const ofLater = later && citationOf.get(later.record);
    return formatHit(
      {
        ...{ hit, passages: shown[i]!, from: origins[i] ?? null },
        ...{ citation: cite(i, best), secondCitation: cite(i, second ?? best) },
        ...(ofLater !== undefined && {
          later: { id: later!.record, citation: ofLater, date: dayText(later!.time) },
        }),
      },
      i + 1,
      options,
    );
  });
}

/** Results whose passages are chosen, which takes time for each: the first ones are read. */
const MAX_CHOSEN = 5;

/** What is shown of each hit. Weak ones show the passage that matched, unless that has nothing to read. */
export async function shownOf(outcome: SearchOutcome, hits: readonly Hit[]): Promise<ShownPassages[]> {
  const strong = countStrong(outcome.hits.map(({ confidence }) => ({ score: confidence })));
  const wanted = outcome.hits.filter(({ passage }, i) => i < Math.max(1, strong) || !hasProse(passage.text));
  const chosen = await shownPassages(outcome, wanted.slice(0, MAX_CHOSEN));
  return hits.map(({ passage }) => {
    const { startLine, endLine, record } = passage;
    return chosen.get(record.id) ?? { best: { passage, startLine, endLine }, second: null };
  });
}

/** The `source` of a memory is its author: it is not counted. */
function vaultOrSource({ origin, source }: RecordHeader): string[] {
  return origin === 'vault' || origin === 'source' ? [source] : [];
}

/** The ranking of the preset, with the weights of the configuration. */
function rankingOf(settings: EngineContext['config']['search']): Ranking {
  const preset = settings.preset === 'classic' ? CLASSIC_RANKING : DEFAULT_RANKING;
  return { ...preset, weights: { ...preset.weights, ...settings.weights } };
}

/** The terms of the query that results show. */
export function highlightedTerms({ run, retrieved: { corrections } }: SearchOutcome): Set<string> {
  const { phrases, symbols } = run.query;
  const terms = [...run.queryTerms, ...[...phrases, ...symbols].flatMap(({ terms: words }) => words)];
  const replacements = corrections.flatMap((correction) => correction.replacements.map(stem));
  return new Set([...terms, ...replacements]);
}

/** Moves what has taken the place of a fact that has ended directly before it, if both were found. The other hits keep their order. */
export function currentFirst(hits: readonly Hit[]): readonly Hit[] {
  if (!hits.some((hit) => successorId(hit) !== null)) return hits;
  const byRecord = new Map(hits.toReversed().map((hit) => [hit.passage.record.id, hit]));
  const ordered = new Set<Hit>();
  const seen = new Set<Hit>();
  const place = (hit: Hit): void => {
    if (seen.has(hit)) return;
    seen.add(hit);
    const successor = byRecord.get(successorId(hit) ?? -1);
    if (successor !== undefined) place(successor);
    ordered.add(hit);
  };
  hits.forEach(place);
  return [...ordered];
}

/** The number of the record that has taken the place of this one; `null` if it is true, as far as is known. */
function successorId({ passage: { record } }: Hit): number | null {
  const { superseded_by: successor } = record.metadata;
  if (validUntil(record) === null || typeof successor !== 'string') return null;
  const [, id] = /^record\/(\d{1,15})$/.exec(successor) ?? [];
  return id === undefined ? null : Number(id);
}

/** Counts the searches that found records of a source (S11). */
class HitCounter extends DelayedWrites<readonly string[]> {
  constructor(services: EngineServices) {
    super(services, {
      delayMs: 5000,
      maxPending: 10_000,
      failure: 'Hits of sources were not counted',
      write: (store, namespace, searches) => {
        const hits = new Map<string, number>();
        for (const source of searches.flatMap((found) => [...new Set(found)]))
          hits.set(source, (hits.get(source) ?? 0) + 1);
        return store.records.commit(namespace, { items: hitChanges(hits, services.now()) });
      },
    });
  }

  /** @param sources the sources of the results of one search; duplicates count once */
  count(namespace: string, sources: readonly string[]): void {
    if (sources.length > 0) this.add(namespace, sources);
  }
}

import { ageOf } from '../../core/time/age.ts';
import { stem } from '../../core/text/analyze.ts';
import { LociError } from '../../core/errors.ts';
import type { Metadata, Origin, Timestamp, Trust } from '../../core/types.ts';
import type { Boost } from '../../search/rank/boosts.ts';
import type { Contribution } from '../../search/rank/fuse.ts';
import type { AnswerConfidence } from '../../search/rank/confidence.ts';
import { CLASSIC_RANKING, DEFAULT_RANKING, smoothingNorm, type Ranking } from '../../search/rank/ranking.ts';
import type { Correction, MissingSignal } from '../../search/retrieve/retrieve.ts';
import { runSearch, type SearchOutcome } from '../../search/search.ts';
import type { Hit } from '../../search/rank/hit.ts';
import { textOf } from '../../ingest/document-content.ts';
import { snippetWithProperties, type Snippet } from '../../search/explain/snippet.ts';
import type { SourcePolicies } from '../../search/rank/source-policy.ts';
import type { RecordHeader, SearchFilter } from '../../store/store.ts';
import { citationsOf } from './citation.ts';
import type { EngineContext } from '../context.ts';
import { propertiesOf } from './properties.ts';
import { sourceOrigins, type SourceOrigin } from '../sources/source-origin.ts';
import { hiddenSources, ownSources, sourcePolicies, withoutSources } from '../sources/source-policies.ts';

export interface SearchRequest extends Omit<SearchFilter, 'now'> {
  readonly query: string;
  /** Else the configured one. */
  readonly limit?: number;
  /** Documents of sources to show beside the results at most, and no more than `limit`; else the configured number. */
  readonly related?: number;
  /** Results that score below are left out; else the configured threshold. 0 to 1. */
  readonly minScore?: number;
  /** For a model's context, unasked: without the sources that the settings keep out of it. */
  readonly forContext?: boolean;
  readonly signal?: AbortSignal;
}

export interface SearchResult {
  readonly id: number;
  readonly title: string;
  /** `get` accepts it back. */
  readonly citation: string;
  readonly headings: readonly string[];
  readonly snippet: Snippet;
  /** 0 to 1: how sure Loci is that this is about what was asked; falls along the results. */
  readonly score: number;
  readonly createdAt: Timestamp;
  readonly age: string;
  readonly origin: Origin;
  readonly source: string;
  /** More of the source, where the origin is `source`. */
  readonly from: SourceOrigin | null;
  readonly trust: Trust;
  readonly project: string;
  readonly category: string;
  readonly recordType: string;
  readonly tags: readonly string[];
  readonly metadata: Metadata;
  readonly why: Explanation;
}

/** Each signal's rank and what it added, then what else spoke for the record: together its ranking score. */
export interface Explanation {
  readonly signals: readonly Contribution[];
  readonly boosts: readonly Boost[];
  /** What the turns beside it lent, or another passage of the record has more. */
  readonly neighbourContribution: number;
  /** Comparable within one search only. */
  readonly ranking: number;
  /** How the score follows from it. */
  readonly answerConfidence: AnswerConfidence;
}

export interface SearchResponse {
  readonly results: readonly SearchResult[];
  /** Documents of sources that belong to what was found and have no room among the results; best first. */
  readonly related: readonly SearchResult[];
  /** Misspelt words, and the known ones that were looked for as well. */
  readonly corrections: readonly Correction[];
  /** Signals that did not answer, and why. */
  readonly missing: readonly MissingSignal[];
  /** Results that score below the threshold and are left out, of those within the limit; `null` when there are none. */
  readonly hidden: HiddenResults | null;
  /** The same for thresholds that single vaults or sources have of their own; `minScore` of a request does not lower these. */
  readonly hiddenOfSources: readonly HiddenOfSource[];
  /** What made the vectors: provider and model; `none` when text alone was asked. */
  readonly provider: string;
  readonly milliseconds: number;
}

export interface HiddenResults {
  readonly results: number;
  /** The highest of their scores. */
  readonly best: number;
  /** The threshold. */
  readonly minScore: number;
}

export interface HiddenOfSource extends HiddenResults {
  readonly source: string;
}

/** @throws LociError `invalid_input` for an empty query, `embedding_mismatch`, and what the store throws */
export async function search(context: EngineContext, request: SearchRequest): Promise<SearchResponse> {
  const started = performance.now();
  const { query, limit, minScore, related, signal, forContext = false, ...filter } = request;
  if (query.trim() === '') throw new LociError('invalid_input', 'the query is empty');
  const { config, namespace, store } = context;
  const now = context.now();
  await context.expire();
  const ranking = rankingOf(config.search);
  const { vaults, sources } = await ownSources(context);
  const policies = sourcePolicies(vaults, sources);
  const vectors = await context.vectors();
  const room = limit ?? config.search.limit;
  const outcome = await runSearch({
    store,
    namespace,
    query,
    filter: { ...withoutSources(filter, hiddenSources(vaults, sources, forContext)), now },
    limit: room,
    ranking,
    vectors,
    policies,
    names: new Map(sources.map(({ id, name }) => [id, name ?? id])),
    // A memory without sources is searched as if there were none.
    ...(sources.length > 0 && {
      related: {
        resultLimit: room,
        limit: Math.min(related ?? config.search.related, room),
        // What stands beside the results was not asked for.
        excludedSources: hiddenSources(vaults, sources, true),
      },
    }),
    ...(signal === undefined ? {} : { signal }),
  });
  const threshold = minScore ?? config.search.minScore;
  const shown = outcome.hits.filter((hit) => hit.confidence >= threshold);
  // Beside nothing stands nothing.
  const besides = shown.length === 0 ? [] : outcome.related.filter((hit) => hit.confidence >= threshold);
  const found = await searchResults(context, [...shown, ...besides], {
    terms: termsOf(outcome),
    now,
    ranking,
  });
  return {
    results: found.slice(0, shown.length),
    related: found.slice(shown.length),
    corrections: outcome.corrections,
    missing: outcome.missing,
    hidden: hiddenBelow(
      threshold,
      outcome.hits.filter((hit) => hit.confidence < threshold),
    ),
    hiddenOfSources: hiddenOfSources(outcome.belowMinScore, policies),
    provider: vectors === null ? 'none' : `${vectors.embedder.provider}/${vectors.embedder.model}`,
    milliseconds: performance.now() - started,
  };
}

async function searchResults(
  context: EngineContext,
  hits: readonly Hit[],
  shared: FindContext,
): Promise<SearchResult[]> {
  const passages = hits.map(({ passage }) => passage);
  const records = passages.map(({ record }) => record);
  context.hits.count(context.namespace, records.flatMap(sourceOf));
  const [citations, origins] = await Promise.all([
    citationsOf(context, passages),
    sourceOrigins(context, records),
  ]);
  return hits.map((hit, i) => ({
    ...searchResult(hit, citations[i] ?? '', shared),
    from: origins[i] ?? null,
  }));
}

/** Vaults and sources; whoever wrote a memory is none. */
function sourceOf({ origin, source }: RecordHeader): string[] {
  return origin === 'vault' || origin === 'source' ? [source] : [];
}

function hiddenBelow(minScore: number, hits: readonly Hit[]): HiddenResults | null {
  const scores = hits.map(({ confidence }) => confidence);
  return scores.length === 0 ? null : { results: scores.length, best: Math.max(...scores), minScore };
}

function hiddenOfSources(weak: readonly Hit[], policies: SourcePolicies): HiddenOfSource[] {
  const bySource = Map.groupBy(weak, ({ passage }) => passage.record.source);
  return [...bySource].flatMap(([source, hits]) => {
    const hidden = hiddenBelow(policies.get(source)?.minScore ?? 0, hits);
    return hidden === null ? [] : [{ source, ...hidden }];
  });
}

/** The preset, with what the configuration says otherwise. */
function rankingOf(settings: EngineContext['config']['search']): Ranking {
  const preset = settings.preset === 'classic' ? CLASSIC_RANKING : DEFAULT_RANKING;
  const { stages, weights, fusion } = settings;
  return {
    ...preset,
    fusion: fusion ?? preset.fusion,
    weights: { ...preset.weights, ...weights },
    smoothing: stages.smoothing ? preset.smoothing : null,
    dateBoost: stages.dates ? preset.dateBoost : 0,
    speakerBoost: stages.speakers ? preset.speakerBoost : 0,
    sessionPrior: stages.sessions ? preset.sessionPrior : 0,
    userPrior: stages.roles ? preset.userPrior : 0,
    kindBoost: stages.kinds ? preset.kindBoost : 0,
    titleBoost: stages.titles ? preset.titleBoost : 0,
  };
}

function termsOf({ query, corrections }: SearchOutcome): Set<string> {
  const asked = [...query.terms, ...query.phrases].flatMap((term) => term.terms);
  const instead = corrections.flatMap((correction) => correction.replacements.map(stem));
  return new Set([...asked, ...instead]);
}

interface FindContext {
  readonly terms: ReadonlySet<string>;
  readonly now: Timestamp;
  readonly ranking: Ranking;
}

function searchResult(
  hit: Hit,
  citation: string,
  { terms, now, ranking }: FindContext,
): Omit<SearchResult, 'from'> {
  const { record, headings, text } = hit.passage;
  return {
    id: record.id,
    title: record.title,
    citation,
    headings,
    snippet: snippetWithProperties(
      {
        text: record.origin === 'source' ? textOf(text) : text,
        above: [record.title, ...headings].join('\n'),
      },
      propertiesOf(record.metadata),
      terms,
    ),
    score: hit.confidence,
    createdAt: record.createdAt,
    age: ageOf(record.createdAt, now),
    origin: record.origin,
    source: record.source,
    trust: record.trust,
    project: record.project,
    category: record.category,
    recordType: record.recordType,
    tags: record.tags,
    metadata: record.metadata,
    why: explanationOf(hit, ranking),
  };
}

/** What the signals said is divided where neighbours may lend; what is added later is not. */
function explanationOf(
  { contributions, boosts, score, answerConfidence: answerConfidence }: Hit,
  { smoothing }: Ranking,
): Explanation {
  const whole = smoothing === null ? 1 : smoothingNorm(smoothing);
  const signals = contributions.map((said) =>
    said.signal === 'recency' ? said : { ...said, added: said.added / whole },
  );
  const known = [...signals, ...boosts].reduce((sum, { added }) => sum + added, 0);
  return {
    signals,
    boosts,
    neighbourContribution: score - known,
    ranking: score,
    answerConfidence: answerConfidence,
  };
}

import { LociError } from '../../core/errors.ts';
import { stem } from '../../core/text/analyze.ts';
import { storedTime } from '../../core/time/whole-day.ts';
import type { Metadata, Origin, Timestamp, Trust } from '../../core/types.ts';
import type { Reranker } from '../../embed/rerank/reranker.ts';
import { snippet, snippetWithProperties, type Snippet } from '../../search/explain/snippet.ts';
import { matchedTerms } from '../../search/query/phrases.ts';
import type { Boost } from '../../search/rank/boosts.ts';
import type { ConfidenceParts, Hit } from '../../search/rank/confidence.ts';
import type { SignalShare } from '../../search/rank/fuse.ts';
import type { Bridge } from '../../search/rank/rank.ts';
import { CLASSIC_RANKING, DEFAULT_RANKING, type Ranking } from '../../search/rank/ranking.ts';
import type { SourcePolicies } from '../../search/rank/source-policy.ts';
import { type MissingSignal, NOT_ALL_EMBEDDED } from '../../search/retrieve/signals.ts';
import type { Correction } from '../../search/retrieve/text.ts';
import type { RelatedDocument } from '../../search/related.ts';
import type { VectorIndexRef } from '../../search/run.ts';
import { runSearch, type SearchOutcome } from '../../search/search.ts';
import type { RecordHeader, SearchFilter } from '../../store/search-model.ts';
import type { EngineContext, EngineServices } from '../context.ts';
import { expire } from '../shared/retention.ts';
import { HitCounter } from '../reading/configured/hits.ts';
import { vectorsOfSearch } from '../embedding/models.ts';
import { sourceOrigins, type SourceOrigin } from '../reading/configured/source-origin.ts';
import {
  audienceOf,
  hiddenSources,
  sourcesOfNamespace,
  sourcePolicies,
  excludeSources,
  type Audience,
} from '../reading/configured/source-policies.ts';
import { embeddingProcess } from '../reading/embed-new.ts';
import { citationsOf } from '../shared/citations.ts';
import { propertiesOf } from './properties.ts';
import { recordAge } from './record-age.ts';

export interface SearchRequest extends Omit<SearchFilter, 'now'> {
  readonly query: string;
  /** Maximum number of results; the configured one unless given. */
  readonly limit?: number;
  /** Maximum number of related documents, at most `limit`; the configured one unless given. */
  readonly related?: number;
  /** Results with a lower score are left out; the configured threshold unless given. 0 to 1. */
  readonly minScore?: number;
  /** `context` leaves out the sources that the settings keep out of a model's context. By `audienceOf` unless given. */
  readonly audience?: Audience;
  readonly signal?: AbortSignal;
}

export interface SearchResult {
  readonly id: number;
  readonly title: string;
  /** Accepted by `get`. */
  readonly citation: string;
  readonly headings: readonly string[];
  readonly snippet: Snippet;
  /** The probability that the result, or one of the four after it, is what the query asks for. 0 to 1. */
  readonly score: number;
  /** Midnight in UTC for a document of a day without a time. */
  readonly createdAt: Timestamp;
  readonly age: string;
  readonly origin: Origin;
  readonly source: string;
  /** Details of the source; `null` unless the origin is `source`. */
  readonly from: SourceOrigin | null;
  readonly trust: Trust;
  readonly project: string;
  readonly category: string;
  readonly recordType: string;
  readonly tags: readonly string[];
  readonly metadata: Metadata;
  /** A link of another note that says what this passage does not; `null` if there is none. */
  readonly linkedAs: LinkedAs | null;
  /** The better result that leads to this one; `null` if none does. */
  readonly via: Via | null;
  readonly why: Explanation;
}

/** How a better result leads to another record. */
type Via = Pick<Bridge, 'record' | 'title' | 'kind' | 'text'> & {
  /** The nearest heading above the passage that leads to it; `null` if there is none. */
  readonly heading: string | null;
};

/** The words around a link to a record, and the note that has it. */
interface LinkedAs {
  readonly text: string;
  readonly record: number;
  readonly title: string;
}

/** The parts of a result's ranking score: signals, boosts and the contribution of neighbours. */
export interface Explanation {
  readonly signals: readonly SignalShare[];
  readonly boosts: readonly Boost[];
  /** From neighbouring turns of a session, or from a better-ranked passage of the same record. */
  readonly neighbourContribution: number;
  /** The sum of the parts; comparable within one search only. */
  readonly ranking: number;
  /** How the score came about. */
  readonly confidenceParts: ConfidenceParts;
}

/** A document of a source, and the note that it belongs to. */
export interface RelatedResult extends SearchResult {
  readonly belongsTo: RelatedDocument['belongsTo'];
}

export interface SearchResponse {
  readonly results: readonly SearchResult[];
  /** Documents of sources that belong to the best note and are not among the results; best first. */
  readonly related: readonly RelatedResult[];
  /** Misspelt words, and the known words that were searched for as well. */
  readonly corrections: readonly Correction[];
  /** Signals that could not answer, and why. */
  readonly missing: readonly MissingSignal[];
  /** Results within the limit that score below the threshold and are left out; `null` when there are none. */
  readonly hidden: HiddenResults | null;
  /** Results that are left out because of the threshold of their vault or source, which `minScore` of a request does not lower. */
  readonly hiddenOfSources: readonly HiddenOfSource[];
  /** What else must be said about the answer. */
  readonly notices: readonly string[];
  /** Provider and model of the vectors; `none` when only words were compared. */
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

interface HiddenOfSource extends HiddenResults {
  readonly source: string;
}

const READ_ONLY =
  'the memory is read-only here, so that it is as it was when it was last written: notes that have changed since are not read, and nothing is recorded';

/** @throws LociError `invalid_input` for an empty query, `embedding_mismatch`, and the errors of the store */
export async function search(context: EngineContext, request: SearchRequest): Promise<SearchResponse> {
  const started = performance.now();
  const outcome = await searchOutcome(context, request);
  const { hits, retrieved } = outcome;
  const { policies } = outcome.run;
  const results = await searchResults(context, outcome);
  return {
    results: results.slice(0, hits.length),
    related: results
      .slice(hits.length)
      .map((result, i) => ({ ...result, belongsTo: outcome.related[i]!.belongsTo })),
    corrections: retrieved.corrections,
    missing: await explainedMissing(context, retrieved.missing),
    hidden: hiddenBelow(outcome.run.minScore, outcome.belowMinScore),
    hiddenOfSources: hiddenOfSources(outcome.belowSourceMinScore, policies),
    provider: providerOf(outcome.run),
    notices: [...(context.store.capabilities.readOnly ? [READ_ONLY] : []), ...outcome.notices],
    milliseconds: performance.now() - started,
  };
}

/** Says which process is embedding what has no vector yet. */
async function explainedMissing(
  context: EngineContext,
  missing: readonly MissingSignal[],
): Promise<readonly MissingSignal[]> {
  if (!missing.includes(NOT_ALL_EMBEDDED)) return missing;
  const process = await embeddingProcess(context);
  if (process === null) return missing;
  const why = `some of what matches has no vector yet: ${process} is embedding it; \`loci status\` shows how far it is`;
  return missing.map((each) => (each === NOT_ALL_EMBEDDED ? { ...each, why } : each));
}

/** Provider and model of the vectors that a search used, or `none`. */
export function providerOf({ vectors }: Pick<SearchOutcome['run'], 'vectors'>): string {
  return vectors === null ? 'none' : `${vectors.embedder.provider}/${vectors.embedder.model}`;
}

/**
 * The hits of a search that the caller may see, with their passages.
 * @param vectors another index than that of all searches, to compare models
 */
export async function searchOutcome(
  context: EngineContext,
  request: SearchRequest,
  vectors?: VectorIndexRef,
): Promise<SearchOutcome> {
  const { query, limit: requestedLimit, minScore, related, signal, audience, ...filter } = request;
  if (query.trim() === '') throw new LociError('invalid_input', 'the query is empty');
  const { caller, config, namespace, store } = context;
  const now = context.now();
  await expire(context);
  const { vaults, sources } = await sourcesOfNamespace(context);
  const hidden = hiddenSources(vaults, sources, audience ?? audienceOf(caller, filter));
  const policies = sourcePolicies(vaults, sources);
  const reranker = await usableReranker(context);
  const limit = requestedLimit ?? config.search.limit;
  return runSearch({
    store,
    namespace,
    query,
    filter: { ...excludeSources(filter, hidden), now },
    limit,
    minScore: minScore ?? config.search.minScore,
    ranking: rankingOf(config.search),
    vectors: vectors ?? vectorsOfSearch(context),
    policies,
    reranker,
    deadlineMs: config.search.deadline === 0 ? undefined : config.search.deadline,
    sourceNames: new Map(sources.map(({ id, name }) => [id, name ?? id])),
    ...(sources.length > 0 && {
      related: {
        resultLimit: limit,
        limit: Math.min(related ?? config.search.related, limit),
        // The request does not ask for related documents, so they are chosen as for a model's context.
        excludedSources: hiddenSources(vaults, sources, 'context'),
      },
    }),
    ...(signal === undefined ? {} : { signal }),
  });
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
async function searchResults(context: EngineContext, outcome: SearchOutcome): Promise<SearchResult[]> {
  const hits = [...outcome.hits, ...outcome.related];
  const passages = hits.map(({ passage }) => passage);
  const records = passages.map(({ record }) => record);
  context.shared(HitCounter).count(context.namespace, records.flatMap(vaultOrSource));
  const [citations, origins] = await Promise.all([
    citationsOf(context, passages),
    sourceOrigins(context, records),
  ]);
  const terms = highlightedTerms(outcome);
  return hits.map((hit, i) => ({
    ...searchResult(hit, citations[i] ?? '', terms, outcome.run),
    from: origins[i] ?? null,
  }));
}

/** The `source` of a memory is its author: it is not counted. */
function vaultOrSource({ origin, source }: RecordHeader): string[] {
  return origin === 'vault' || origin === 'source' ? [source] : [];
}

function hiddenBelow(minScore: number, hits: readonly Hit[]): HiddenResults | null {
  const scores = hits.map(({ confidence }) => confidence);
  return scores.length === 0 ? null : { results: scores.length, best: Math.max(...scores), minScore };
}

function hiddenOfSources(hidden: readonly Hit[], policies: SourcePolicies): HiddenOfSource[] {
  const bySource = Map.groupBy(hidden, ({ passage }) => passage.record.source);
  return [...bySource].flatMap(([source, hits]) => {
    const counted = hiddenBelow(policies.get(source)?.minScore ?? 0, hits);
    return counted === null ? [] : [{ source, ...counted }];
  });
}

/** The ranking of the preset, with the weights of the configuration. */
function rankingOf(settings: EngineContext['config']['search']): Ranking {
  const preset = settings.preset === 'classic' ? CLASSIC_RANKING : DEFAULT_RANKING;
  return { ...preset, weights: { ...preset.weights, ...settings.weights } };
}

function highlightedTerms({ run, retrieved: { corrections } }: SearchOutcome): Set<string> {
  const { phrases, symbols } = run.query;
  const terms = [...run.queryTerms, ...[...phrases, ...symbols].flatMap(({ terms: words }) => words)];
  const replacements = corrections.flatMap((correction) => correction.replacements.map(stem));
  return new Set([...terms, ...replacements]);
}

function searchResult(
  hit: Hit,
  citation: string,
  terms: ReadonlySet<string>,
  { filter: { now } }: SearchOutcome['run'],
): Omit<SearchResult, 'from'> {
  const { record, headings, text } = hit.passage;
  return {
    id: record.id,
    title: record.title,
    citation,
    headings,
    snippet: snippetWithProperties(
      { text, above: [record.title, ...headings].join('\n') },
      propertiesOf(record.metadata),
      terms,
    ),
    score: hit.confidence,
    createdAt: storedTime(record),
    age: recordAge(record, now),
    origin: record.origin,
    source: record.source,
    trust: record.trust,
    project: record.project,
    category: record.category,
    recordType: record.recordType,
    tags: record.tags,
    metadata: record.metadata,
    linkedAs: linkedAs(hit),
    via: viaOf(hit),
    why: explanationOf(hit),
  };
}

/** UTF-16 code units. */
const LINKED_AS_LENGTH = 120;

/** Only if the link has a word of the query that the passage does not have. */
function linkedAs({ passage, links }: Hit): LinkedAs | null {
  if (links === null) return null;
  const { matchedTerms: ofLink, sentence, record, title } = links.best;
  if (matchedTerms(passage, ofLink).size === ofLink.size) return null;
  return { text: snippet(sentence, ofLink, LINKED_AS_LENGTH).text, record, title };
}

function viaOf({ bridge }: Hit): Via | null {
  if (bridge === undefined) return null;
  const { record, title, kind, text, headings } = bridge;
  return { record, title, kind, text, heading: headings.at(-1) ?? null };
}

function explanationOf({ contributions: signals, boosts, score, confidenceParts }: Hit): Explanation {
  const explained = [...signals, ...boosts].reduce((sum, { added }) => sum + added, 0);
  return { signals, boosts, neighbourContribution: score - explained, ranking: score, confidenceParts };
}

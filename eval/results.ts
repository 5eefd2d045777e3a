import type { Ambient } from './ambient.ts';
import type { Calibration } from './calibration.ts';
import type { Interval } from './bootstrap.ts';
import type { Ranking, SourcePolicy } from '../src/search/rank/ranking.ts';
import type { Metric } from './metrics.ts';
import type { EmbeddingOrder } from './partly-embedded.ts';
import type { AbsentResult, CategoryMeans, QueryScore } from './run.ts';
import type { UnsureByCategory } from './unsure.ts';

type Metrics = Readonly<Record<string, number>>;

/** A baseline, or the engine without one stage, compared with the default. */
export interface Rival {
  readonly metrics: Metrics;
  readonly categories: Readonly<Record<string, CategoryMeans>>;
  /** The difference of the default and this system in the set's main metric, over the same queries. */
  readonly difference: Interval;
}

export interface Abstention {
  readonly absent: number;
  /** Share of absent queries that return nothing. */
  readonly abstained: number;
  /** Share of queries with an answer that return nothing. */
  readonly falselyAbstained: number;
  /** Probability that a query with an answer has a higher confidence than an absent one (area under the ROC curve). */
  readonly separation: number;
  readonly unsure: UnsureByCategory;
}

export interface TypoResult {
  readonly metrics: Metrics;
  /** The difference of correct and misspelt queries in the set's main metric. */
  readonly lost: Interval;
}

/** The mean recall of relevant documents by system, and by tokens of the budget. */
export type PackRecalls = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** The default while only a share of the passages is embedded. */
export interface PartlyEmbeddedResult {
  readonly order: EmbeddingOrder;
  readonly share: number;
  readonly metrics: Metrics;
  /** The difference of this and words alone in the set's main metric. */
  readonly difference: Interval;
}

/** The configuration of a run in the JSON report. */
export interface RunConfiguration {
  readonly provider: string;
  readonly model: string | null;
  readonly passageTokens: number;
  readonly chunking: string;
  readonly minScore: number;
  readonly sources: Readonly<Record<string, SourcePolicy>>;
  readonly ranking: Ranking;
}

export interface RerankedResult {
  readonly metrics: Metrics;
  /** Of the main metric, with the reranker minus without. */
  readonly difference: Rival['difference'];
  readonly latency: { readonly p50: number; readonly p95: number };
}

/** The result of one set. Metrics are from 0 to 1, latencies in milliseconds. */
export interface SetResult {
  readonly set: string;
  readonly hash: string;
  readonly documents: number;
  /** The set's main metric. */
  readonly measure: Metric;
  readonly metrics: Metrics;
  readonly categories: Readonly<Record<string, CategoryMeans>>;
  readonly abstention: Abstention | null;
  readonly calibration: Calibration;
  /** `null` for a set without sources. */
  readonly ambient: Ambient | null;
  /** Includes the embedding of the query. */
  readonly latency: { readonly p50: number; readonly p95: number };
  readonly config: RunConfiguration;
  readonly baselines: Readonly<Record<string, Rival>>;
  readonly ablation: Readonly<Record<string, Rival>>;
  /** With a reranker as the last stage; `null` unless it was measured. */
  readonly reranked: RerankedResult | null;
  readonly partly: readonly PartlyEmbeddedResult[];
  /** `null` unless packs were measured. */
  readonly packs: PackRecalls | null;
  /** By system. */
  readonly typos: Readonly<Record<string, TypoResult>>;
  readonly queries: readonly QueryScore[];
  readonly absent: readonly AbsentResult[];
}

interface SeveralSets {
  readonly sets: readonly SetResult[];
  readonly config: RunConfiguration;
}

/** The content of the file of `--json`: the result of one set, or of several with their configuration. */
export function asJson(results: readonly SetResult[], config: RunConfiguration): SetResult | SeveralSets {
  const [first, ...others] = results;
  return first !== undefined && others.length === 0 ? first : { sets: results, config };
}

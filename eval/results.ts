import type { Ambient } from './ambient.ts';
import type { Interval } from './bootstrap.ts';
import type { Ranking } from '../src/search/rank/ranking.ts';
import type { SourcePolicy } from '../src/search/rank/source-policy.ts';
import type { Metric } from './metrics.ts';
import type { AbsentAnswer, CategoryMeans, QueryScore } from './run.ts';

type Metrics = Readonly<Record<string, number>>;

/** A baseline, or the engine without a stage, beside the default. */
export interface Rival {
  readonly metrics: Metrics;
  /** The set's measure: default minus this one, over the same queries. */
  readonly difference: Interval;
}

export interface Abstention {
  readonly absent: number;
  /** Share of absent queries that return nothing. */
  readonly abstained: number;
  /** Share of queries with an answer that return nothing. */
  readonly falselyAbstained: number;
  /** Chance that a query with an answer is given more confidence than an absent one (area under the ROC curve). */
  readonly separation: number;
}

export interface TypoResult {
  readonly metrics: Metrics;
  /** The set's measure: clean queries minus misspelt ones. */
  readonly lost: Interval;
}

/** The configuration of a run, as it stands in its JSON. */
export interface RunConfiguration {
  readonly provider: string;
  readonly model: string | null;
  readonly passageTokens: number;
  readonly chunking: string;
  readonly minScore: number;
  readonly sources: Readonly<Record<string, SourcePolicy>>;
  readonly ranking: Ranking;
}

/** Everything about one set. Metrics are 0 to 1, latencies milliseconds. */
export interface SetResult {
  readonly set: string;
  readonly hash: string;
  readonly documents: number;
  /** What the set is judged by. */
  readonly measure: Metric;
  readonly metrics: Metrics;
  readonly categories: Readonly<Record<string, CategoryMeans>>;
  readonly abstention: Abstention | null;
  /** Of a set with sources. */
  readonly ambient: Ambient | null;
  /** With the query's embedding. */
  readonly latency: { readonly p50: number; readonly p95: number };
  readonly config: RunConfiguration;
  readonly baselines: Readonly<Record<string, Rival>>;
  readonly ablation: Readonly<Record<string, Rival>>;
  /** By system. */
  readonly typos: Readonly<Record<string, TypoResult>>;
  readonly queries: readonly QueryScore[];
  readonly absent: readonly AbsentAnswer[];
}

export interface SeveralSets {
  readonly sets: readonly SetResult[];
  readonly config: RunConfiguration;
}

/** What `--json` writes: one set's result itself, or several with what they have in common. */
export function asJson(results: readonly SetResult[], config: RunConfiguration): SetResult | SeveralSets {
  const [only, ...others] = results;
  return only !== undefined && others.length === 0 ? only : { sets: results, config };
}

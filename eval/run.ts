import type { Evidence } from '../src/search/rank/ranking.ts';
import { LociError } from '../src/core/errors.ts';
import { mean, meanScores, percentile, score, type Metric, type Scores } from './metrics.ts';
import { Progress } from './progress.ts';
import type { EvalCollection, EvalQuery, EvalSet } from './sets.ts';
import type { System } from './system.ts';

/** The results of one system for a query with an answer. */
export interface QueryScore {
  /** See `queryKey`. */
  readonly key: string;
  readonly cat: string;
  readonly scores: Scores;
  /** 1 when the first result is of a session with a relevant document; `null` without sessions. */
  readonly sessionHit: number | null;
  /** 1 when a relevant document is above all that the query names with `above`; `null` for a query that names none. */
  readonly isAbove: number | null;
  /** The confidence in the first result, and its evidence; `null` without results and for baselines. */
  readonly confidence: number | null;
  readonly evidence: Evidence | null;
  /** The highest confidence among the first ten results; `null` without results and for baselines. */
  readonly highest: number | null;
  /** The first ten results. */
  readonly top: Top;
  /** Related documents. */
  readonly related: Top;
}

/** Ids, best first. */
export type Top = readonly string[];

/** The results of one system for a query without an answer. */
export interface AbsentResult {
  readonly key: string;
  readonly results: number;
  readonly top: Top;
  readonly related: Top;
  readonly confidence: number | null;
  readonly evidence: Evidence | null;
  readonly highest: number | null;
}

export interface Run {
  readonly system: string;
  readonly queries: readonly QueryScore[];
  readonly absent: readonly AbsentResult[];
  /** Queries with an answer for which nothing was returned. */
  readonly unanswered: number;
  /** The time of each query. The first system that runs a query also embeds it. */
  readonly milliseconds: readonly number[];
}

export interface RunOptions {
  /** Maximum number of queries of each collection, evenly spread. */
  readonly limit?: number;
  /** The text to search for in place of the query's. */
  readonly reword?: (query: EvalQuery) => string;
  /** Whether the relevant documents of each query are hidden. */
  readonly hideRelevant?: boolean;
  readonly signal?: AbortSignal;
}

/** Results that a person sees. */
const TOP = 10;

/** Runs all queries of a set, one after another. @throws LociError `aborted`, and the errors of the system */
export async function runSystem(set: EvalSet, system: System, options: RunOptions = {}): Promise<Run> {
  const {
    limit = Number.POSITIVE_INFINITY,
    reword = ({ q }: EvalQuery) => q,
    hideRelevant,
    signal,
  } = options;
  const selected = set.collections.map((collection) => ({
    collection,
    queries: spread(collection.queries, limit),
  }));
  const total = selected.reduce((sum, { queries }) => sum + queries.length, 0);
  const progress = new Progress(`${set.name}, ${system.name}`, 'queries');
  const run = {
    queries: [] as QueryScore[],
    absent: [] as AbsentResult[],
    unanswered: 0,
    milliseconds: [] as number[],
  };
  for (const { collection, queries } of selected) {
    const sessions = sessionsOf(collection);
    for (const query of queries) {
      if (signal?.aborted === true) throw new LociError('aborted', 'searching was stopped');
      const started = performance.now();
      const hidden = hideRelevant === true ? query.gold : undefined;
      const now = query.now === undefined ? undefined : Date.parse(query.now);
      const result = await system.rank(collection.id, reword(query), query.src, hidden, now);
      run.milliseconds.push(performance.now() - started);
      const ids = result.ids.filter((id) => id !== query.src);
      const { judged = [], related = [] } = result;
      const shown = judged.filter(({ id }) => id !== query.src).slice(0, TOP);
      const [confidence, evidence] = [shown[0]?.confidence ?? null, shown[0]?.evidence ?? null];
      const highest = shown.length === 0 ? null : Math.max(...shown.map((each) => each.confidence));
      const key = queryKey(collection, query);
      const top = ids.slice(0, TOP);
      if (query.gold.length === 0)
        run.absent.push({ key, results: ids.length, top, related, confidence, evidence, highest });
      else {
        if (ids.length === 0) run.unanswered++;
        const sessionHit = hitsSession(ids, query.gold, sessions);
        const scores = score(ids, query.gold);
        run.queries.push({
          key,
          cat: query.cat,
          scores,
          sessionHit,
          isAbove: query.above === undefined ? null : standsAbove(ids, query.gold, query.above),
          confidence,
          evidence,
          highest,
          top,
          related,
        });
      }
      progress.report(run.milliseconds.length, total);
    }
  }
  progress.end();
  return { system: system.name, ...run };
}

/** Identifies a query in all runs over the same set. */
export function queryKey(collection: EvalCollection, query: EvalQuery): string {
  return `${collection.id}/${query.id}`;
}

/** At most so many items, evenly spread. */
export function spread<T>(items: readonly T[], limit: number): readonly T[] {
  if (items.length <= limit) return items;
  return Array.from({ length: limit }, (_, i) => items[Math.floor((i * items.length) / limit)]!);
}

function sessionsOf({ docs }: EvalCollection): Map<string, string> {
  return new Map(docs.flatMap(({ id, session }) => (session === undefined ? [] : [[id, String(session)]])));
}

function hitsSession(
  ids: readonly string[],
  gold: readonly string[],
  sessions: ReadonlyMap<string, string>,
): number | null {
  if (sessions.size === 0) return null;
  const found = sessions.get(ids[0] ?? '');
  return found !== undefined && gold.some((id) => sessions.get(id) === found) ? 1 : 0;
}

function standsAbove(ids: readonly string[], gold: readonly string[], others: readonly string[]): number {
  const first = ids.find((id) => gold.includes(id) || others.includes(id));
  return first !== undefined && gold.includes(first) ? 1 : 0;
}

/** Means of a run, 0 to 1; `session Hit@1` only where documents have sessions, `above` only where queries name documents. */
export function meanMetrics(queries: readonly QueryScore[]): Record<string, number> {
  const metrics: Record<string, number> = { ...meanScores(queries.map(({ scores }) => scores)) };
  const sessionHits = queries.flatMap(({ sessionHit }) => sessionHit ?? []);
  if (sessionHits.length > 0) metrics['session Hit@1'] = mean(sessionHits);
  const pairs = queries.flatMap(({ isAbove }) => isAbove ?? []);
  if (pairs.length > 0) metrics['above'] = mean(pairs);
  return metrics;
}

export function valuesOf(queries: readonly QueryScore[], metric: Metric): number[] {
  return queries.map(({ scores }) => scores[metric]);
}

export function latencyOf({ milliseconds }: Run): { readonly p50: number; readonly p95: number } {
  return { p50: percentile(milliseconds, 0.5), p95: percentile(milliseconds, 0.95) };
}

export interface CategoryMeans {
  readonly queries: number;
  readonly metrics: Readonly<Record<string, number>>;
}

export function byCategory(queries: readonly QueryScore[]): Record<string, CategoryMeans> {
  const groups = Object.groupBy(queries, ({ cat }) => cat);
  return Object.fromEntries(
    Object.entries(groups).map(([cat, group = []]) => [
      cat,
      { queries: group.length, metrics: meanMetrics(group) },
    ]),
  );
}

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { LociError, messageOf } from '../src/core/errors.ts';
import { pairedDifference } from './bootstrap.ts';
import { METRICS, type Metric } from './metrics.ts';
import type { SetResult } from './results.ts';
import { intervalCells, percent, points, tableLines } from './table.ts';

/** As much of an earlier run as a comparison needs. */
export interface EarlierResult {
  readonly set: string;
  readonly hash?: string;
  readonly metrics: Readonly<Record<string, number>>;
  readonly queries: readonly { readonly key: string; readonly scores: Readonly<Record<string, number>> }[];
}

const scores = z.record(z.string(), z.number());
const earlierResult: z.ZodType<EarlierResult> = z.object({
  set: z.string(),
  hash: z.string().exactOptional(),
  metrics: scores,
  queries: z.array(z.object({ key: z.string(), scores })).default([]),
});
const earlierFile = z.union([
  z.object({ sets: z.array(earlierResult) }).transform(({ sets }) => sets),
  earlierResult.transform((only) => [only]),
]);

/** @throws LociError `invalid_input` for what `--json` did not write */
export function readEarlier(file: string): EarlierResult[] {
  try {
    return earlierFile.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const why = error instanceof z.ZodError ? 'it is no result of an earlier run' : messageOf(error);
    throw new LociError('invalid_input', `cannot compare with ${file}: ${why}`, {
      hint: 'Give the file that an earlier run wrote with --json.',
    });
  }
}

/** What has changed since: over the queries that both runs asked, with intervals; else the bare difference of means. */
export function comparison(results: readonly SetResult[], earlier: readonly EarlierResult[]): string[] {
  const before = new Map(earlier.map((result) => [result.set, result]));
  const known = results.filter(({ set }) => before.has(set));
  const strangers = results.filter(({ set }) => !before.has(set)).map(({ set }) => set);
  const rows = known.map((result) => row(result, before.get(result.set)!));
  const header = ['set (measure)', 'queries', 'before', 'now', 'change', '95% interval', ...METRICS];
  return [
    ...(rows.length === 0 ? [] : tableLines([header, ...rows])),
    ...known
      .filter(({ set, hash }) => (before.get(set)?.hash ?? hash) !== hash)
      .map(({ set }) => `  ${set} is no longer the set that it was; only queries of both are compared`),
    ...(strangers.length === 0 ? [] : [`  not in the earlier run: ${strangers.join(', ')}`]),
  ];
}

function row({ set, measure, metrics, queries }: SetResult, earlier: EarlierResult): string[] {
  const scoresBefore = new Map(earlier.queries.map(({ key, scores }) => [key, scores]));
  const both = queries.filter(({ key }) => scoresBefore.has(key));
  const name = `${set} (${measure})`;
  if (both.length === 0) {
    const change = (metric: Metric): number => (metrics[metric] ?? 0) - (earlier.metrics[metric] ?? 0);
    const means = [percent(earlier.metrics[measure]), percent(metrics[measure]), points(change(measure))];
    return [name, 'not kept', ...means, '', ...METRICS.map((metric) => points(change(metric)))];
  }
  const now = (metric: Metric): number[] => both.map(({ scores }) => scores[metric]);
  const then = (metric: Metric): number[] => both.map(({ key }) => scoresBefore.get(key)?.[metric] ?? 0);
  const change = (metric: Metric): ReturnType<typeof pairedDifference> =>
    pairedDifference(now(metric), then(metric));
  const average = (values: readonly number[]): string =>
    percent(values.reduce((a, b) => a + b, 0) / values.length);
  return [
    name,
    String(both.length),
    average(then(measure)),
    average(now(measure)),
    ...intervalCells(change(measure)),
    ...METRICS.map((metric) => points(change(metric).mean)),
  ];
}

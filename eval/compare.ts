import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { LociError, messageOf } from '../src/core/errors.ts';
import { pairedDifference } from './bootstrap.ts';
import { METRICS, type Metric } from './metrics.ts';
import type { SetResult } from './results.ts';
import { intervalCells, percent, points, tableLines } from './table.ts';

const scores = z.record(z.string(), z.number());
const earlierResult = z.object({
  set: z.string(),
  hash: z.string().exactOptional(),
  metrics: scores,
  queries: z.array(z.object({ key: z.string(), scores })).default([]),
});

/** The part of an earlier result that a comparison needs. */
type EarlierResult = z.infer<typeof earlierResult>;

const earlierFile = z.union([
  z.object({ sets: z.array(earlierResult) }).transform(({ sets }) => sets),
  earlierResult.transform((result) => [result]),
]);

/** @throws LociError `invalid_input` for a file that `--json` did not write */
export function readEarlier(file: string): EarlierResult[] {
  try {
    return earlierFile.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const reason = error instanceof z.ZodError ? 'it is not the result of a run' : messageOf(error);
    throw new LociError('invalid_input', `cannot compare with ${file}: ${reason}`, {
      hint: 'Give the file that an earlier run wrote with --json.',
    });
  }
}

/** The changes since an earlier run: over the queries of both, with intervals; the difference of means if it has no queries. */
export function comparison(results: readonly SetResult[], earlier: readonly EarlierResult[]): string[] {
  const before = new Map(earlier.map((result) => [result.set, result]));
  const common = results.filter(({ set }) => before.has(set));
  const added = results.filter(({ set }) => !before.has(set)).map(({ set }) => set);
  const rows = common.map((result) => row(result, before.get(result.set)!));
  const header = ['set (measure)', 'queries', 'before', 'now', 'change', '95% interval', ...METRICS];
  return [
    ...(rows.length === 0 ? [] : tableLines([header, ...rows])),
    ...common
      .filter(({ set, hash }) => (before.get(set)?.hash ?? hash) !== hash)
      .map(({ set }) => `  ${set} has changed; only the queries of both runs are compared`),
    ...(added.length === 0 ? [] : [`  not in the earlier run: ${added.join(', ')}`]),
  ];
}

function row({ set, measure, metrics, queries }: SetResult, earlier: EarlierResult): string[] {
  const scoresBefore = new Map(earlier.queries.map(({ key, scores }) => [key, scores]));
  const common = queries.filter(({ key }) => scoresBefore.has(key));
  const name = `${set} (${measure})`;
  if (common.length === 0) {
    const change = (metric: Metric): number => (metrics[metric] ?? 0) - (earlier.metrics[metric] ?? 0);
    const means = [percent(earlier.metrics[measure]), percent(metrics[measure]), points(change(measure))];
    return [name, 'unknown', ...means, '', ...METRICS.map((metric) => points(change(metric)))];
  }
  const after = (metric: Metric): number[] => common.map(({ scores }) => scores[metric]);
  const before = (metric: Metric): number[] => common.map(({ key }) => scoresBefore.get(key)?.[metric] ?? 0);
  const change = (metric: Metric): ReturnType<typeof pairedDifference> =>
    pairedDifference(after(metric), before(metric));
  const average = (values: readonly number[]): string =>
    percent(values.reduce((a, b) => a + b, 0) / values.length);
  return [
    name,
    String(common.length),
    average(before(measure)),
    average(after(measure)),
    ...intervalCells(change(measure)),
    ...METRICS.map((metric) => points(change(metric).mean)),
  ];
}

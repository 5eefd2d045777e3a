import { mean } from './metrics.ts';
import type { SetResult } from './results.ts';
import { intervalCells, percent, points, tableLines } from './table.ts';

/** All sets in one table, each by its main metric, with the mean of each system; then the baselines that beat the default. */
export function summary(results: readonly SetResult[]): string[] {
  const systems = ['default', ...Object.keys(results[0]?.baselines ?? {})];
  const valueOf = ({ metrics, baselines, measure }: SetResult, system: string): number | undefined =>
    (system === 'default' ? metrics : baselines[system]?.metrics)?.[measure];
  const rows = results.map((result) => [
    `${result.set} (${result.measure})`,
    ...systems.map((system) => percent(valueOf(result, system))),
  ]);
  const means = systems.map((system) => percent(mean(results.map((result) => valueOf(result, system) ?? 0))));
  const sections = [
    tableLines([['set (measure)', ...systems], ...rows, [`mean of ${String(results.length)}`, ...means]]),
    lossTable(results),
    gainTable(results),
    verdict(results),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .flatMap((lines, i) => (i === 0 ? lines : ['', ...lines]));
}

/** The baselines that are significantly better than the default. */
export function beatenBy(results: readonly SetResult[]): string[] {
  return results.flatMap(({ set, baselines }) =>
    Object.entries(baselines)
      .filter(([, { difference }]) => difference.high < 0)
      .map(([name, { difference }]) => `${name} on ${set} (${intervalCells(difference).join(' ')})`),
  );
}

function verdict(results: readonly SetResult[]): string[] {
  if (results.every(({ baselines }) => Object.keys(baselines).length === 0)) return [];
  const beaten = beatenBy(results);
  if (beaten.length === 0) return ['The default is significantly below no baseline on any set.'];
  return ['The default is significantly below:', ...beaten.map((line) => `  ${line}`)];
}

function lossTable(results: readonly SetResult[]): string[] {
  const systems = Object.keys(results[0]?.typos ?? {});
  const lossOf = ({ typos }: SetResult, system: string): number => typos[system]?.lost.mean ?? 0;
  return meanTable('points lost by two typos', systems, results, lossOf);
}

function gainTable(results: readonly SetResult[]): string[] {
  const stages = Object.keys(results[0]?.ablation ?? {});
  const gainOf = ({ ablation }: SetResult, stage: string): number => ablation[stage]?.difference.mean ?? 0;
  return meanTable('gain of', stages, results, gainOf);
}

function meanTable(
  title: string,
  columns: readonly string[],
  results: readonly SetResult[],
  valueOf: (result: SetResult, column: string) => number,
): string[] {
  if (columns.length === 0) return [];
  const cells = (averaged: readonly SetResult[]): string[] =>
    columns.map((column) => points(mean(averaged.map((result) => valueOf(result, column)))));
  const rows = results.map((result) => [result.set, ...cells([result])]);
  return tableLines([[title, ...columns], ...rows, [`mean of ${String(results.length)}`, ...cells(results)]]);
}

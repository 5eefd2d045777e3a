import { formatCount } from '../../../core/text/format-count.ts';
import type { RefusalReport } from '../../../engine/embedding/refusal-report.ts';
import { oneLine } from '../../shared/escape-control.ts';

/** A warning for the texts that the embedding provider refused, with a line for each of the first. */
export function refusalWarnings({ refused, refusals }: RefusalReport): string[] {
  if (refused === 0) return [];
  const lines = refusals.map(({ citation, why }) => `\n  ${oneLine(citation)}: ${oneLine(why)}`);
  const more = refused - refusals.length;
  const rest = more > 0 && refusals.length > 0 ? [`\n  … and ${String(more)} more`] : [];
  return [
    [
      `the embedding provider refuses ${formatCount(refused, 'text')}, found by words alone`,
      ...(refusals.length === 0 ? [] : [':']),
      ...lines,
      ...rest,
    ].join(''),
  ];
}

import type { Output } from '../../api/client.ts';
import { RECORDS } from '../../text/pages/records.ts';
import { t } from '../../text/text.ts';

type Counts = Output<'/api/v1/record/histogram'>;

/** A source in a histogram. */
export interface Series {
  readonly name: string;
  /** The name of its colour among the tokens of the design. */
  readonly color: string;
  /** The upper end of its part of each bar. */
  readonly tops: number[];
}

/** More sources are one series, because more colours cannot be told apart. */
const MAX_SERIES = 6;

/** The stacked bars of the largest sources: the tallest stack first, so that the others are drawn over it. */
export function seriesOf({ spans }: Counts): {
  /** The middle of each span, in seconds. */
  readonly times: number[];
  /** The start of the first span and the end of the last, in seconds. */
  readonly range: [number, number];
  readonly series: readonly Series[];
} {
  const totals = new Map<string, number>();
  for (const { sources } of spans)
    for (const { source, records } of sources) totals.set(source, (totals.get(source) ?? 0) + records);
  const ordered = [...totals].sort(([, a], [, b]) => b - a).map(([name]) => name);
  const named = ordered.slice(0, ordered.length > MAX_SERIES ? MAX_SERIES - 1 : MAX_SERIES);
  const groups = [
    ...named.map((name) => [name]),
    ...(named.length < ordered.length ? [ordered.slice(named.length)] : []),
  ];
  const bounds = spans.map(({ from, until }) => [Date.parse(from) / 1000, Date.parse(until) / 1000] as const);
  const times = bounds.map(([from, until]) => (from + until) / 2);
  const below = times.map(() => 0);
  const series = groups.map((group, i): Series => {
    spans.forEach(({ sources }, at) => {
      for (const { source, records } of sources) if (group.includes(source)) below[at]! += records;
    });
    const name = i < named.length ? named[i]! : t(RECORDS.otherSources);
    return { name, color: `--data-${String(i + 1)}`, tops: [...below] };
  });
  return { times, range: [bounds[0]?.[0] ?? 0, bounds.at(-1)?.[1] ?? 0], series: series.reverse() };
}

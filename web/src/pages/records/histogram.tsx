import type { JSX, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import type { Output } from '../../api/client.ts';
import { PlainText } from '../../parts/plain-text.tsx';
import { RECORDS } from '../../text/pages/records.ts';
import { dayOf, formatDay, t } from '../../text/text.ts';

type Counts = Output<'/api/v1/record/histogram'>;

const HEIGHT = 160;

interface HistogramProps {
  readonly counts: Counts;
  /** The chosen days; empty where the time is open. */
  readonly from: string;
  readonly until: string;
  /** Called with the days between which the reader drags. */
  readonly onBrush: (from: string, until: string) => void;
}

/** Bars of records by time, stacked by source. */
export function Histogram(props: HistogramProps): JSX.Element {
  const { series } = seriesOf(props.counts);
  const frame = usePlot(props);
  const { total, from, until, unit } = props.counts;
  const label = t(RECORDS.histogram, {
    n: total,
    unit: t(RECORDS[`unit_${unit}`]),
    from: from === null ? '' : formatDay(from),
    until: until === null ? '' : formatDay(until),
  });
  return (
    <figure class="histogram">
      <div ref={frame} role="img" aria-label={label} />
      <figcaption class="row">
        {series.map(({ name, color }) => (
          <span key={name} class="row quiet-text">
            <span class="swatch" style={{ background: `var(${color})` }} />
            <PlainText text={name} />
          </span>
        ))}
        <span class="quiet-text brush-hint">{t(RECORDS.brush)}</span>
      </figcaption>
    </figure>
  );
}

/** Draws the histogram into an element, again whenever the counts or the colours change. */
function usePlot(props: HistogramProps): RefObject<HTMLDivElement | null> {
  const { counts, from, until } = props;
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => showChosen(plot.current, latest.current), [from, until]);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const { times, range, series } = seriesOf(counts);
    const gone = new AbortController();
    const draw = async (): Promise<void> => {
      const [{ default: Plot }] = await Promise.all([import('uplot'), import('uplot/dist/uPlot.min.css')]);
      if (gone.signal.aborted) return;
      plot.current?.destroy();
      const onBrush = (first: string, last: string): void => latest.current.onBrush(first, last);
      const onReady = (ready: uPlot): void => showChosen(ready, latest.current);
      const options = optionsOf(Plot, element, series, { onBrush, onReady, range });
      plot.current = new Plot(options, [times, ...series.map(({ tops }) => tops)], element);
    };
    void draw();
    const resized = new ResizeObserver(() => {
      plot.current?.setSize({ width: element.clientWidth, height: HEIGHT });
      showChosen(plot.current, latest.current);
    });
    resized.observe(element);
    const theme = new MutationObserver(() => void draw());
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', () => void draw(), { signal: gone.signal });
    return () => {
      gone.abort();
      resized.disconnect();
      theme.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [counts]);
  return frame;
}

/** Marks the chosen time. */
function showChosen(plot: uPlot | null, { from, until }: Pick<HistogramProps, 'from' | 'until'>): void {
  if (plot === null) return;
  const width = plot.over.clientWidth;
  const at = (day: string, days: number, otherwise: number): number => {
    const time = new Date(`${day}T00:00`).getTime() / 1000 + days * DAY_S;
    return Number.isNaN(time) ? otherwise : Math.min(width, Math.max(0, plot.valToPos(time, 'x')));
  };
  const left = at(from, 0, 0);
  const isChosen = from !== '' || until !== '';
  const size = isChosen ? Math.max(2, at(until, 1, width) - left) : 0;
  plot.setSelect({ left, width: size, top: 0, height: plot.over.clientHeight }, false);
}

interface PlotParts extends Pick<HistogramProps, 'onBrush'> {
  readonly onReady: (plot: uPlot) => void;
  /** The start of the first span and the end of the last, in seconds. */
  readonly range: [number, number];
}

const DAY_S = 86_400;
/** The distances between marks of the time: no span is shorter than a day. */
const TIME_STEPS = [1, 2, 3, 5, 7, 10, 15, 30, 60, 90, 180, 365, 730, 1825, 3650, 9125, 18_250, 36_500].map(
  (days) => days * DAY_S,
);

function optionsOf(
  Plot: typeof uPlot,
  element: HTMLElement,
  series: readonly Series[],
  { onBrush, onReady, range }: PlotParts,
): uPlot.Options {
  const style = getComputedStyle(element);
  const color = (name: string): string => {
    // A canvas knows no variables, and no `light-dark()`.
    element.style.color = `var(${name})`;
    const value = style.color;
    element.style.color = '';
    return value;
  };
  const [text, line] = [color('--fg-3'), color('--border')];
  const axis: uPlot.Axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { show: false } };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
    scales: {
      x: { range: () => range },
      y: { range: (_, __, max) => [0, Math.max(1, max * 1.05)] },
    },
    axes: [
      { ...axis, incrs: TIME_STEPS },
      { ...axis, size: 44, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 10_000] },
    ],
    series: [
      {},
      ...series.map((each): uPlot.Series => ({
        label: each.name,
        fill: color(each.color),
        width: 0,
        paths: Plot.paths.bars!({ size: [0.8, 40] }),
        points: { show: false },
      })),
    ],
    hooks: {
      ready: [onReady],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width < 4) return;
          const dayAt = (pixels: number): string =>
            dayOf(new Date(Math.min(plot.posToVal(pixels, 'x'), range[1] - 1) * 1000));
          onBrush(dayAt(left), dayAt(left + width));
        },
      ],
    },
  };
}

/** A source in a histogram. */
interface Series {
  readonly name: string;
  /** The name of its colour among the tokens of the design. */
  readonly color: string;
  /** The upper end of its part of each bar. */
  readonly tops: number[];
}

/** More sources are one series, because more colours cannot be told apart. */
const MAX_SERIES = 6;

/** The stacked bars of the largest sources: the tallest stack first, so that the others are drawn over it. */
function seriesOf({ spans }: Counts): {
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

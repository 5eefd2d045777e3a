import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { HEALTH } from '../../text/pages/health.ts';
import { formatDay, formatNumber, t } from '../../text/text.ts';

export interface PlotLine {
  readonly name: string;
  /** A token of the design: `--data-1`. */
  readonly colour: string;
  /** Dashes tell lines apart without colours. */
  readonly dash?: readonly number[];
  readonly values: readonly number[];
}

interface PlotProps {
  /** ISO dates, in order. */
  readonly days: readonly string[];
  readonly lines: readonly PlotLine[];
  readonly format?: (value: number) => string;
}

const HEIGHT = 200;
const AXIS_WIDTH = 72;
/** A few days only need a label each. */
const MIN_LABEL_PX = 90;

/** Lines over days. What it shows is also in a table beside it, so that it is hidden from screen readers. */
export function Plot({ days, lines, format = formatNumber }: PlotProps): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const host = element.current!;
    const draw = (): uPlot =>
      new uPlot(
        options({ lines, format }, host),
        [days.map((day) => Date.parse(day) / 1000), ...lines.map(({ values }) => [...values])],
        host,
      );
    let plot = draw();
    const redraw = (): void => {
      plot.destroy();
      plot = draw();
    };
    const resized = new ResizeObserver(() => plot.setSize({ width: host.clientWidth, height: HEIGHT }));
    resized.observe(host);
    // A canvas has the colours of the theme that it was drawn in.
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', redraw);
    const chosen = new MutationObserver(redraw);
    chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      resized.disconnect();
      chosen.disconnect();
      scheme.removeEventListener('change', redraw);
      plot.destroy();
    };
  }, [JSON.stringify([days, lines])]);
  return <div class="plot" ref={element} aria-hidden="true" />;
}

function options(
  { lines, format }: Required<Pick<PlotProps, 'lines' | 'format'>>,
  host: HTMLElement,
): uPlot.Options {
  const colour = colours(host);
  const axis = {
    stroke: colour('--fg-3'),
    grid: { stroke: colour('--border'), width: 1 },
    ticks: { show: false },
  };
  return {
    width: host.clientWidth,
    height: HEIGHT,
    // The last day, until the pointer is on another.
    hooks: { ready: [(plot) => plot.setLegend({ idx: plot.data[0].length - 1 })] },
    cursor: { y: false, points: { size: 6 } },
    scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: MIN_LABEL_PX,
        // No label is between two days.
        incrs: [1, 2, 5, 7, 14, 30, 60, 120, 365].map((each) => each * 86_400),
        values: (_, seconds) => seconds.map((each) => formatDay(new Date(each * 1000).toISOString())),
      },
      { ...axis, size: AXIS_WIDTH, values: (_, values) => values.map(format) },
    ],
    series: [
      {
        label: t(HEALTH.day),
        value: (_, seconds: number | null) =>
          seconds === null ? '' : formatDay(new Date(seconds * 1000).toISOString()),
      },
      ...lines.map(({ name, colour: token, dash }): uPlot.Series => ({
        label: name,
        stroke: colour(token),
        width: 2,
        ...(dash !== undefined && { dash: [...dash] }),
        value: (_, value: number | null) => (value === null ? '' : format(value)),
      })),
    ],
  };
}

/** The value that a token of the design has now, as a canvas needs it. */
function colours(host: HTMLElement): (token: string) => string {
  return (token) => {
    const probe = document.createElement('span');
    probe.style.color = `var(${token})`;
    host.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}

import type { JSX } from 'preact';
import { call, type Output } from '../../api/client.ts';
import { useRequest } from '../../api/use-request.ts';
import { Loaded } from '../../parts/states.tsx';
import { HEALTH } from '../../text/pages/health.ts';
import { formatBytes, formatDay, formatDuration, formatNumber, t } from '../../text/text.ts';
import type { Plot, PlotLine } from './plot.tsx';

type Figures = Output<'/api/v1/figures'>;

/** The size of the store and the duration of searches on each day, as plots and as tables. The code of plots is loaded here. */
export function OverTime(): JSX.Element {
  const request = useRequest(async (signal) => {
    const [figures, plots] = await Promise.all([
      call('/api/v1/figures', {}, { signal }),
      import('./plot.tsx'),
    ]);
    return { ...figures, Plot: plots.Plot };
  }, null);
  return (
    <Loaded request={request}>
      {({ size, searches, Plot }) => (
        <div class="figures">
          <Sizes size={size} Plot={Plot} />
          <Searches searches={searches} Plot={Plot} />
        </div>
      )}
    </Loaded>
  );
}

interface WithPlot {
  readonly Plot: typeof Plot;
}

function Sizes({ size, Plot }: WithPlot & Pick<Figures, 'size'>): JSX.Element {
  const origins = ORIGINS.filter((origin) => size.some((sample) => (sample.by_origin[origin] ?? 0) > 0));
  const days = size.map(({ day }) => day);
  return (
    <>
      <Figure
        Plot={Plot}
        title={t(HEALTH.sizeTitle)}
        note={t(HEALTH.sizeNote)}
        empty={t(HEALTH.noSamples)}
        days={days}
        format={formatBytes}
        lines={[
          line(
            HEALTH.bytes,
            0,
            size.map(({ bytes }) => bytes),
          ),
        ]}
      />
      <Figure
        Plot={Plot}
        title={t(HEALTH.recordsTitle)}
        note={t(HEALTH.recordsNote)}
        empty={t(HEALTH.noSamples)}
        days={days}
        format={formatNumber}
        lines={origins.map((origin, i) =>
          line(
            HEALTH[origin],
            i,
            size.map((sample) => sample.by_origin[origin] ?? 0),
          ),
        )}
      />
    </>
  );
}

function Searches({ searches, Plot }: WithPlot & Pick<Figures, 'searches'>): JSX.Element {
  return (
    <Figure
      Plot={Plot}
      title={t(HEALTH.latencyTitle)}
      note={t(HEALTH.latencyNote)}
      empty={t(HEALTH.noSearches)}
      days={searches.map(({ day }) => day)}
      format={formatDuration}
      counts={{ name: t(HEALTH.runs), values: searches.map(({ runs }) => runs) }}
      lines={[
        line(
          HEALTH.median,
          0,
          searches.map(({ median_ms: median }) => median),
        ),
        line(
          HEALTH.slow,
          1,
          searches.map(({ slow_ms: slow }) => slow),
        ),
      ]}
    />
  );
}

const ORIGINS = ['vault', 'memory', 'fact', 'source', 'audit'] as const;
const DASHES = [[], [8, 4], [2, 3], [12, 3, 2, 3], [5, 5], [1, 4]] as const;

function line(name: Parameters<typeof t>[0], i: number, values: readonly number[]): PlotLine {
  return { name: t(name), colour: `--data-${String(i + 1)}`, dash: DASHES[i] ?? [], values };
}

interface FigureProps extends WithPlot {
  readonly title: string;
  /** What the values are, and of which time. */
  readonly note: string;
  readonly empty: string;
  readonly days: readonly string[];
  readonly lines: readonly PlotLine[];
  readonly format: (value: number) => string;
  /** A further column of the table. */
  readonly counts?: { readonly name: string; readonly values: readonly number[] };
}

function Figure({ Plot, title, note, empty, days, lines, format, counts }: FigureProps): JSX.Element {
  return (
    <figure class="card">
      <figcaption>
        <h3>{title}</h3>
        <p class="quiet-text">{note}</p>
      </figcaption>
      {days.length > 1 && <Plot days={days} lines={lines} format={format} />}
      {days.length < 2 && <p class="no-plot">{days.length === 0 ? empty : t(HEALTH.oneSample)}</p>}
      {days.length > 0 && (
        <details>
          <summary>{t(HEALTH.asTable)}</summary>
          <div class="table-frame" tabIndex={0} role="region" aria-label={title}>
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">{t(HEALTH.day)}</th>
                  {counts !== undefined && (
                    <th scope="col" class="number">
                      {counts.name}
                    </th>
                  )}
                  {lines.map(({ name }) => (
                    <th scope="col" class="number" key={name}>
                      {name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {days
                  .map((day, i) => (
                    <tr key={day}>
                      <td>{formatDay(day)}</td>
                      {counts !== undefined && <td class="number">{formatNumber(counts.values[i] ?? 0)}</td>}
                      {lines.map(({ name, values }) => (
                        <td class="number" key={name}>
                          {format(values[i] ?? 0)}
                        </td>
                      ))}
                    </tr>
                  ))
                  .reverse()}
              </tbody>
            </table>
          </div>
        </details>
      )}
    </figure>
  );
}

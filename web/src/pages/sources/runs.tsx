import type { JSX } from 'preact';
import type { Output } from '../../api/client.ts';
import { Time } from '../../parts/time.tsx';
import { SOURCES } from '../../text/pages/sources.ts';
import { counted, formatDuration, t } from '../../text/text.ts';

export type SourceInfo = Output<'/api/v1/memory/sources'>['sources'][number];
type Runs = NonNullable<SourceInfo['recent_runs']>;

/** In the units of the drawing. */
const BAR = { width: 5, gap: 2, height: 24, least: 3 };

/** A bar for each of the last runs, as high as its duration. A failed one is as high as the drawing, and has a notch. */
export function Sparkline({ runs }: { readonly runs: Runs }): JSX.Element | null {
  if (runs.length === 0) return null;
  const longest = Math.max(...runs.map(({ took_ms: took }) => took), 1);
  const width = runs.length * (BAR.width + BAR.gap) - BAR.gap;
  const failed = runs.filter((run) => run.failed).length;
  const label = counted(SOURCES.runs, runs.length, { failed, longest: formatDuration(longest) });
  return (
    <svg
      class="sparkline"
      role="img"
      aria-label={label}
      width={width}
      height={BAR.height}
      viewBox={`0 0 ${String(width)} ${String(BAR.height)}`}
    >
      <title>{label}</title>
      {runs.map(({ at, took_ms: took, failed: isFailed }, i) => {
        const height = isFailed ? BAR.height : BAR.least + ((BAR.height - BAR.least) * took) / longest;
        const x = i * (BAR.width + BAR.gap);
        return (
          <g key={at} class={isFailed ? 'failed' : undefined}>
            <rect x={x} y={BAR.height - height} width={BAR.width} height={height} rx={1} />
            {isFailed && <rect class="notch" x={x} y={BAR.height / 2 - 1} width={BAR.width} height={2} />}
          </g>
        );
      })}
    </svg>
  );
}

/** The same as a table, the last run first. */
export function RunsTable({ runs }: { readonly runs: Runs }): JSX.Element | null {
  if (runs.length === 0) return null;
  return (
    <details>
      <summary>{t(SOURCES.runsTable)}</summary>
      <div class="table-frame" tabIndex={0} role="region" aria-label={t(SOURCES.runsTable)}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{t(SOURCES.runAt)}</th>
              <th scope="col">{t(SOURCES.runResult)}</th>
              <th scope="col" class="number">
                {t(SOURCES.factTook)}
              </th>
            </tr>
          </thead>
          <tbody>
            {runs.toReversed().map(({ at, took_ms: took, failed }) => (
              <tr key={at}>
                <td>
                  <Time iso={at} />
                </td>
                <td>{t(failed ? SOURCES.failed : SOURCES.succeeded)}</td>
                <td class="number">{formatDuration(took)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

const TONES: Partial<Record<SourceInfo['condition'], string>> = {
  fresh: 'good',
  failing: 'bad',
  broken: 'bad',
  stale: 'warn',
  gone: 'warn',
  'waiting for approval': 'warn',
  'changed, waiting for approval': 'warn',
};

export function Condition({ source: { condition } }: { readonly source: SourceInfo }): JSX.Element {
  return <span class={`label ${TONES[condition] ?? ''}`}>{t(SOURCES[condition])}</span>;
}

import { ageOf } from '../../../core/time/age.ts';
import { counted } from '../../../core/text/counted.ts';
import type { LociError } from '../../../core/errors.ts';
import type { KeeperEvent } from '../../../engine/refresh/keeper.ts';
import type { SourceReport } from '../../../engine/sources/reports.ts';
import { columnsOf, type Output } from '../../shared/io.ts';
import { escapeControlJson, oneLine } from '../../shared/escape-control.ts';
import type { Style } from '../format/style.ts';
import { clip } from '../format/text-width.ts';

/** What happened, for a person; `null` for what is not worth a line. */
export function eventLine(event: KeeperEvent, style: Style): string | null {
  const time = clock(style);
  switch (event.kind) {
    case 'begun':
    case 'left':
      return null;
    case 'embedded':
      return `${time} ${counted(event.contents, 'text')} embedded`;
    case 'refreshed': {
      const { added, updated, removed } = event.report;
      const counts = [
        [added, 'added'],
        [updated, 'updated'],
        [removed, 'removed'],
      ] as const;
      const told = counts.filter(([count]) => count > 0).map(([count, what]) => `${String(count)} ${what}`);
      return told.length === 0 ? null : `${time} ${style.bold(oneLine(event.source))}: ${told.join(', ')}`;
    }
    case 'failed':
      return `${time} ${style.bold(oneLine(event.source))}: ${style.bad(oneLine(event.error.message))}`;
    case 'waiting':
      return `${time} ${style.bold(oneLine(event.source))}: ${style.warning(oneLine(event.error.message))} ${style.dim(oneLine(event.error.hint))}`;
  }
}

/** That the settings changed, and are kept to from now on unless there is an error. */
export function settingsLine(file: string, error: LociError | null, style: Style): string {
  const name = style.bold(oneLine(file));
  if (error === null) return `${clock(style)} ${name} changed, and is kept to from now on`;
  return `${clock(style)} ${name} changed, and the former settings go on: ${style.bad(oneLine(error.message))} → ${style.dim(oneLine(error.hint))}`;
}

export function settingsJson(file: string, error: LociError | null): string {
  return line({
    at: new Date().toISOString(),
    event: 'settings',
    file,
    ...(error && { error: told(error) }),
  });
}

function clock(style: Style): string {
  return style.dim(new Date().toTimeString().slice(0, 8));
}

function told({ code, message, hint }: LociError): object {
  return { code, message, hint };
}

/** The same as a line of JSON. */
export function jsonLine(event: KeeperEvent): string {
  const at = new Date().toISOString();
  if (event.kind === 'failed' || event.kind === 'waiting') {
    return line({ at, event: event.kind, source: event.source, error: told(event.error) });
  }
  if (event.kind !== 'refreshed') {
    const { kind, ...rest } = event;
    return line({ at, event: kind, ...rest });
  }
  const { added, updated, removed, unchanged } = event.report;
  return line({ at, event: event.kind, source: event.source, added, updated, removed, unchanged });
}

function line(value: object): string {
  return escapeControlJson(JSON.stringify(value));
}

/** How everything is, in one line of the terminal. */
export function statusLine(
  reports: readonly SourceReport[],
  running: ReadonlySet<string>,
  output: Output,
  now: number = Date.now(),
): string {
  const counts = new Map<string, number>();
  for (const { condition } of reports) counts.set(condition, (counts.get(condition) ?? 0) + 1);
  const told = [...counts].map(([condition, count]) => `${String(count)} ${condition}`);
  const due = reports
    .flatMap(({ id, state, condition }) =>
      (condition === 'fresh' || condition === 'failing') && (state?.nextAt ?? 0) > now
        ? [{ id, at: state?.nextAt ?? 0 }]
        : [],
    )
    .toSorted((a, b) => a.at - b.at)[0];
  const next = due === undefined ? [] : [`next ${due.id} ${ageOf(due.at, now)}`];
  const busy = running.size === 0 ? next : [`reading ${[...running].join(', ')}`];
  return clip(
    oneLine([...told, ...busy].join(' · ')),
    Math.min(output.columns || Infinity, columnsOf(output)) - 1,
  );
}

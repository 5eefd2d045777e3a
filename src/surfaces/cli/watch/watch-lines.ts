import { formatCount } from '../../../core/text/format-count.ts';
import type { RefreshEvent } from '../../../engine/reading/refresh-scheduler.ts';
import { formatCommand } from '../../../engine/reading/approval/approval.ts';
import { isUnconfigured, type SourceReport } from '../../../engine/reading/reports.ts';
import { alignColumns } from '../format/table.ts';
import { escapeControlJson, oneLine } from '../../shared/escape-control.ts';
import { shellWord } from '../../../core/text/split-command.ts';
import { countsText } from '../format/phrases.ts';
import { durationText } from '../format/times.ts';
import type { Style } from '../format/style.ts';

/** One line for each vault and source, which says how often it is refreshed, or why it is not refreshed. */
export function sourceLines(reports: readonly SourceReport[], style: Style, columns: number): string[] {
  const rows = configured(reports).map((report) => {
    const interval = `every ${durationText((report.refreshInterval ?? 0) / 1000)}`;
    const schedule = skipReason(report) ?? interval;
    return [`  ${oneLine(report.id)}`, oneLine(commandOrFolder(report)), oneLine(schedule)];
  });
  return alignColumns(rows, { columns, flexible: [1], cellStyles: [style.bold, String, style.dim] });
}

/** The content of `sourceLines` as one line of JSON. */
export function sourcesJson(reports: readonly SourceReport[]): string {
  const sources = configured(reports).map((report) => ({
    id: report.id,
    kind: report.kind,
    condition: report.condition,
    refresh_interval_ms: report.refreshInterval,
    skipped: skipReason(report),
  }));
  return jsonLine('watching', { sources });
}

function configured(reports: readonly SourceReport[]): SourceReport[] {
  return reports.filter(({ condition }) => !isUnconfigured(condition));
}

function commandOrFolder({ kind, folder, command }: SourceReport): string {
  if (command !== null) return formatCommand(command.argv);
  return kind === 'vault' ? (folder ?? '') : '';
}

function skipReason({ id, condition, error }: SourceReport): string | null {
  switch (condition) {
    case 'fresh':
    case 'stale':
    case 'new':
    case 'failing':
      return null;
    case 'paused':
      return `paused: loci sources resume ${shellWord(id)}`;
    case 'disabled':
      return 'disabled (enabled: false)';
    case 'waiting for approval':
    case 'changed, waiting for approval':
      return `${condition}: loci sources approve ${shellWord(id)}`;
    case 'broken':
    case 'gone':
    case 'set elsewhere':
      return error === null ? condition : `${condition}: ${error}`;
  }
}

/** A line for an event; `null` for an event that is not shown. */
export function eventLine(event: RefreshEvent, style: Style): string | null {
  const text = eventText(event, style);
  return text === null ? null : `${style.dim(new Date().toTimeString().slice(0, 8))} ${text}`;
}

function eventText(event: RefreshEvent, style: Style): string | null {
  if (event.kind === 'settings') return 'The settings of loci.yaml have changed, and are in force.';
  if (event.kind === 'embedded') return `${formatCount(event.contents, 'text')} embedded`;
  const source = style.bold(oneLine(event.source));
  switch (event.kind) {
    case 'begun':
    case 'left':
      return null;
    case 'refreshed': {
      const { added, updated, removed } = event.report;
      const changes = countsText([
        [added, 'added'],
        [updated, 'updated'],
        [removed, 'removed'],
      ]);
      return `${source}: ${changes.length === 0 ? 'no changes' : changes.join(', ')}`;
    }
    case 'failed':
      return `${source}: ${style.bad(oneLine(event.error.message))}`;
    case 'waiting':
      return `${source}: ${style.warning(oneLine(event.error.message))} ${style.dim(oneLine(event.error.hint))}`;
  }
}

/** The event as a line of JSON. */
export function eventJson({ kind, ...event }: RefreshEvent): string {
  if ('error' in event) {
    const { code, message, hint } = event.error;
    return jsonLine(kind, { source: event.source, error: { code, message, hint } });
  }
  if (!('report' in event)) return jsonLine(kind, event);
  const { added, updated, removed, unchanged } = event.report;
  return jsonLine(kind, { source: event.source, added, updated, removed, unchanged });
}

function jsonLine(event: string, fields: object): string {
  return escapeControlJson(JSON.stringify({ at: new Date().toISOString(), event, ...fields }));
}

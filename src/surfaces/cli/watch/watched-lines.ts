import { commandInWords } from '../../../engine/sources/approval.ts';
import type { SourceReport } from '../../../engine/sources/reports.ts';
import { aligned } from '../format/table.ts';
import { shellWord } from '../fields.ts';
import { escapeControlJson, oneLine } from '../../shared/escape-control.ts';
import { duration } from '../format/progress-display.ts';
import type { Style } from '../format/style.ts';

/** What is kept fresh and how often, and what is not and why: a line each. */
export function watchedLines(reports: readonly SourceReport[], style: Style, columns: number): string[] {
  const watched = watchedOf(reports);
  if (watched.length === 0) return ['Nothing is kept fresh: loci.yaml names no vaults and no sources.'];
  const rows = watched.map((report) => {
    const why = whySkipped(report);
    const often = `every ${duration((report.refreshInterval ?? 0) / 1000)}`;
    return [`  ${oneLine(report.id)}`, oneLine(whatOf(report)), why === null ? often : oneLine(why)];
  });
  return aligned(rows, { columns, flexible: [1], paints: [style.bold, String, style.dim] });
}

/** The same as a line of JSON. */
export function watchedJson(reports: readonly SourceReport[]): string {
  const sources = watchedOf(reports).map((report) => ({
    id: report.id,
    kind: report.kind,
    condition: report.condition,
    refresh_interval_ms: report.refreshInterval,
    skipped: whySkipped(report),
  }));
  return escapeControlJson(JSON.stringify({ at: new Date().toISOString(), event: 'watching', sources }));
}

function watchedOf(reports: readonly SourceReport[]): SourceReport[] {
  return reports.filter(({ condition }) => condition !== 'gone');
}

function whatOf({ kind, folder, approvable }: SourceReport): string {
  if (approvable !== null) return commandInWords(approvable.argv);
  return kind === 'vault' ? (folder ?? '') : '';
}

function whySkipped({ id, condition, error }: SourceReport): string | null {
  switch (condition) {
    case 'fresh':
    case 'stale':
    case 'new':
    case 'failing':
      return null;
    case 'paused':
      return `paused: loci sources resume ${shellWord(id)}`;
    case 'disabled':
      return 'switched off (enabled: false)';
    case 'waiting for approval':
    case 'changed, waiting for approval':
      return `${condition}: loci sources approve ${shellWord(id)}`;
    case 'broken':
    case 'gone':
      return error === null ? condition : `${condition}: ${error}`;
  }
}

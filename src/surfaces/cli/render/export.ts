import type { ExportOutput } from '../../../operations/export.ts';
import { neutraliseJson, oneLine } from '../neutralise.ts';
import { duration } from '../progress.ts';
import type { Renderer } from './renderer.ts';

export const exportRenderer: Renderer<ExportOutput> = {
  notices: ({ next }) =>
    next === null
      ? []
      : [`this is not all: \`--to FILE\` writes everything, \`--after ${next}\` gives the next page`],
  render: ({ lines, to, records, deleted, startup, audit, took_ms }, { terminal, style }) => {
    if (to === null) return terminal ? neutraliseJson(lines ?? '') : (lines ?? '');
    const of = `${told(records, 'record', 'records')} (${String(deleted ?? 0)} deleted)`;
    const beside = `${told(startup, 'startup entry', 'startup entries')}, ${told(audit, 'audit entry', 'audit entries')}`;
    const end = style.dim(`Done in ${duration(took_ms / 1000)}.`);
    return `Exported ${of}, ${beside} to ${oneLine(to)}.\n${end}\n`;
  },
};

function told(count: number | null, one: string, many: string): string {
  return `${String(count ?? 0)} ${count === 1 ? one : many}`;
}

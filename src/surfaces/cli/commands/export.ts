import { counted } from '../../../core/text/counted.ts';
import type { ExportOutput } from '../../../operations/portable/export.ts';
import { escapeControlJson, oneLine } from '../../shared/escape-control.ts';
import { duration } from '../format/progress-display.ts';
import type { Renderer } from './operation-command.ts';

export const exportRenderer: Renderer<ExportOutput> = {
  notices: ({ next }) =>
    next === null
      ? []
      : [`this is not all: \`--to FILE\` writes everything, \`--after ${next}\` gives the next page`],
  render: ({ lines, to, records, deleted, startup, audit, history, took_ms }, { terminal, style }) => {
    if (to === null) return terminal ? escapeControlJson(lines ?? '') : (lines ?? '');
    const of = `${counted(records ?? 0, 'record')} (${String(deleted ?? 0)} deleted)`;
    const related = [
      counted(startup ?? 0, 'startup entry', 'startup entries'),
      counted(audit ?? 0, 'audit entry', 'audit entries'),
      counted(history ?? 0, 'run'),
    ];
    const end = style.dim(`Done in ${duration(took_ms / 1000)}.`);
    return `Exported ${[of, ...related].join(', ')} to ${oneLine(to)}.\n${end}\n`;
  },
};

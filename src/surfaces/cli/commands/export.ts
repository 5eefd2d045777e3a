import { formatCount } from '../../../core/text/format-count.ts';
import type { ExportOutput } from '../../../operations/portable/export.ts';
import { escapeControlJson, oneLine } from '../../shared/escape-control.ts';
import { durationText } from '../format/times.ts';
import type { OperationCommand } from './operation-command.ts';

export const exportMemory: OperationCommand<ExportOutput> = {
  isLong: true,
  warnings: ({ next }) =>
    next === null
      ? []
      : [`this is only a part: \`--to FILE\` writes everything, \`--after ${next}\` prints the next page`],
  render: (
    { lines, to, records, deleted, startup, concept_change, audit, history, took_ms },
    { terminal, style },
  ) => {
    if (to === null) return terminal ? escapeControlJson(lines ?? '') : (lines ?? '');
    const recordCount = `${formatCount(records ?? 0, 'record')} (${String(deleted ?? 0)} deleted)`;
    const otherCounts = [
      formatCount(startup ?? 0, 'startup entry', 'startup entries'),
      ...((concept_change ?? 0) > 0 ? [`${formatCount(concept_change ?? 0, 'change')} of concepts`] : []),
      formatCount(audit ?? 0, 'audit entry', 'audit entries'),
      formatCount(history ?? 0, 'run'),
    ];
    const end = style.dim(`Done in ${durationText(took_ms / 1000)}.`);
    return `Exported ${[recordCount, ...otherCounts].join(', ')} to ${oneLine(to)}.\n${end}\n`;
  },
};

import type { TimelineOutput } from '../../../../operations/records/timeline.ts';
import { oneLine } from '../../../shared/escape-control.ts';
import { alignColumns } from '../../format/table.ts';
import type { OperationCommand } from '../operation-command.ts';
import { originText } from './provenance.ts';

export const timeline: OperationCommand<TimelineOutput> = {
  operands: [{ field: 'anchor', label: 'citation', takes: 'words' }],
  shortOptions: { before: 'b', after: 'a' },
  commaLists: ['tags'],
  render: ({ entries, more_before: moreBefore, more_after: moreAfter }, { style, columns }) => {
    const more = [...(moreBefore ? ['older'] : []), ...(moreAfter ? ['newer'] : [])].join(' and ');
    if (entries.length === 0)
      return more === '' ? 'No records.\n' : 'The budget is too small for one line; --budget raises it.\n';
    const rows = entries.map((entry) => [
      entry.position === 'anchor' ? '>' : '',
      entry.when,
      oneLine(entry.title),
      originText(entry),
      oneLine(entry.citation),
    ]);
    const cellStyles = [style.bold, style.dim, String, style.dim, style.link];
    const lines = alignColumns(rows, { columns, flexible: [2, 3], cellStyles });
    return [...lines, ...(more === '' ? [] : ['', style.dim(`there are ${more} records`)]), ''].join('\n');
  },
};

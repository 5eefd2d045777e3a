import { formatCount } from '../../../../core/text/format-count.ts';
import type { ListOutput } from '../../../../operations/records/list.ts';
import { oneLine } from '../../../shared/escape-control.ts';
import { alignColumns } from '../../format/table.ts';
import type { OperationCommand } from '../operation-command.ts';
import { unmatchedLine } from './nothing-found.ts';
import { originText } from './provenance.ts';

export const list: OperationCommand<ListOutput> = {
  shortOptions: { limit: 'n' },
  commaLists: ['tags'],
  render: ({ records, total, next, unmatched }, { style, columns }) => {
    if (records.length === 0) {
      const reasons = unmatched.map(unmatchedLine);
      return ['No records.', ...reasons, ''].join('\n');
    }
    const rows = records.map((record) => [
      oneLine(record.citation),
      oneLine(record.title),
      originText(record),
      record.age,
    ]);
    const cellStyles = [style.link, String, style.dim, style.dim];
    const lines = alignColumns(rows, { columns, flexible: [1, 2], cellStyles });
    const count = formatCount(total, 'record');
    const shown = records.length === total ? count : `${String(records.length)} of ${count}`;
    const more = next === null ? '' : `; \`--after ${String(next)}\` shows the next page`;
    return [...lines, '', style.dim(shown + more), ''].join('\n');
  },
};

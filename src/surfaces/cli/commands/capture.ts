import type {
  AcceptProposalsOutput,
  ListProposalsOutput,
  RejectProposalsOutput,
} from '../../../engine/capture/proposals.ts';
import { formatCount } from '../../../core/text/format-count.ts';
import { oneLine } from '../../shared/escape-control.ts';
import { alignColumns } from '../format/table.ts';
import { ageText, timeLeftText } from '../format/times.ts';
import type { OperationCommand } from './operation-command.ts';

const IDS = { operands: [{ field: 'ids', label: 'id', takes: 'list' }] } as const;

export const captureList: OperationCommand<ListProposalsOutput> = {
  shortOptions: { limit: 'n' },
  render: ({ proposals, total, next }, { style, columns }) => {
    if (proposals.length === 0)
      return 'No proposals wait. Those of an agent of OpenClaw: `loci capture list --namespace agent:ID`.\n';
    const now = Date.now();
    const rows = proposals.map(({ id, text, proposed_at, expires_at }) => [
      String(id),
      oneLine(text),
      ageText(proposed_at, now),
      timeLeftText(expires_at, now),
    ]);
    const lines = alignColumns(rows, {
      columns,
      flexible: [1],
      cellStyles: [style.bold, String, style.dim, style.dim],
    });
    const count = formatCount(total, 'proposal');
    const shown = proposals.length === total ? count : `${String(proposals.length)} of ${count}`;
    const more = next === null ? '' : `; \`--after ${String(next)}\` shows the next page`;
    return [...lines, '', style.dim(shown + more), ''].join('\n');
  },
};

export const captureAccept: OperationCommand<AcceptProposalsOutput> = {
  ...IDS,
  render: ({ accepted }) =>
    accepted.map(({ text, citation }) => `Remembered as ${citation}: ${oneLine(text)}\n`).join(''),
};

export const captureReject: OperationCommand<RejectProposalsOutput> = {
  ...IDS,
  render: ({ rejected }) => rejected.map(({ text }) => `Rejected: ${oneLine(text)}\n`).join(''),
};

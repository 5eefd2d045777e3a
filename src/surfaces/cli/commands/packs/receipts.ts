import { formatCount } from '../../../../core/text/format-count.ts';
import type { LabelOutput } from '../../../../operations/packs/receipt-fields.ts';
import type { ReceiptListOutput } from '../../../../operations/packs/receipt-list.ts';
import type { ReceiptShowOutput } from '../../../../operations/packs/receipt-show.ts';
import type { ReceiptVerifyOutput } from '../../../../operations/packs/receipt-verify.ts';
import { oneLine, toJson } from '../../../shared/escape-control.ts';
import { alignColumns } from '../../format/table.ts';
import { localTime } from '../../format/times.ts';
import type { OperationCommand } from '../operation-command.ts';

export const receiptList: OperationCommand<ReceiptListOutput> = {
  shortOptions: { limit: 'n' },
  render: ({ receipts, next }, { style, columns }) => {
    if (receipts.length === 0) return 'No receipts.\n';
    const rows = receipts.map((receipt) => [
      receipt.id,
      localTime(receipt.at),
      receipt.kind,
      `${String(receipt.items)} of ${String(receipt.candidates)}`,
      `${String(receipt.used_tokens)} of ${formatCount(receipt.budget_tokens, 'token')}`,
      receipt.failed_lanes.length === 0 ? '' : `failed: ${receipt.failed_lanes.map(oneLine).join(', ')}`,
    ]);
    const cellStyles = [style.link, style.dim, String, String, style.dim, style.warning];
    const more = next === null ? [] : ['', style.dim(`\`--after ${next}\` shows the next page`)];
    return [...alignColumns(rows, { columns, flexible: [5], cellStyles }), ...more, ''].join('\n');
  },
};

export const receiptShow: OperationCommand<ReceiptShowOutput> = {
  operands: [{ field: 'id', label: 'receipt', takes: 'one' }],
  render: (output) => `${toJson(output)}\n`,
};

export const receiptVerify: OperationCommand<ReceiptVerifyOutput> = {
  operands: [{ field: 'id', label: 'receipt', takes: 'one' }],
  inputOnly: ['prompt'],
  render: ({ receipts, prompt_bytes: total, from_records: covered }, { style, columns }) => {
    if (receipts.length === 0) return 'The prompt has nothing of a receipt.\n';
    const lines = receipts.flatMap(({ id, kind, at, whole, pieces }) => [
      `${style.link(id)}  ${kind}  ${style.dim(localTime(at))}${whole === true ? '  whole' : ''}`,
      ...alignColumns(
        pieces.map((piece) => [
          piece.prompt === null ? '' : `${String(piece.prompt.start)}-${String(piece.prompt.end)}`,
          piece.state,
          piece.level,
          oneLine(piece.citation ?? `${piece.record} ${piece.hash.slice(0, 12)}…`),
          piece.field === 'title' ? 'title' : '',
        ]),
        { columns, flexible: [3], cellStyles: [style.dim, String, style.dim, style.link, style.dim] },
      ),
      '',
    ]);
    const summary = total === 0 ? [] : [`${String(covered)} of ${String(total)} bytes came from records`, ''];
    return [...lines, ...summary].join('\n');
  },
};

export const receiptLabel: OperationCommand<LabelOutput> = {
  operands: [
    { field: 'id', label: 'receipt', takes: 'one' },
    { field: 'item', label: 'item', takes: 'one' },
    { field: 'verdict', label: 'verdict', takes: 'one' },
  ],
  render: ({ record, verdict, query }) =>
    `${record} is ${verdict === 'useful' ? 'useful' : 'not useful'}` +
    `${query === null ? '. Give --query to score rankings with this label' : ''}.\n`,
};

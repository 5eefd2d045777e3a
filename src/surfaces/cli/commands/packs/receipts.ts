import { formatCount } from '../../../../core/text/format-count.ts';
import type {
  ReceiptMarkOutput,
  ReceiptListOutput,
  ReceiptShowOutput,
} from '../../../../engine/packs/receipts.ts';
import type { ReceiptVerifyOutput } from '../../../../engine/packs/verify-receipt.ts';
import { oneLine } from '../../../shared/escape-control.ts';
import { alignColumns } from '../../format/table.ts';
import { localTimeText } from '../../format/times.ts';
import type { OperationCommand, View } from '../operation-command.ts';
import { nextPageLines } from '../../format/output-text.ts';

/** A pipe or a file gets whole cells. */
function tableColumns({ terminal, columns }: Pick<View, 'terminal' | 'columns'>): number {
  return terminal ? columns : Number.POSITIVE_INFINITY;
}

export const receiptList: OperationCommand<ReceiptListOutput> = {
  warnings: ({ unreadable }) =>
    unreadable.map((id) => `the receipt ${oneLine(id)} cannot be read, and is left out`),
  shortOptions: { limit: 'n' },
  render: ({ receipts, next }, { style, ...view }) => {
    const columns = tableColumns(view);
    if (receipts.length === 0) return 'No receipts.\n';
    const rows = receipts.map((receipt) => [
      receipt.id,
      localTimeText(receipt.at),
      receipt.kind,
      oneLine(receipt.caller?.actor ?? ''),
      `${String(receipt.items)} of ${String(receipt.candidates)}`,
      `${String(receipt.used_tokens)} of ${formatCount(receipt.budget, 'token')}`,
      receipt.failed_lanes.length === 0 ? '' : `failed: ${receipt.failed_lanes.map(oneLine).join(', ')}`,
    ]);
    const cellStyles = [style.link, style.dim, String, style.dim, String, style.dim, style.warning];
    return [
      ...alignColumns(rows, { columns, flexible: [6], cellStyles }),
      ...nextPageLines(next, { style }),
      '',
    ].join('\n');
  },
};

export const receiptShow: OperationCommand<ReceiptShowOutput> = {
  operands: [{ field: 'id', label: 'receipt', takes: 'one' }],
  render: ({ receipt, records }, { style, ...view }) => {
    const columns = tableColumns(view);
    const { id, kind, at, budget, lanes, candidates, pieces, hash } = receipt;
    const included = candidates.filter((candidate) => candidate.included).length;
    const laneRows = lanes.map(({ name, status, took_ms: took, candidates: found, failure }) => [
      oneLine(name),
      status === 'failed' ? `failed (${oneLine(failure ?? '')})` : status,
      status === 'off' ? '' : `${String(Math.round(took))} ms`,
      status === 'off' ? '' : formatCount(found, 'candidate'),
    ]);
    const names = new Map(records.map(({ record, citation }) => [record, citation]));
    const candidateRows = candidates.map((candidate, i) => [
      candidate.score.toFixed(3),
      oneLine(candidate.lane),
      oneLine(names.get(candidate.record) ?? candidate.record),
      candidate.included ? piecesText(pieces, i) : `left out: ${candidate.reason ?? ''}`,
      candidate.verdict ?? '',
    ]);
    return [
      `${style.link(id)}  ${kind}  ${style.dim(localTimeText(at))}`,
      `${String(budget.used)} of ${String(budget.tokens)} ${oneLine(budget.tokenizer)} tokens, ` +
        `${String(included)} of ${formatCount(candidates.length, 'candidate')}, SHA-256 ${hash.slice(0, 12)}…`,
      '',
      ...alignColumns(laneRows, { columns, flexible: [1] }),
      '',
      ...alignColumns(candidateRows, { columns, flexible: [2], cellStyles: [String, style.dim, style.link] }),
      '',
    ].join('\n');
  },
};

/** `L2 lines 3-9`: the parts of a candidate that are in the text. */
function piecesText(pieces: ReceiptShowOutput['receipt']['pieces'], candidate: number): string {
  const own = pieces.filter((piece) => piece.candidate === candidate);
  const parts = own.map(({ level, field, lines: { from, to } }) =>
    field === 'title'
      ? `${level} title`
      : `${level} ${from === to ? 'line' : 'lines'} ${rangeText(from, to)}`,
  );
  return [...new Set(parts)].join(', ');
}

function rangeText(from: number, to: number): string {
  return from === to ? String(from) : `${String(from)}-${String(to)}`;
}

export const receiptVerify: OperationCommand<ReceiptVerifyOutput> = {
  operands: [{ field: 'id', label: 'receipt', takes: 'one' }],
  inputOnly: ['prompt'],
  render: ({ receipts, prompt_bytes: total, from_records: covered }, { style, ...view }) => {
    const columns = tableColumns(view);
    if (receipts.length === 0) return 'The prompt has nothing of a receipt.\n';
    const isCompared = total > 0;
    const lines = receipts.flatMap(({ id, kind, at, whole, pieces }) => [
      `${style.link(id)}  ${kind}  ${style.dim(localTimeText(at))}${whole === true ? '  whole' : isCompared ? '  not whole in the prompt' : ''}`,
      ...alignColumns(
        pieces.map((piece) => [
          piece.prompt === null
            ? isCompared
              ? 'not in it'
              : ''
            : `${String(piece.prompt.start)}-${String(piece.prompt.end)}`,
          piece.state,
          piece.level,
          oneLine(piece.citation ?? `${piece.record} ${piece.hash.slice(0, 12)}…`),
          [piece.field === 'title' ? 'title' : '', piece.record_is_same ? '' : 'the record has changed']
            .filter((part) => part !== '')
            .join(', '),
        ]),
        { columns, flexible: [3], cellStyles: [style.dim, String, style.dim, style.link, style.dim] },
      ),
      '',
    ]);
    const summary = total === 0 ? [] : [`${String(covered)} of ${String(total)} bytes came from records`, ''];
    return [...lines, ...summary].join('\n');
  },
};

export const receiptMark: OperationCommand<ReceiptMarkOutput> = {
  operands: [
    { field: 'id', label: 'receipt', takes: 'one' },
    { field: 'item', label: 'item', takes: 'one' },
    { field: 'verdict', label: 'verdict', takes: 'one' },
  ],
  render: ({ record, verdict, query }) =>
    `${record} is ${verdict === 'useful' ? 'useful' : 'not useful'}` +
    `${query === null ? '. Give --query to score rankings with this mark' : ''}.\n`,
};

/** Commands that print lists, or one thing, by the names of their fields. */

import { formatCount } from '../../../core/text/format-count.ts';
import type { DeleteNamespaceOutput } from '../../../engine/access/delete-namespace.ts';
import type { SetQuotaOutput } from '../../../engine/access/quotas.ts';
import type { TokenCreateOutput, TokenListOutput, TokenOutput } from '../../../engine/access/tokens.ts';
import type { GoldenOutput } from '../../../engine/golden/golden.ts';
import type {
  ReceiptListOutput,
  ReceiptMarkOutput,
  ReceiptShowOutput,
} from '../../../engine/packs/receipts.ts';
import type { ReceiptVerifyOutput } from '../../../engine/packs/verify-receipt.ts';
import { oneLine } from '../../shared/escape-control.ts';
import { tables } from '../format/output-text.ts';
import type { Operand, OperationCommand } from './operation-command.ts';

const RECEIPT: Operand = { field: 'id', label: 'receipt', takes: 'one' };

export const receiptList: OperationCommand<ReceiptListOutput> = {
  warnings: ({ unreadable }) =>
    unreadable.map((id) => `the receipt ${oneLine(id)} cannot be read, and is left out`),
  shortOptions: { limit: 'n' },
  render: tables({ receipts: 'id at kind items candidates used_tokens budget failed_lanes' }, 'No receipts.'),
};

export const receiptShow: OperationCommand<ReceiptShowOutput> = {
  operands: [RECEIPT],
  render: ({ receipt: { candidates, pieces, ...receipt }, records }, view) => {
    const citations = new Map(records.map(({ record, citation }) => [record, citation]));
    const nameOf = (record = ''): string => citations.get(record) ?? record;
    const named = {
      candidates: candidates.map((each) => ({ ...each, record: nameOf(each.record) })),
      pieces: pieces.map((each) => ({ ...each, record: nameOf(candidates[each.candidate]?.record) })),
    };
    return tables(
      {
        lanes: 'name status candidates took_ms failure',
        candidates: 'score lane record included reason verdict',
        pieces: 'record level field lines',
      },
      '',
      'id kind at budget hash',
    )({ ...receipt, ...named }, view);
  },
};

export const receiptVerify: OperationCommand<ReceiptVerifyOutput> = {
  operands: [RECEIPT],
  inputOnly: ['prompt'],
  render: ({ receipts, prompt_bytes: total, from_records: covered }, view) => {
    const pieces = receipts.flatMap((receipt) =>
      receipt.pieces.map((piece) => ({
        ...piece,
        bytes: piece.prompt === null ? null : `${String(piece.prompt.start)}-${String(piece.prompt.end)}`,
        receipt: receipt.id,
        record: piece.citation ?? `${piece.record} ${piece.hash.slice(0, 12)}…`,
      })),
    );
    const summary = total === 0 ? '' : `${String(covered)} of ${String(total)} bytes came from records\n`;
    return (
      tables(
        { receipts: 'id kind at whole', pieces: 'receipt bytes state level field record_is_same record' },
        'The prompt has nothing of a receipt.',
      )({ receipts, pieces }, view) + summary
    );
  },
};

export const receiptMark: OperationCommand<ReceiptMarkOutput> = {
  operands: [
    RECEIPT,
    { field: 'item', label: 'item', takes: 'one' },
    { field: 'verdict', label: 'verdict', takes: 'one' },
  ],
  render: ({ record, verdict, query }) =>
    `${record} is ${verdict === 'useful' ? 'useful' : 'not useful'}` +
    `${query === null ? '. Give --query to score rankings with this mark' : ''}.\n`,
};

export const tokenCreate: OperationCommand<TokenCreateOutput> = {
  render: ({ token, note, ...about }, view) =>
    tables({}, '', 'id name subject scopes expires_at')(about, view) +
    `\nThis is the only time that its text is shown; Loci does not store it:\n\n${view.style.bold(token)}\n` +
    (note === null ? '' : `\nNote: ${oneLine(note)}.\n`),
};

export const tokenList: OperationCommand<TokenListOutput> = {
  render: tables(
    { tokens: 'id kind name subject scopes expires_at used_at revoked_at' },
    'There are no tokens. `loci serve token create --subject NAME` creates one.',
  ),
};

export const tokenRevoke: OperationCommand<TokenOutput> = {
  operands: [{ field: 'token', label: 'token', takes: 'one' }],
  render: ({ kind, name, id }) =>
    `The ${kind === 'token' ? 'token' : 'page session of'} ${oneLine(name)} (${id}) is revoked.\n`,
};

export const deleteNamespace: OperationCommand<DeleteNamespaceOutput> = {
  operands: [{ field: 'namespace', label: 'namespace', takes: 'one' }],
  render: ({ namespace, dry_run: isDryRun, finished, ...found }) => {
    const contents = [
      formatCount(found.records, 'record'),
      formatCount(found.audit_entries, 'audit entry', 'audit entries'),
      formatCount(found.tokens, 'token'),
      formatCount(found.rows, 'row'),
    ].join(', ');
    if (isDryRun) return `Would delete ${oneLine(namespace)}: ${contents}.\n`;
    return finished
      ? `Deleted ${oneLine(namespace)}: ${contents}.\nTake it out of the settings of every machine: its vaults and sources are not read any more.\n`
      : `Deleted ${formatCount(found.deleted, 'row')} of ${oneLine(namespace)}. Run the command again to go on.\n`;
  },
};

export const setQuota: OperationCommand<SetQuotaOutput> = {
  operands: [{ field: 'namespace', label: 'namespace', takes: 'one' }],
  render: ({ namespace, records, bytes, requests_per_minute: requests }) => {
    const of = ({ used, limit }: SetQuotaOutput['records'], unit: string): string =>
      limit === null ? `${String(used)} ${unit} (no limit)` : `${String(used)} of ${String(limit)} ${unit}`;
    const rate = requests === null ? 'requests without a limit' : `${String(requests)} requests a minute`;
    return `${oneLine(namespace)} has ${of(records, 'records')} and ${of(bytes, 'bytes')}, and may send ${rate}.\n`;
  },
};

export const golden: OperationCommand<GoldenOutput> = {
  isLong: true,
  operands: [{ field: 'file', label: 'file', takes: 'one' }],
  shortOptions: { limit: 'n' },
  exitCode: ({ missing, failed }) => (missing + failed.length === 0 ? 0 : 1),
  warnings: ({ failed, notices }) => [
    ...failed.map(({ query, why }) => `${JSON.stringify(oneLine(query))} was left out: ${oneLine(why)}`),
    ...notices.map(oneLine),
  ],
  render: ({ queries, limit, missing, recall, mrr }, view) => {
    const changes = queries.flatMap(({ query, expected, added }) => [
      ...expected.flatMap(({ citation, place, now }) =>
        place === now ? [] : [{ query, citation, before: place, now: now ?? 'missing' }],
      ),
      ...added.map(({ citation, now }) => ({ query, citation, before: 'not expected', now })),
    ]);
    const recorded = queries.filter((each) => each.recorded).length;
    return (
      tables({ changes: 'query citation before now' })({ changes }, view) +
      `${formatCount(queries.length, 'query', 'queries')}, ${String(recorded)} recorded now, ` +
      `${formatCount(missing, 'expected result')} missing; recall@${String(limit)} ${recall.toFixed(3)}, MRR ${mrr.toFixed(3)}\n`
    );
  },
};

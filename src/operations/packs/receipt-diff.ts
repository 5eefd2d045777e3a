import { diffReceipts, receiptDiffInput, receiptDiffOutput } from '../../engine/packs/diff-receipts.ts';
import type { Operation } from '../operation.ts';

export const receiptDiffOperation: Operation<typeof receiptDiffInput, typeof receiptDiffOutput> = {
  name: 'receipt-diff',
  title: 'Compare two receipts',
  description:
    'Compares what two texts had: which records came in, which left and why, which moved, and what each spent of its budget.',
  input: receiptDiffInput,
  output: receiptDiffOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  examples: [{ title: 'A receipt and the last one', input: { before: 'latest', after: 'latest' } }],
  run: async (context, given) => diffReceipts(await context.loci(), given),
};

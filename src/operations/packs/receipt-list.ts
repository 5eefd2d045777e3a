import type { Operation } from '../operation.ts';
import { listReceipts, receiptListInput, receiptListOutput } from '../../engine/packs/receipts.ts';

export const receiptListOperation: Operation<typeof receiptListInput, typeof receiptListOutput> = {
  name: 'receipt-list',
  title: 'List receipts',
  description:
    'Lists what was given to agents: packs, graph indexes and recalled texts, newest first. `receipt-show` has the details.',
  input: receiptListInput,
  output: receiptListOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  examples: [
    { title: 'The last receipts', input: {} },
    { title: 'What was recalled without a request', input: { kind: 'recall' } },
  ],
  run: async (context, given) => listReceipts(await context.loci(), given),
};

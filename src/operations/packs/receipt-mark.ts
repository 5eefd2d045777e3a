import { markReceipt, receiptMarkInput, receiptMarkOutput } from '../../engine/packs/receipts.ts';
import type { Operation } from '../operation.ts';

export const receiptMarkOperation: Operation<typeof receiptMarkInput, typeof receiptMarkOutput> = {
  name: 'receipt-mark',
  title: 'Mark an item of a receipt',
  description:
    'Marks an item of a receipt as useful or not. A mark changes no ranking: `npm run eval -- --marks` scores the ranking with it.',
  input: receiptMarkInput,
  output: receiptMarkOutput,
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  examples: [{ title: 'The first item was useful', input: { id: 'latest', item: '1', verdict: 'useful' } }],
  run: async (context, given) => markReceipt(await context.loci(), given),
};

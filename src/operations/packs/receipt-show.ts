import type { Operation } from '../operation.ts';
import { showReceipt, receiptShowInput, receiptShowOutput } from '../../engine/packs/receipts.ts';

export const receiptShowOperation: Operation<typeof receiptShowInput, typeof receiptShowOutput> = {
  name: 'receipt-show',
  title: 'Show a receipt',
  description:
    'Shows which lanes were searched, which records were considered, which of their bytes were given to an agent, and why. ' +
    'A receipt has no content. Its schema is docs/receipt.schema.json.',
  input: receiptShowInput,
  output: receiptShowOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  examples: [{ title: 'The last one', input: { id: 'latest' } }],
  run: async (context, given) => showReceipt(await context.loci(), given),
};

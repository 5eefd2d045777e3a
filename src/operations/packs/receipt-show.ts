import { z } from 'zod';
import type { Operation } from '../operation.ts';
import { labelOutput, labelOutputOf, receiptId, receiptOutput } from './receipt-fields.ts';
import { showReceipt } from '../../engine/packs/receipts.ts';

const input = z.strictObject({ id: receiptId() });

const output = z.strictObject({
  receipt: receiptOutput(),
  labels: z.array(labelOutput).describe('What the operator says about its items.'),
  records: z
    .array(
      z.strictObject({
        record: z.string().describe('UUID.'),
        citation: z.string().describe('Accepted by `get`.'),
        title: z.string(),
      }),
    )
    .describe('What the records of the candidates are called now, except those that are deleted.'),
});
export type ReceiptShowOutput = z.infer<typeof output>;

export const receiptShowOperation: Operation<typeof input, typeof output> = {
  name: 'receipt-show',
  title: 'Show a receipt',
  description:
    'Shows which lanes were searched, which records were considered, which of their bytes were given to an agent, and why. ' +
    'A receipt has no content. Its schema is docs/receipt.schema.json.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  examples: [{ title: 'The last one', input: { id: 'latest' } }],
  run: async (context, { id }) => {
    const loci = await context.loci();
    const { receipt, labels, records } = await showReceipt(loci, id);
    return { receipt, labels: labels.map(labelOutputOf), records: [...records] };
  },
};

import type { Operation } from '../operation.ts';
import { labelItem, receiptLabelInput } from '../../engine/packs/labels.ts';
import { labelOutput } from '../../engine/packs/receipts.ts';

export const receiptLabelOperation: Operation<typeof receiptLabelInput, typeof labelOutput> = {
  name: 'receipt-label',
  title: 'Label an item of a receipt',
  description:
    'Marks an item of a receipt as useful or not. Labels are yours: they are exported, they change no ranking, and ' +
    '`npm run eval -- --labels` scores the ranking with them.',
  input: receiptLabelInput,
  output: labelOutput,
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  examples: [
    {
      title: 'The first item was useful',
      input: {
        id: 'latest',
        item: '1',
        verdict: 'useful',
        query: 'kitchen remodel',
      },
    },
  ],
  run: async (context, given) => labelItem(await context.loci(), given),
};

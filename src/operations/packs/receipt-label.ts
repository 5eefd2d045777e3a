import { z } from 'zod';
import type { Operation } from '../operation.ts';
import { labelOutput, labelOutputOf, receiptId, verdict } from './receipt-fields.ts';
import { labelItem } from '../../engine/packs/labels.ts';

const MAX_QUERY_LENGTH = 1_000_000;
const MAX_ITEM_LENGTH = 5000;

const input = z.strictObject({
  id: receiptId(),
  item: z
    .string()
    .min(1)
    .max(MAX_ITEM_LENGTH)
    .describe('A record of the receipt: its place in the text from 1, its citation, or its UUID.'),
  verdict: verdict().describe('Whether it was useful.'),
  query: z
    .string()
    .max(MAX_QUERY_LENGTH)
    .exactOptional()
    .describe('The query, of which the receipt has only the hash; needed to score a ranking with the label.'),
});

export const receiptLabelOperation: Operation<typeof input, typeof labelOutput> = {
  name: 'receipt-label',
  title: 'Label an item of a receipt',
  description:
    'Marks an item of a receipt as useful or not. Labels are yours: they are exported, they change no ranking, and ' +
    '`npm run eval -- --labels` scores the ranking with them.',
  input,
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
  run: async (context, { id, ...rest }) => {
    const loci = await context.loci();
    return labelOutputOf(await labelItem(loci, { receipt: id, ...rest }));
  },
};

import { z } from 'zod';
import type { Receipt } from '../../pack/receipt.ts';
import type { Operation } from '../operation.ts';
import { receiptKind } from './receipt-fields.ts';
import { listReceipts } from '../../engine/packs/receipts.ts';

const DEFAULT_LIMIT = 20;

const input = z.strictObject({
  kind: receiptKind().exactOptional().describe('Only receipts of this kind.'),
  limit: z
    .number()
    .int()
    .min(1)
    .max(500)
    .exactOptional()
    .describe(`Maximum number of receipts; ${String(DEFAULT_LIMIT)} unless given.`),
  after: z.string().max(64).exactOptional().describe('`next` of the previous page.'),
});

const count = () => z.number().int().nonnegative();

const summary = z.strictObject({
  id: z.uuid(),
  kind: receiptKind(),
  at: z.iso.datetime(),
  project: z.string().nullable(),
  items: count().describe('Records in the text.'),
  candidates: count().describe('Records that were considered.'),
  budget: count(),
  used_tokens: count(),
  failed_lanes: z.array(z.string()).describe('Lanes that failed or were late.'),
});

const output = z.strictObject({
  receipts: z.array(summary).describe('Newest first.'),
  unreadable: z
    .array(z.string())
    .describe('Ids of receipts that are left out, because what the store has of them cannot be read.'),
  next: z.string().nullable().describe('Where the next page begins; null on the last page.'),
});
export type ReceiptListOutput = z.infer<typeof output>;

export const receiptListOperation: Operation<typeof input, typeof output> = {
  name: 'receipt-list',
  title: 'List receipts',
  description:
    'Lists what was given to agents: packs, graph indexes and recalled texts, newest first. `receipt-show` has the details.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  examples: [
    { title: 'The last receipts', input: {} },
    { title: 'What was recalled without a request', input: { kind: 'recall' } },
  ],
  run: async (context, given) => {
    const loci = await context.loci();
    const { limit = DEFAULT_LIMIT, ...rest } = given;
    const { receipts, unreadable, next } = await listReceipts(loci, { ...rest, limit });
    return { receipts: receipts.map(summaryOf), unreadable: [...unreadable], next };
  },
};

function summaryOf(receipt: Receipt): z.infer<typeof summary> {
  const { id, kind, at, project, pieces, candidates, budget, lanes } = receipt;
  return {
    id,
    kind,
    at,
    project,
    items: new Set(pieces.map(({ record }) => record)).size,
    candidates: candidates.length,
    budget: budget.tokens,
    used_tokens: budget.used,
    failed_lanes: lanes.flatMap(({ name, status }) =>
      status === 'failed' || status === 'late' ? [name] : [],
    ),
  };
}

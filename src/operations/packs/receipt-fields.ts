import { z } from 'zod';
import { LATEST_RECEIPT } from '../../engine/packs/receipts.ts';
import { receiptSchema, RECEIPT_KINDS } from '../../pack/receipt.ts';
import { VERDICTS, type StoredLabel } from '../../store/item-model.ts';
import { isoTime } from '../../engine/fields/times.ts';

/** The length of a UUID. */
const MAX_RECEIPT_ID_LENGTH = 36;

export const receiptId = () =>
  z
    .string()
    .max(MAX_RECEIPT_ID_LENGTH)
    .regex(
      new RegExp(`^(${LATEST_RECEIPT}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$`, 'i'),
      `the id of a receipt, or ${LATEST_RECEIPT}`,
    )
    .describe(`The id of a receipt, or \`${LATEST_RECEIPT}\`.`);
export const receiptKind = () => z.enum(RECEIPT_KINDS);
export const receiptOutput = () => receiptSchema;
export const verdict = () => z.enum(VERDICTS);

export const labelOutput = z.strictObject({
  receipt: z.uuid(),
  record: z.string().describe('UUID of the record.'),
  verdict: verdict(),
  query: z.string().nullable().describe('The query, if the operator gave it.'),
  query_hash: z.string().nullable(),
  project: z.string().nullable(),
  at: z.iso.datetime(),
  actor: z.string(),
});
export type LabelOutput = z.infer<typeof labelOutput>;

export function labelOutputOf({ queryHash, at, sequence: _, ...label }: StoredLabel): LabelOutput {
  return { ...label, query_hash: queryHash, at: isoTime(at) };
}

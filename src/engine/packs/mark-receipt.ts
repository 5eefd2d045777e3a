import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { sha256, recordNumber } from '../../core/ids.ts';
import { type Receipt, VERDICTS } from '../../pack/receipt.ts';
import { auditDraft } from '../audit/audit.ts';
import type { EngineContext } from '../context.ts';
import { isoTime } from '../fields/times.ts';
import { resolveCitation } from '../records/citations/resolve-citation.ts';
import { screenTexts } from '../records/screen.ts';
import { receiptId, requireReceipt, shownRecords } from './receipts.ts';

export const receiptMarkInput = z.strictObject({
  id: receiptId(),
  item: z
    .string()
    .min(1)
    .max(5000)
    .describe('A record of the receipt: its place in the text from 1, its citation, or its UUID.'),
  verdict: z.enum(VERDICTS).describe('Whether it was useful.'),
  query: z
    .string()
    .max(1_000_000)
    .exactOptional()
    .describe('The query, of which the receipt has only the hash; needed to score a ranking with the mark.'),
});

export const receiptMarkOutput = z.strictObject({
  receipt: z.uuid(),
  record: z.string().describe('UUID of the record.'),
  verdict: z.enum(VERDICTS),
  query: z.string().nullable().describe('The query, if the receipt has it now.'),
});
export type ReceiptMarkOutput = z.infer<typeof receiptMarkOutput>;

/**
 * Marks an item of a receipt as useful or not. The mark is a field of the receipt: it changes no ranking.
 * @throws LociError `not_found` for an unknown receipt or item; `invalid_input` for a query that is not that of the receipt;
 *   `secret_refused`; `conflict` when the receipt is marked meanwhile
 */
export async function markReceipt(
  context: EngineContext,
  { id, item, verdict, query: given }: z.infer<typeof receiptMarkInput>,
): Promise<ReceiptMarkOutput> {
  const receipt = await requireReceipt(context, id);
  if (given !== undefined && receipt.query_hash !== sha256(given))
    throw new LociError('invalid_input', 'this is not the query of the receipt', {
      hint: 'Give exactly the text that was searched for, or leave it out.',
    });
  const record = await recordOf(context, receipt, item);
  const query =
    given === undefined ? receipt.query : (await screenTexts(context, { content: given })).texts.content;
  const before = receipt.candidates.find((each) => each.record === record)?.verdict ?? null;
  const output = { receipt: receipt.id, record, verdict, query: query ?? null };
  if (before === verdict && query === receipt.query) return output;
  const candidates = receipt.candidates.map((each) => (each.record === record ? { ...each, verdict } : each));
  await context.store.records.commit(context.namespace, {
    items: [
      {
        change: { kind: 'receipt', key: receipt.id },
        set: { candidates, marked_at: isoTime(context.now()), ...(query !== undefined && { query }) },
        expected: { candidates: receipt.candidates },
      },
    ],
    // The log has no query.
    audit: [
      auditDraft(context, 'mark', `receipt:${receipt.id}`, {
        record: { after: record },
        verdict: { before, after: verdict },
      }),
    ],
  });
  return output;
}

/** @throws LociError `not_found` */
async function recordOf(context: EngineContext, receipt: Receipt, item: string): Promise<string> {
  const candidates = new Set(receipt.candidates.map(({ record }) => record));
  const shown = shownRecords(receipt.pieces);
  const place = /^\d{1,6}$/.test(item) ? shown[Number(item) - 1] : undefined;
  const uuid = place ?? (candidates.has(item.toLowerCase()) ? item.toLowerCase() : undefined);
  if (uuid !== undefined) return uuid;
  const id = recordNumber(item);
  const ofPiece = receipt.pieces.find((piece) => piece.id === id)?.record;
  if (ofPiece !== undefined) return ofPiece;
  const cited = /^\d+$/.test(item) ? null : await resolveCitation(context, item);
  if (cited !== null && candidates.has(cited.record.uuid)) return cited.record.uuid;
  throw new LociError('not_found', `the receipt has no item ${JSON.stringify(item.slice(0, 100))}`, {
    hint: `Name one of ${String(shown.length)} items by its place in the text, from 1, or a candidate by its citation or UUID.`,
  });
}

import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';
import type { Receipt } from '../../pack/receipt.ts';
import type { AuditDraft } from '../../store/admin-model.ts';
import { type Label, VERDICTS } from '../../store/item-model.ts';
import { labelPut, storedLabels } from '../../store/items/kinds.ts';
import { auditDraft } from '../audit/audit.ts';
import type { EngineContext } from '../context.ts';
import { resolveCitation } from '../records/citations/resolve-citation.ts';
import { screenTexts } from '../records/screen.ts';
import { formatLabel, type LabelOutput, receiptId, requireReceipt } from './receipts.ts';

const MAX_QUERY_LENGTH = 1_000_000;
const MAX_ITEM_LENGTH = 5000;

export const receiptLabelInput = z.strictObject({
  id: receiptId(),
  item: z
    .string()
    .min(1)
    .max(MAX_ITEM_LENGTH)
    .describe('A record of the receipt: its place in the text from 1, its citation, or its UUID.'),
  verdict: z.enum(VERDICTS).describe('Whether it was useful.'),
  query: z
    .string()
    .max(MAX_QUERY_LENGTH)
    .exactOptional()
    .describe('The query, of which the receipt has only the hash; needed to score a ranking with the label.'),
});

/**
 * Marks an item of a receipt as useful or not. The label is the operator's own data: it changes no ranking.
 * @throws LociError `not_found` for an unknown receipt or item; `invalid_input` for a query that is not that of the receipt;
 *   `secret_refused`
 */
export async function labelItem(
  context: EngineContext,
  request: z.infer<typeof receiptLabelInput>,
): Promise<LabelOutput> {
  const receipt = await requireReceipt(context, request.id);
  const query = await queryOf(context, receipt, request.query);
  const record = await recordOf(context, receipt, request.item);
  const labels = await storedLabels(context.store.records, context.namespace, receipt.id, EVERY_LABEL);
  const before = labels.find((label) => label.record === record);
  const label: Label = {
    receipt: receipt.id,
    record,
    verdict: request.verdict,
    query: query ?? labels.find((each) => each.query !== null)?.query ?? null,
    queryHash: receipt.query_hash,
    project: receipt.project,
    at: context.now(),
    actor: context.caller.actor,
  };
  if (before === undefined || before.verdict !== label.verdict || before.query !== label.query)
    await context.store.records.commit(context.namespace, {
      items: [labelPut(label)],
      audit: [labelAuditDraft(context, 'label', before, label)],
    });
  const stored = await storedLabels(context.store.records, context.namespace, receipt.id, EVERY_LABEL);
  return formatLabel(stored.find((each) => each.record === record)!);
}

/** `1=useful`, `Home/Oven.md=not-useful` */
const LABEL = new RegExp(`^(.{1,5000})=(${VERDICTS.join('|')})$`, 's');

export const labelList = () =>
  z.array(z.string().max(5100).regex(LABEL, 'ITEM=useful or ITEM=not-useful')).max(100).exactOptional();

/** Labels items of a pack. @throws LociError `store_failed` without a receipt, and the errors of `labelItem` */
export async function labelItems(
  context: EngineContext,
  receipt: string | null,
  query: string,
  labels: readonly string[],
): Promise<void> {
  if (receipt === null)
    throw new LociError('store_failed', 'the pack has no receipt, so that its items cannot be labelled');
  for (const text of labels) {
    const [, item = '', given] = LABEL.exec(text) ?? [];
    const verdict = VERDICTS.find((each) => each === given)!;
    await labelItem(context, { id: receipt, item, verdict, query });
  }
}

/** More than any receipt has. */
const EVERY_LABEL = { after: null, limit: 10_000 } as const;

/** The audit entry for a new or changed label. It has no query. */
function labelAuditDraft(
  context: EngineContext,
  action: string,
  before: Label | undefined,
  after: Label,
): AuditDraft {
  const verdict = { before: before?.verdict ?? null, after: after.verdict };
  return auditDraft(context, action, `label:${after.receipt}`, { record: { after: after.record }, verdict });
}

async function queryOf(
  context: EngineContext,
  receipt: Receipt,
  given: string | undefined,
): Promise<string | null> {
  if (given === undefined) return null;
  if (receipt.query_hash !== sha256(given))
    throw new LociError('invalid_input', 'this is not the query of the receipt', {
      hint: 'Give exactly the text that was searched for, or leave it out.',
    });
  const { texts } = await screenTexts(context, { content: given });
  return texts.content;
}

/** @throws LociError `not_found` */
async function recordOf(context: EngineContext, receipt: Receipt, item: string): Promise<string> {
  const candidates = new Set(receipt.candidates.map(({ record }) => record));
  const shown = [...new Set(receipt.pieces.map(({ record }) => record))];
  const place = /^\d{1,6}$/.test(item) ? shown[Number(item) - 1] : undefined;
  const uuid = place ?? (candidates.has(item.toLowerCase()) ? item.toLowerCase() : undefined);
  if (uuid !== undefined) return uuid;
  const id = /^record\/(\d+)$/.exec(item)?.[1];
  const ofPiece = receipt.pieces.find((piece) => String(piece.id) === id)?.record;
  if (ofPiece !== undefined) return ofPiece;
  const cited = /^\d+$/.test(item) ? null : await resolveCitation(context, item);
  if (cited !== null && candidates.has(cited.record.uuid)) return cited.record.uuid;
  throw new LociError('not_found', `the receipt has no item ${JSON.stringify(item.slice(0, 100))}`, {
    hint: `Name one of ${String(shown.length)} items by its place in the text, from 1, or a candidate by its citation or UUID.`,
  });
}

import { z } from 'zod';
import { EXCLUSIONS, type Receipt } from '../../pack/receipt.ts';
import type { EngineContext } from '../context.ts';
import { wholeCitations } from '../shared/citations.ts';
import { liveRecords, receiptId, receiptKind, requireReceipt, shownRecords } from './receipts.ts';

export const receiptDiffInput = z.strictObject({
  before: receiptId(),
  after: receiptId(),
});

const count = () => z.number().int().nonnegative();
const place = () => z.number().int().positive().describe('Its place in the text, from 1.');

const compared = z.strictObject({
  id: z.uuid(),
  kind: receiptKind(),
  at: z.iso.datetime(),
  budget: count(),
  used_tokens: count(),
});

const item = z.strictObject({
  record: z.uuid(),
  id: count().describe('The number of the record in its store.'),
  title: z.string().nullable().describe('What it is called now; null for a record that is deleted.'),
  citation: z.string().nullable(),
});

const reason = () => z.enum(EXCLUSIONS).nullable();

export const receiptDiffOutput = z.strictObject({
  before: compared,
  after: compared,
  same_query: z.boolean().describe('Whether both have the same query.'),
  same_text: z.boolean().describe('Whether both texts are the same, byte for byte.'),
  came_in: z.array(
    item.extend({
      place: place(),
      reason: reason().describe('Why it was left out before; null if it was not considered.'),
    }),
  ),
  left: z.array(
    item.extend({
      place: place().describe('Its place in the text before, from 1.'),
      reason: reason().describe('Why it is left out; null if it was not considered any more.'),
    }),
  ),
  moved: z.array(item.extend({ before: place(), after: place() })),
  stayed: count().describe('Records at the same place of both texts.'),
});
export type ReceiptDiffOutput = z.infer<typeof receiptDiffOutput>;

/** What another text has instead of an earlier one. @throws LociError `not_found` */
export async function diffReceipts(
  context: EngineContext,
  given: z.infer<typeof receiptDiffInput>,
): Promise<ReceiptDiffOutput> {
  const before = await requireReceipt(context, given.before);
  const after = await requireReceipt(context, given.after);
  const [earlier, later] = [shownRecords(before.pieces), shownRecords(after.pieces)];
  const ids = new Map([...before.pieces, ...after.pieces].map(({ record, id }) => [record, id]));
  const live = await liveRecords(context, [...ids.keys()]);
  const citations = await wholeCitations(context, [...live.values()]);
  const cited = new Map([...live.keys()].map((record, i) => [record, citations[i]!]));
  const named = (record: string): z.infer<typeof item> => ({
    record,
    id: ids.get(record)!,
    title: live.get(record)?.title ?? null,
    citation: cited.get(record) ?? null,
  });
  const onlyIn = (records: readonly string[], others: readonly string[], other: Receipt) =>
    records.flatMap((record, i) =>
      others.includes(record) ? [] : [{ ...named(record), place: i + 1, reason: reasonIn(other, record) }],
    );
  const moved = later.flatMap((record, i) => {
    const place = earlier.indexOf(record);
    return place === -1 || place === i ? [] : [{ ...named(record), before: place + 1, after: i + 1 }];
  });
  return {
    before: comparedOf(before),
    after: comparedOf(after),
    same_query: before.query_hash === after.query_hash,
    same_text: before.hash === after.hash,
    came_in: onlyIn(later, earlier, before),
    left: onlyIn(earlier, later, after),
    moved,
    stayed: later.filter((record, i) => earlier[i] === record).length,
  };
}

function comparedOf({ id, kind, at, budget }: Receipt): z.infer<typeof compared> {
  return { id, kind, at, budget: budget.tokens, used_tokens: budget.used };
}

function reasonIn({ candidates }: Receipt, record: string): z.infer<ReturnType<typeof reason>> {
  return candidates.find((each) => each.record === record)?.reason ?? null;
}

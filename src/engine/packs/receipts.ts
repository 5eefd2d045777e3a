import { z } from 'zod';
import { count } from '../../core/number-fields.ts';
import { LociError } from '../../core/errors.ts';
import { recordNumber, sha256, uuidv7 } from '../../core/ids.ts';
import { DAY_MS } from '../../core/time/whole-day.ts';
import type { Json, LociRecord, Timestamp } from '../../core/types.ts';
import {
  EXCLUSIONS,
  RECEIPT_KINDS,
  RECEIPT_VERSION,
  receiptSchema,
  type Receipt,
  type ReceiptPiece,
  VERDICTS,
} from '../../pack/receipt.ts';
import { shownText } from '../../pack/text/span.ts';
import type { ReceiptCursor, StoredReceipt } from '../../store/item-model.ts';
import { storedReceipt, storedReceipts } from '../../store/items/kinds.ts';
import type { EngineContext } from '../context.ts';
import { recordId } from '../fields/record-fields.ts';
import { timeBound } from '../fields/time-bound.ts';
import { wholeCitations } from '../shared/citations.ts';
import { auditDraft } from '../audit/audit.ts';
import { isoTime } from '../fields/times.ts';
import { resolveCitation } from '../records/citations/resolve-citation.ts';
import { screenTexts } from '../shared/screen.ts';

/** The length of a UUID. */
const MAX_RECEIPT_ID_LENGTH = 36;
/** Stands for the id of the newest receipt. */
const LATEST_RECEIPT = 'latest';

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

/** The fields with which every receipt begins. */
export function receiptHead(
  { now, caller: { actor, surface } }: EngineContext,
  kind: Receipt['kind'],
  project: string | null,
): Pick<Receipt, 'version' | 'id' | 'kind' | 'at' | 'project' | 'caller'> {
  return {
    version: RECEIPT_VERSION,
    id: uuidv7(now()),
    kind,
    at: new Date(now()).toISOString(),
    project,
    caller: { actor, surface },
  };
}

const DEFAULT_LIMIT = 20;

export const receiptListInput = z.strictObject({
  kind: receiptKind().exactOptional().describe('Only receipts of this kind.'),
  record: recordId().exactOptional().describe('Only receipts of texts for which this record was considered.'),
  from: timeBound('from').exactOptional().describe('Only from this day or time on.'),
  limit: z
    .number()
    .int()
    .min(1)
    .max(500)
    .exactOptional()
    .describe(`Maximum number of receipts; ${String(DEFAULT_LIMIT)} unless given.`),
  after: z.string().max(64).exactOptional().describe('`next` of the previous page.'),
});

/** How many records a list names, so that a reader recognises the receipt. */
const MAX_TITLES = 3;

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
  caller: receiptSchema.shape.caller,
  query: z.string().nullable().describe('The query, if the operator gave it with a mark.'),
  titles: z
    .array(z.string())
    .describe(`What the first ${String(MAX_TITLES)} records in the text are called now.`),
  record: z
    .strictObject({
      included: z.boolean().describe('Whether the text has it.'),
      reason: z.enum(EXCLUSIONS).nullable().describe('Why the text does not have it.'),
    })
    .exactOptional()
    .describe('With `record`: what became of it.'),
});

export const receiptListOutput = z.strictObject({
  receipts: z.array(summary).describe('Newest first.'),
  unreadable: z
    .array(z.string())
    .describe('Ids of receipts that are left out, because what the store has of them cannot be read.'),
  next: z.string().nullable().describe('Where the next page begins; null on the last page.'),
});
export type ReceiptListOutput = z.infer<typeof receiptListOutput>;

export async function listReceipts(
  context: EngineContext,
  request: z.infer<typeof receiptListInput>,
): Promise<ReceiptListOutput> {
  const { receipts, uuid, ...page } = await readReceipts(context, request);
  const first = receipts.map(({ pieces }) => shownRecords(pieces).slice(0, MAX_TITLES));
  const live = await liveRecords(context, first.flat());
  return {
    receipts: receipts.map((receipt, i) => ({
      ...summaryOf(receipt),
      query: receipt.query ?? null,
      titles: first[i]!.flatMap((record) => live.get(record)?.title ?? []),
      ...useOf(receipt, uuid),
    })),
    ...page,
  };
}

function useOf({ candidates }: Receipt, uuid: string | null): Pick<z.infer<typeof summary>, 'record'> {
  const candidate = candidates.find(({ record }) => record === uuid);
  if (candidate === undefined) return {};
  return { record: { included: candidate.included, reason: candidate.reason } };
}

/** The records in a text, in its order. */
function shownRecords(pieces: Receipt['pieces']): string[] {
  return [...new Set(pieces.map(({ record }) => record))];
}

function summaryOf(receipt: Receipt): Omit<z.infer<typeof summary>, 'query' | 'titles'> {
  const { id, kind, at, project, pieces, candidates, budget, lanes, caller } = receipt;
  return {
    id,
    kind,
    at,
    project,
    ...(caller !== undefined && { caller }),
    items: shownRecords(pieces).length,
    candidates: candidates.length,
    budget: budget.tokens,
    used_tokens: budget.used,
    failed_lanes: lanes.flatMap(({ name, status }) =>
      status === 'failed' || status === 'late' ? [name] : [],
    ),
  };
}

/** The receipts of the caller's namespace that are not older than `receipts.retentionDays`, newest first. */
export async function readReceipts(
  context: EngineContext,
  { kind, record, from = 0, limit = DEFAULT_LIMIT, after }: z.infer<typeof receiptListInput>,
) {
  const uuid = record === undefined ? null : await uuidOf(context, record);
  const found = await storedReceipts(
    context.store.records,
    context.namespace,
    {
      since: Math.max(from, retentionCutoff(context)),
      ...(kind !== undefined && { kind }),
      ...(uuid !== null && { record: uuid }),
    },
    { after: after === undefined ? null : cursorOf(after), limit: limit + 1 },
  );
  const listed = found.slice(0, limit);
  const last = listed.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return { ...readable(listed), uuid, next: hasMore ? `${String(last.at)}/${last.id}` : null };
}

/** @throws LociError `not_found` */
async function uuidOf({ store, namespace }: EngineContext, id: number): Promise<string> {
  const [record] = await store.records.get(namespace, [id], 'any');
  if (record !== undefined) return record.uuid;
  throw new LociError('not_found', `there is no record ${String(id)}, or it was purged`);
}

/** The receipts that can be read, and the ids of the others, because their rows were changed or a later version wrote them. */
export function readable(stored: readonly StoredReceipt[]) {
  const read = stored.map(({ id, body }) => ({ id, receipt: receiptSchema.safeParse(body).data }));
  return {
    receipts: read.flatMap(({ receipt }) => receipt ?? []),
    unreadable: read.flatMap(({ id, receipt }) => (receipt === undefined ? [id] : [])),
  };
}

function cursorOf(text: string): ReceiptCursor {
  const [, at = '', id = ''] = /^(\d{1,15})\/([0-9a-f-]{36})$/.exec(text) ?? [];
  if (id === '') throw new LociError('invalid_input', 'this is not the `next` of a list of receipts');
  return { at: Number(at), id };
}

/** The time before which receipts are no longer shown. */
export function retentionCutoff({ now, config }: EngineContext): Timestamp {
  return now() - config.receipts.retentionDays * DAY_MS;
}

export const receiptShowInput = z.strictObject({
  id: receiptId(),
  texts: z
    .boolean()
    .exactOptional()
    .describe('Add the text of each piece, made again from its record as far as that still has it.'),
});

export const receiptShowOutput = z.strictObject({
  receipt: receiptSchema,
  records: z
    .array(
      z.strictObject({
        record: z.string().describe('UUID.'),
        id: z.number().int().positive(),
        citation: z.string().describe('Accepted by `get`.'),
        title: z.string(),
      }),
    )
    .describe('What the records of the candidates are called now, except those that are deleted.'),
  texts: z
    .array(z.string().nullable())
    .nullable()
    .describe(
      'With `texts`: for each piece what it showed; null where its record has changed or is deleted.',
    ),
});
export type ReceiptShowOutput = z.infer<typeof receiptShowOutput>;

/** @throws LociError `not_found` */
export async function showReceipt(
  context: EngineContext,
  { id, texts = false }: z.infer<typeof receiptShowInput>,
): Promise<ReceiptShowOutput> {
  const receipt = await requireReceipt(context, id);
  const live = await liveRecords(
    context,
    receipt.candidates.map(({ record }) => record),
  );
  const citations = await wholeCitations(context, [...live.values()]);
  return {
    receipt,
    records: [...live.values()].map(({ id: number, uuid, title }, i) => {
      return { record: uuid, id: number, citation: citations[i]!, title };
    }),
    texts: texts ? receipt.pieces.map((piece) => shownPiece(piece, live.get(piece.record))) : null,
  };
}

function shownPiece(piece: ReceiptPiece, record: LociRecord | undefined): string | null {
  const text = rebuild(piece, record);
  return text === null ? null : shownText(text);
}

/** The text of the record in the place of a piece; `null` if it is not what the piece was. */
export function rebuild({ field, bytes, hash }: ReceiptPiece, record: LociRecord | undefined): string | null {
  if (record === undefined) return null;
  const text = Buffer.from(record[field]).subarray(bytes.start, bytes.end).toString();
  return sha256(text) === hash ? text : null;
}

/** Records that are not deleted and have not expired, by UUID. */
async function liveRecords(
  context: EngineContext,
  uuids: readonly string[],
): Promise<Map<string, LociRecord>> {
  const now = context.now();
  return new Map(
    [...(await recordsByUuid(context, uuids))].filter(
      ([, { deletedAt, expiresAt }]) => deletedAt === null && (expiresAt === null || expiresAt > now),
    ),
  );
}

/** Records in any state, by UUID. */
export async function recordsByUuid(
  { store, namespace }: EngineContext,
  uuids: readonly string[],
): Promise<Map<string, LociRecord>> {
  const existing = await store.records.findExisting(
    namespace,
    [...new Set(uuids)].map((uuid) => ({ uuid })),
  );
  const ids = existing.flatMap(({ sameUuid }) => sameUuid ?? []);
  const records = await store.records.get(namespace, ids, 'any');
  return new Map(records.map((record) => [record.uuid, record]));
}

/** The newest receipts among which the latest that can be read is looked for. */
const LATEST_TRIED = 10;

/** @throws LociError `not_found` */
export async function requireReceipt(context: EngineContext, id: string): Promise<Receipt> {
  if (id.toLowerCase() === LATEST_RECEIPT) {
    const [latest] = (await readReceipts(context, { limit: LATEST_TRIED })).receipts;
    if (latest !== undefined) return latest;
    throw new LociError('not_found', 'there is no receipt yet', {
      hint: 'Each pack has one: `loci pack "…"`.',
    });
  }
  const found = await storedReceipt(context.store.records, context.namespace, id.toLowerCase());
  if (found !== null && found.at >= retentionCutoff(context)) return parsed(found);
  throw new LociError('not_found', `there is no receipt ${JSON.stringify(id.slice(0, 60))}`, {
    hint: `\`loci receipt list\` shows the receipts of the last ${String(context.config.receipts.retentionDays)} days.`,
  });
}

/** @throws LociError `store_newer` for a receipt of a later version of Loci; `store_corrupt` */
function parsed({ id, body }: StoredReceipt): Receipt {
  const { success, data } = receiptSchema.safeParse(body);
  if (success) return data;
  const version = versionOf(body);
  if (typeof version === 'number' && version > RECEIPT_VERSION)
    throw new LociError('store_newer', `the receipt ${id} is of version ${String(version)}`);
  throw new LociError('store_corrupt', `the receipt ${id} is not as its schema says`);
}

function versionOf(body: Json): Json | undefined {
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? body['version'] : undefined;
}

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

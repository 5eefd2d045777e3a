import { LociError } from '../../core/errors.ts';
import { DAY_MS } from '../../core/time/whole-day.ts';
import type { Json, LociRecord, Timestamp } from '../../core/types.ts';
import { RECEIPT_VERSION, receiptSchema, type Receipt, type ReceiptKind } from '../../pack/receipt.ts';
import type { ReceiptCursor, StoredLabel, StoredReceipt } from '../../store/item-model.ts';
import { storedLabels, storedReceipt, storedReceipts } from '../../store/items/kinds.ts';
import type { EngineContext } from '../context.ts';
import { wholeCitations } from '../shared/citations.ts';

export interface ReceiptsRequest {
  readonly kind?: ReceiptKind;
  readonly limit: number;
  /** `next` of the page before. */
  readonly after?: string;
}

export interface ReceiptsPage {
  /** Newest first. */
  readonly receipts: readonly Receipt[];
  /** The ids of receipts that cannot be read, because their rows were changed or a later version wrote them. */
  readonly unreadable: readonly string[];
  readonly next: string | null;
}

/** The receipts of the caller's namespace that are not older than `receipts.retentionDays`. */
export async function listReceipts(context: EngineContext, request: ReceiptsRequest): Promise<ReceiptsPage> {
  const { kind, limit, after } = request;
  const found = await storedReceipts(
    context.store.records,
    context.namespace,
    { since: oldest(context), ...(kind !== undefined && { kind }) },
    { after: after === undefined ? null : cursorOf(after), limit: limit + 1 },
  );
  const listed = found.slice(0, limit);
  const last = listed.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return { ...readable(listed), next: hasMore ? `${String(last.at)}/${last.id}` : null };
}

/** The receipts that can be read, and the ids of the others. */
export function readable(stored: readonly StoredReceipt[]): Pick<ReceiptsPage, 'receipts' | 'unreadable'> {
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
export function oldest({ now, config }: EngineContext): Timestamp {
  return now() - config.receipts.retentionDays * DAY_MS;
}

export interface ShownReceipt {
  readonly receipt: Receipt;
  readonly labels: readonly StoredLabel[];
  /** The current names of the candidates' records, without those that are deleted. */
  readonly records: readonly NamedRecord[];
}

interface NamedRecord {
  /** UUID. */
  readonly record: string;
  readonly citation: string;
  readonly title: string;
}

/** More items than any receipt has. */
const MAX_LABELS = 10_000;

/** @throws LociError `not_found` */
export async function showReceipt(context: EngineContext, id: string): Promise<ShownReceipt> {
  const { store, namespace } = context;
  const receipt = await requireReceipt(context, id);
  const labels = await storedLabels(store.records, namespace, receipt.id, { after: null, limit: MAX_LABELS });
  const uuids = receipt.candidates.map(({ record }) => record);
  const live = [...(await recordsByUuid(context, uuids)).values()].filter(
    ({ deletedAt, expiresAt }) => deletedAt === null && (expiresAt === null || expiresAt > context.now()),
  );
  const citations = await wholeCitations(context, live);
  const records = live.map(({ uuid, title }, i) => ({ record: uuid, citation: citations[i]!, title }));
  return { receipt, labels, records };
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

/** Stands for the id of the newest receipt. */
export const LATEST_RECEIPT = 'latest';
/** The newest receipts among which the latest that can be read is looked for. */
const LATEST_TRIED = 10;

/** @throws LociError `not_found` */
export async function requireReceipt(context: EngineContext, id: string): Promise<Receipt> {
  if (id.toLowerCase() === LATEST_RECEIPT) {
    const [latest] = (await listReceipts(context, { limit: LATEST_TRIED })).receipts;
    if (latest !== undefined) return latest;
    throw new LociError('not_found', 'there is no receipt yet', {
      hint: 'Each pack has one: `loci pack "…"`.',
    });
  }
  const found = await storedReceipt(context.store.records, context.namespace, id.toLowerCase());
  if (found !== null && found.at >= oldest(context)) return parsed(found);
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

import { z } from 'zod';
import { LociError } from '../../../core/errors.ts';
import { sha256 } from '../../../core/ids.ts';
import { safeParse } from '../../../core/json.ts';
import { type Json, ORIGINS, TRUST } from '../../../core/types.ts';
import {
  HISTORY_CATEGORIES,
  type AuditChain,
  type AuditEntry,
  type HistoryDraft,
  type StartupEntry,
} from '../../../store/admin-model.ts';
import type { ItemKind, StoredItem } from '../../../store/item-model.ts';
import {
  bodyOf,
  historyChanges,
  MARKED_RECEIPT,
  receiptPut,
  startupEntries,
  startupPut,
} from '../../../store/items/kinds.ts';
import { MAX_RUNS_PER_CATEGORY, RUN_LIFETIME_MS } from '../../audit/history-log.ts';
import { assertWithinLimits, assertNotReserved } from '../../fields/limits.ts';
import { type Receipt, receiptSchema } from '../../../pack/receipt.ts';
import { screenTexts } from '../../records/screen.ts';
import { whyTooLong, assertValidEntry, startupAuditDraft } from '../../startup/startup.ts';
import { MAX_TIME, MIN_TIME } from '../../../sources/files/read-file.ts';
import type { EngineContext } from '../../context.ts';
import {
  assertShort,
  readPage,
  sha256Text,
  START,
  type Batch,
  type ExportedRecord,
  type ItemType,
  type Position,
  type StoredType,
  jsonObject,
  lineFormat,
  parseWith,
  time,
  timeOrNull,
  type Screened,
  uuid,
} from './item-type.ts';
import { ITEM_TYPE_NAMES, type ItemTypeName } from './import-report.ts';
import { localTime, storedTime } from '../../../core/time/whole-day.ts';
import { lowerTrust } from '../../access/permission.ts';
import { TTL_SECONDS } from '../../facts/fact-fields.ts';

const schema = z.strictObject({
  id: z.number().int().min(1),
  uuid,
  project: z.string(),
  origin: z.enum(ORIGINS),
  source: z.string(),
  trust: z.enum(TRUST),
  key: z.string().nullable(),
  identity: z.string().nullable(),
  category: z.string(),
  record_type: z.string(),
  title: z.string(),
  tags: z.array(z.string()),
  metadata: jsonObject,
  created_at: time,
  updated_at: time,
  deleted_at: timeOrNull,
  expires_at: timeOrNull,
  revision: z.string().nullable(),
  content_hash: z.string().optional(),
  content: z.string(),
});
const line = lineFormat(schema);

const RECORDS_PER_READ = 100;

export const record: ItemType<ExportedRecord> = {
  format: {
    fields: (value) => line.fields({ ...value, createdAt: storedTime(value) }),
    parse(fields) {
      const parsed = line.parse(fields);
      if (typeof parsed === 'string') return parsed;
      const contentHash = sha256(parsed.content);
      if (parsed.contentHash !== undefined && parsed.contentHash !== contentHash)
        return 'the content does not match content_hash: it was changed or cut. A record without content_hash is not checked';
      return { ...parsed, createdAt: localTime(parsed), contentHash };
    },
  },
  async read({ store, namespace, now }, position) {
    const { items, next } = await readPage(
      (page) => store.records.list(namespace, { scan: 'exportable', now: now() }, page),
      ({ id }) => id,
      position,
      RECORDS_PER_READ,
    );
    return { items: items.map(({ namespace: _, ...each }) => each), next };
  },
  screen: screenRecord,
};

/** One day more than the longest life of a fact, because the clocks of two machines differ. */
const MAX_FACT_LIFE_MS = (TTL_SECONDS.max + 24 * 60 * 60) * 1000;

/**
 * Applies the rules of a write to a record: limits, secrets, and a trust no higher than the caller's. Records of vaults
 * and sources are stored as they were read, without these checks.
 * @throws LociError `invalid_input`, `secret_refused`, `forbidden` for a record that only the operator may import
 */
async function screenRecord(
  context: EngineContext,
  record: ExportedRecord,
): Promise<Screened<ExportedRecord>> {
  const { caller } = context;
  const isOperator = caller.trust === 'operator';
  if (!isOperator && record.origin !== 'memory' && record.origin !== 'fact')
    throw new LociError('forbidden', `its origin is ${record.origin}: only the operator may import those`);
  if (record.origin === 'vault' || record.origin === 'source') return { value: record, masked: [] };
  assertValidRecord(record, context.now());
  if (!isOperator && record.origin === 'memory' && record.expiresAt !== null)
    throw new LociError('forbidden', 'it expires and is not a fact: only the operator may import those');
  const { content, title, category, recordType, project, tags, metadata, key } = record;
  const fields = { content, title, category, recordType, project, tags, metadata };
  // An agent's import does not choose the fields by which sources recognise their documents.
  const sourceFields = isOperator
    ? { source: record.source, identity: record.identity, revision: record.revision }
    : { source: caller.surface, identity: null, revision: null };
  const { texts, masked } = await screenTexts(context, {
    ...fields,
    ...sourceFields,
    ...(key !== null && { key }),
  });
  const contentHash = texts.content === content ? record.contentHash : sha256(texts.content);
  const trust = lowerTrust(record.trust, caller.trust);
  return { value: { ...record, ...texts, contentHash, trust }, masked };
}

function assertValidRecord(record: ExportedRecord, now: number): void {
  const { content, title, category, recordType, project, tags, metadata, key, origin, expiresAt } = record;
  assertShort({ source: record.source, identity: record.identity, revision: record.revision });
  assertNotReserved(category);
  // The title of a fact is its key, which may be longer than other titles.
  const titleField = origin === 'fact' && title === key ? {} : { title };
  assertWithinLimits({
    content,
    category,
    recordType,
    project,
    tags,
    metadata,
    ...titleField,
    ...(key !== null && { key }),
  });
  if (origin !== 'fact') return;
  if (key === null) throw new LociError('invalid_input', 'it is a fact without a key');
  if (expiresAt === null || expiresAt > now + MAX_FACT_LIFE_MS)
    throw new LociError('invalid_input', 'it is a fact that lives longer than 365 days');
}

/** How the items of some kinds are read, in the order in which they were first written. */
function readStored<Value>(
  kinds: readonly ItemKind[],
  valueOf: (item: StoredItem) => Value,
  mentions?: string,
) {
  const read: ItemType<Value>['read'] = async ({ store, namespace, now }, position) => {
    const { part } = position;
    const kind = kinds[part];
    if (kind === undefined) return { items: [], next: null };
    const { items, next } = await readPage(
      ({ after, limit }) =>
        store.records.items(
          namespace,
          { kind, liveAt: now(), by: 'position', ...(mentions !== undefined && { mentions }) },
          { after: { position: after }, limit },
        ),
      (item) => item.position,
      position,
    );
    return { items: items.map(valueOf), next: next ?? { part: part + 1, after: 0 } };
  };
  return { kinds, read };
}

const startupLine = z.strictObject({
  agent: z.string().max(128),
  key: z.string(),
  priority: z.number().int().min(0).max(9),
  /** Only of an entry that was moved. */
  place: z.number().int().min(1).exactOptional(),
  reinforce: z.boolean(),
  created_at: time,
  updated_at: time,
  deleted_at: timeOrNull,
  content: z.string(),
});

export const startup: StoredType<StartupEntry> = {
  ...readStored(['startup'], (item) => bodyOf(item) as StartupEntry),
  format: lineFormat(startupLine),
  async screen(context, entry) {
    const { agent, key, content } = entry;
    assertValidEntry({ agent, key, content });
    const { texts, masked } = await screenTexts(context, { agent, key, content });
    return { value: { ...entry, ...texts }, masked };
  },
  key: ({ agent, key }) => JSON.stringify([agent, key]),
  at: ({ updatedAt }) => updatedAt,
  puts: (entries) => entries.map(startupPut),
  title: ({ key }) => `the startup entry ${JSON.stringify(key)}`,
  remark: ({ config }, entry) => (entry.deletedAt === null ? whyTooLong(config.startup, entry) : null),
  async audit(context, entries) {
    const before = await startupEntries(context.store.records, context.namespace);
    const keyed = new Map(before.map((entry) => [startup.key(entry), entry]));
    return entries.map((each) => startupAuditDraft(context, 'import', keyed.get(startup.key(each)), each));
  },
};

const historyLine = z.strictObject({
  category: z.enum(HISTORY_CATEGORIES),
  name: z.string(),
  surface: z.string(),
  actor: z.string(),
  inputs: jsonObject,
  outcome: z.string(),
  at: time,
  took_ms: z.number().int().nonnegative(),
  expires_at: time,
});

const history: StoredType<HistoryDraft> = {
  ...readStored(HISTORY_CATEGORIES, (item) => ({
    ...(bodyOf(item) as Omit<HistoryDraft, 'category' | 'at' | 'expiresAt'>),
    ...{ category: item.kind as HistoryDraft['category'], at: item.at, expiresAt: item.expiresAt! },
  })),
  format: lineFormat(historyLine),
  /** Applies the rules of a run that is recorded here, its expiry included. */
  async screen(context, run) {
    const { name, surface, actor, outcome, inputs } = run;
    assertShort({ name, surface, actor, outcome });
    assertWithinLimits({ metadata: inputs });
    const { texts, masked } = await screenTexts(context, {
      ...{ name, surface, actor, outcome },
      metadata: inputs,
    });
    const { metadata, ...rest } = texts;
    const expiresAt = Math.min(run.expiresAt, context.now() + RUN_LIFETIME_MS);
    return { value: { ...run, ...rest, inputs: metadata, expiresAt }, masked };
  },
  /** Its content, because runs have no id that survives an export. */
  key: ({ category, name, surface, actor, inputs, outcome, at, tookMs }) =>
    sha256(JSON.stringify([category, name, surface, actor, inputs, outcome, at, tookMs])),
  at: ({ at }) => at,
  puts: (runs) => historyChanges(runs, MAX_RUNS_PER_CATEGORY),
  title: ({ name }) => `the run ${name}`,
};

function receiptOf(item: StoredItem): Receipt {
  const { success, data } = safeParse(receiptSchema, bodyOf(item));
  if (success) return data;
  throw new LociError('store_corrupt', `the receipt ${item.key} cannot be read`);
}

const markedReceipt = receiptSchema.refine(
  ({ candidates }) => candidates.some(({ verdict }) => verdict !== undefined),
  'nobody has marked this receipt',
);

/** The texts of a receipt that are neither chosen from a list, nor numbers, hashes and times. */
function namesIn({ project, caller, budget, lanes, candidates }: Receipt): string[] {
  return [
    ...[project, caller?.actor, caller?.surface, budget.tokenizer],
    ...lanes.flatMap(({ name, failure }) => [name, failure]),
    ...candidates.flatMap(({ lane, path }) => [
      lane,
      ...(path ?? []).flatMap(({ from, to, type }) => [from, to, type]),
    ]),
  ].filter((name) => typeof name === 'string');
}

/** Receipts that the operator has marked. The others are of no use elsewhere. */
const receipt: StoredType<Receipt> = {
  ...readStored(['receipt'], receiptOf, MARKED_RECEIPT),
  // One that nobody has marked here is not replaced by an older one either.
  existing: readStored(['receipt'], receiptOf),
  format: { fields: (value) => value, parse: (fields) => parseWith(markedReceipt, fields) },
  async screen(context, value) {
    const named = namesIn(value);
    for (const name of named) assertShort({ 'a name in the receipt': name });
    const { masked: secrets } = await screenTexts(context, { content: named.join('\n') });
    if (secrets.length > 0)
      throw new LociError('secret_refused', `a name in the receipt has a secret: ${secrets.join(', ')}`);
    const { texts, masked } = await screenTexts(context, { content: value.query ?? '' });
    return { value: { ...value, ...(value.query !== undefined && { query: texts.content }) }, masked };
  },
  key: ({ id }) => id,
  at: ({ at, marked_at: markedAt = at }) => Date.parse(markedAt),
  puts: (receipts) =>
    receipts.map((body) =>
      receiptPut({ id: body.id, kind: body.kind, at: Date.parse(body.at), hash: body.hash, body }),
    ),
  title: ({ id }) => `the receipt ${id}`,
};

const auditLine = z.strictObject({
  chain: uuid,
  seq: z.number().int().positive(),
  // It stays a number because the hash covers it as a number.
  at: z.number().int().min(MIN_TIME).max(MAX_TIME),
  actor: z.string(),
  surface: z.string(),
  action: z.string(),
  subject: z.string().nullable(),
  diff: jsonObject.nullable(),
  diff_hash: sha256Text.nullable(),
  previous: sha256Text,
  hash: sha256Text,
  session: z.string().exactOptional(),
});

const audit: ItemType<AuditEntry> = {
  format: lineFormat(auditLine),
  async read(context, position) {
    const { part } = position;
    const chain = (await auditChains(context))[part]?.chain;
    if (chain === undefined) return { items: [], next: null };
    const { items, next } = await readPage(
      async (page) =>
        (await context.store.admin.audit(context.namespace, { chain: { name: chain, ...page } })).entries,
      ({ seq }) => seq,
      position,
    );
    return { items, next: next ?? { part: part + 1, after: 0 } };
  },
  screen: async (_, value) => ({ value, masked: [] }),
};

/** The audit chains in an order that later writes do not change. Only the operator may read them. */
async function auditChains({ store, namespace, caller }: EngineContext): Promise<AuditChain[]> {
  if (caller.trust !== 'operator') return [];
  const { chains } = await store.admin.audit(namespace, { chains: true });
  return chains.toSorted((a, b) => (a.chain < b.chain ? -1 : 1));
}

/** What an export has of each type. */
interface ItemValues extends Readonly<Record<ItemTypeName, unknown>> {
  readonly startup: StartupEntry;
  readonly record: ExportedRecord;
  readonly receipt: Receipt;
  readonly audit: AuditEntry;
  readonly history: HistoryDraft;
}

/** A further kind of items needs an entry here. */
const ITEM_TYPES: {
  readonly [Type in ItemTypeName]: Type extends 'record' | 'audit'
    ? ItemType<ItemValues[Type]>
    : StoredType<ItemValues[Type]>;
} = {
  startup,
  record,
  receipt,
  audit,
  history,
};
export type ExportItem = {
  [Type in ItemTypeName]: { readonly type: Type; readonly value: ItemValues[Type] };
}[ItemTypeName];

/** The entry of the table for a type, for code that treats the values of all types alike. */
export function itemType(
  type: ItemTypeName,
): ItemType<ExportItem['value']> | StoredType<ExportItem['value']> {
  return ITEM_TYPES[type];
}

/** All items of a type, one batch at a time. */
export async function* readAll<Value>(
  context: EngineContext,
  type: Pick<ItemType<Value>, 'read'>,
): AsyncGenerator<Value> {
  for (let position: Position | null = START; position !== null;) {
    const batch: Batch<Value> = await type.read(context, position);
    yield* batch.items;
    position = batch.next;
  }
}

export function formatLine({ type, value }: ExportItem): string {
  return JSON.stringify({ type, ...itemType(type).format.fields(value) });
}

/** Validates the fields of a line of this type. Returns the item, or a message that says what is wrong. */
export function parseItem({ type = null, ...fields }: Readonly<Record<string, Json>>): ExportItem | string {
  const name = ITEM_TYPE_NAMES.find((each) => each === type);
  if (name === undefined)
    return `this version knows no lines of the type ${JSON.stringify(type).slice(0, 60)}`;
  const value = itemType(name).format.parse(fields);
  return typeof value === 'string' ? value : ({ type: name, value } as ExportItem);
}

import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';
import { safeParse } from '../../core/json.ts';
import type { Json, Timestamp } from '../../core/types.ts';
import { type Receipt, receiptSchema } from '../../pack/receipt.ts';
import { MAX_TIME, MIN_TIME } from '../../sources/files/read-file.ts';
import {
  type AuditDraft,
  type AuditEntry,
  HISTORY_CATEGORIES,
  type HistoryDraft,
  type StartupEntry,
} from '../../store/admin-model.ts';
import type { ItemChange, ItemKind, StoredItem } from '../../store/item-model.ts';
import {
  bodyOf,
  historyChanges,
  MARKED_RECEIPT,
  receiptPut,
  startupEntries,
  startupPut,
} from '../../store/items/kinds.ts';
import { CHAIN_START, neverWritten, newEntries } from '../../store/rules/audit-chain.ts';
import { auditDraft } from '../audit/audit.ts';
import { MAX_RUNS_PER_CATEGORY, RUN_LIFETIME_MS } from '../audit/history-log.ts';
import type { EngineContext } from '../context.ts';
import { assertWithinLimits } from '../fields/limits.ts';
import { screenTexts } from '../shared/screen.ts';
import { assertValidEntry, startupAuditDraft, whyTooLong } from '../startup/startup.ts';
import { ITEM_TYPE_NAMES, type ItemTypeName } from './import-report.ts';
import {
  assertShort,
  type Batch,
  type Item,
  type ItemImport,
  isRefusal,
  type ItemType,
  type ItemTypes,
  type KnownChain,
  type Position,
  readPart,
} from './item-type.ts';
import { jsonObject, lineFormat, parseWith, sha256Text, time, timeOrNull, uuid } from './line-format.ts';
import { record } from './records.ts';

/** A type that the store keeps as items of some kinds. Of two items with one key, the last writer wins. */
interface StoredType<Value> extends Pick<ItemType<Value>, 'fields' | 'parse' | 'screen'> {
  readonly name: ItemTypeName;
  readonly kinds: readonly ItemKind[];
  /** Only items whose bodies have this text are exported. */
  readonly mentions?: string;
  valueOf(item: StoredItem): Value;
  key(value: Value): string;
  /** When it was last written. */
  at(value: Value): Timestamp;
  puts(values: readonly Value[]): ItemChange[];
  /** For messages. */
  title(value: Value): string;
  /** What the user should know of an item that is stored. */
  remark?(context: EngineContext, value: Value): string | null;
  /** The entries of the audit log, unless there is one for each batch. */
  audit?(context: EngineContext, values: readonly Value[]): Promise<AuditDraft[]>;
}

function storedType<Value>(type: StoredType<Value>): ItemType<Value> {
  const digestOf = (value: Value): string => sha256(JSON.stringify(type.fields(value)));

  /** A page of the items of a kind, in the order in which they were first written. */
  async function read(
    { store, namespace, now }: EngineContext,
    position: Position,
    mentions?: string,
  ): Promise<Batch<Value>> {
    const kind = type.kinds[position.part];
    if (kind === undefined) return { items: [], next: null };
    const selector = {
      kind,
      liveAt: now(),
      by: 'position',
      ...(mentions !== undefined && { mentions }),
    } as const;
    const { items, next } = await readPart(
      ({ after, limit }) => store.records.items(namespace, selector, { after: { position: after }, limit }),
      (item) => item.position,
      position,
    );
    return { items: items.map((item) => type.valueOf(item)), next };
  }

  async function knownItems({ context, known }: ItemImport): Promise<typeof items> {
    const items = known.items.get(type.name) ?? new Map<string, { at: Timestamp; digest: string }>();
    let position: Position | null = known.items.has(type.name) ? null : { part: 0, after: 0 };
    known.items.set(type.name, items);
    while (position !== null) {
      const page: Batch<Value> = await read(context, position);
      for (const value of page.items)
        items.set(type.key(value), { at: type.at(value), digest: digestOf(value) });
      position = page.next;
    }
    return items;
  }

  return {
    ...type,
    read: (context, position) => read(context, position, type.mentions),
    async write(job, batch) {
      const { context, options, report } = job;
      const items = await knownItems(job);
      const written = new Map<string, Value>();
      for (const { location, value } of batch) {
        const [key, title] = [type.key(value), type.title(value)];
        const remark = type.remark?.(context, value) ?? null;
        if (remark !== null)
          report.add('problems', { location, message: `${title} is stored, but ${remark}` });
        const after = { at: type.at(value), digest: digestOf(value) };
        const before = items.get(key);
        const isKept = before !== undefined && !options.overwrite && after.at <= before.at;
        const isRemoved = isDeleted(value) && before !== undefined;
        const write = before === undefined ? 'added' : isRemoved ? 'removed' : 'updated';
        const change = before?.digest === after.digest ? 'unchanged' : isKept ? 'kept' : write;
        report.counts(type.name)[change]++;
        if (change === 'kept') report.add('conflicts', { location, message: `${title} is not older here` });
        if (change === 'kept' || change === 'unchanged') continue;
        if (options.dry_run && type.name === 'startup') report.add('changes', { location, change, title });
        items.set(key, after);
        written.set(key, value);
      }
      if (options.dry_run || written.size === 0) return;
      const values = [...written.values()];
      const audit = (await type.audit?.(context, values)) ?? [
        auditDraft(context, 'import', null, { [type.name]: values.length }),
      ];
      await context.store.records.commit(context.namespace, { items: type.puts(values), audit });
    },
  };
}

function isDeleted(value: unknown): boolean {
  return ((value as Partial<StartupEntry>).deletedAt ?? null) !== null;
}

const startupKey = ({ agent, key }: StartupEntry): string => JSON.stringify([agent, key]);

export const startup = storedType<StartupEntry>({
  name: 'startup',
  kinds: ['startup'],
  ...lineFormat(
    z.strictObject({
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
    }),
  ),
  valueOf: (item) => bodyOf(item) as StartupEntry,
  async screen(context, entry) {
    const { agent, key, content } = entry;
    assertValidEntry({ agent, key, content });
    const { texts, masked } = await screenTexts(context, { agent, key, content });
    return { value: { ...entry, ...texts }, masked };
  },
  key: startupKey,
  at: ({ updatedAt }) => updatedAt,
  puts: (entries) => entries.map(startupPut),
  title: ({ key }) => `the startup entry ${JSON.stringify(key)}`,
  remark: ({ config }, entry) => (entry.deletedAt === null ? whyTooLong(config.startup, entry) : null),
  async audit(context, entries) {
    const before = await startupEntries(context.store.records, context.namespace);
    const keyed = new Map(before.map((entry) => [startupKey(entry), entry]));
    return entries.map((each) => startupAuditDraft(context, 'import', keyed.get(startupKey(each)), each));
  },
});

const history = storedType<HistoryDraft>({
  name: 'history',
  kinds: HISTORY_CATEGORIES,
  ...lineFormat(
    z.strictObject({
      category: z.enum(HISTORY_CATEGORIES),
      name: z.string(),
      surface: z.string(),
      actor: z.string(),
      inputs: jsonObject,
      outcome: z.string(),
      at: time,
      took_ms: z.number().int().nonnegative(),
      expires_at: time,
    }),
  ),
  valueOf: (item) => ({
    ...(bodyOf(item) as Omit<HistoryDraft, 'category' | 'at' | 'expiresAt'>),
    ...{ category: item.kind as HistoryDraft['category'], at: item.at, expiresAt: item.expiresAt! },
  }),
  /** Applies the rules of a run that is recorded here, its expiry included. */
  async screen(context, run) {
    const { name, surface, actor, outcome, inputs: metadata } = run;
    assertShort({ name, surface, actor, outcome });
    assertWithinLimits({ metadata });
    const { texts, masked } = await screenTexts(context, { name, surface, actor, outcome, metadata });
    const { metadata: inputs, ...rest } = texts;
    const expiresAt = Math.min(run.expiresAt, context.now() + RUN_LIFETIME_MS);
    return { value: { ...run, ...rest, inputs, expiresAt }, masked };
  },
  /** Its content, because runs have no id that survives an export. */
  key: ({ category, name, surface, actor, inputs, outcome, at, tookMs }) =>
    sha256(JSON.stringify([category, name, surface, actor, inputs, outcome, at, tookMs])),
  at: ({ at }) => at,
  puts: (runs) => historyChanges(runs, MAX_RUNS_PER_CATEGORY),
  title: ({ name }) => `the run ${name}`,
});

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

/** Receipts that the operator has marked. The others are of no use elsewhere, but an older one replaces none of them either. */
const receipt = storedType<Receipt>({
  name: 'receipt',
  kinds: ['receipt'],
  mentions: MARKED_RECEIPT,
  fields: (value) => value,
  parse: (fields) => parseWith(markedReceipt, fields),
  valueOf(item) {
    const { success, data } = safeParse(receiptSchema, bodyOf(item));
    if (success) return data;
    throw new LociError('store_corrupt', `the receipt ${item.key} cannot be read`);
  },
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
});

/** The audit log and the attached logs of other stores, chain by chain. */
const audit: ItemType<AuditEntry> = {
  ...lineFormat(
    z.strictObject({
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
    }),
  ),
  /** Only the operator may read them. They are in an order that later writes do not change. */
  async read({ store, namespace, caller }, position) {
    const chains =
      caller.trust === 'operator' ? (await store.admin.audit(namespace, { chains: true })).chains : [];
    const name = chains.toSorted((a, b) => (a.chain < b.chain ? -1 : 1))[position.part]?.chain;
    if (name === undefined) return { items: [], next: null };
    return readPart(
      async (page) => (await store.admin.audit(namespace, { chain: { name, ...page } })).entries,
      ({ seq }) => seq,
      position,
    );
  },
  /** Removes a diff that has a secret. The chain stays valid, because its hashes cover the hash of the diff. */
  async screen(context, entry) {
    if (entry.diff === null) return { value: entry, masked: [] };
    const content = JSON.stringify(entry.diff);
    const masked = await screenTexts(context, { content }).then(
      (screening) => screening.masked,
      (error: unknown) => {
        if (error instanceof LociError && error.code === 'secret_refused') return ['secret'];
        throw error;
      },
    );
    return { value: masked.length === 0 ? entry : { ...entry, diff: null }, masked };
  },
  /** Attaches the entries of each chain to it, in their order, unless one of the chain could not be attached. */
  async write({ context: { store, namespace }, options, report, known }, batch) {
    const links = batch.map(({ value }) => value);
    for (const [name, entries] of Map.groupBy(links, ({ chain }) => chain)) {
      const read = async (after: number, limit: number): Promise<readonly AuditEntry[]> =>
        (await store.admin.audit(namespace, { chain: { name, after, limit } })).entries;
      try {
        let chain = known.chains.get(name);
        if (chain === null) continue;
        if (chain === undefined) {
          const { chains } = await store.admin.audit(namespace, { chains: true });
          const { own = false, length = 0 } = chains.find((each) => each.chain === name) ?? {};
          const last = length === 0 ? [] : await read(length - 1, 1);
          chain = { own, length, head: last[0]?.hash ?? CHAIN_START } satisfies KnownChain;
        }
        const fresh = newEntries(entries, chain, await read(entries[0]!.seq - 1, entries.length));
        if (chain.own && fresh[0] !== undefined) throw neverWritten(fresh[0]);
        if (!options.dry_run && fresh.length > 0)
          await store.records.commit(namespace, { attachedAudit: fresh });
        const { seq: length = chain.length, hash: head = chain.head } = fresh.at(-1) ?? {};
        known.chains.set(name, { ...chain, length, head });
        report.counts('audit').added += fresh.length;
        report.counts('audit').unchanged += entries.length - fresh.length;
      } catch (error) {
        if (!isRefusal(error)) throw error;
        known.chains.set(name, null);
        report.add('conflicts', { location: `audit chain ${name}`, message: error.message });
      }
    }
  },
};

/** A further type needs an entry here. */
export const ITEM_TYPES: ItemTypes = { startup, record, receipt, audit, history };

export function formatLine({ type, value }: Item): string {
  return JSON.stringify({ type, ...ITEM_TYPES[type].fields(value) });
}

/** Validates the fields of a line of this type. Returns the item, or a message that says what is wrong. */
export function parseItem({ type = null, ...fields }: Readonly<Record<string, Json>>): Item | string {
  const name = ITEM_TYPE_NAMES.find((each) => each === type);
  if (name === undefined)
    return `this version knows no lines of the type ${JSON.stringify(type).slice(0, 60)}`;
  const value = ITEM_TYPES[name].parse(fields);
  return typeof value === 'string' ? value : { type: name, value };
}

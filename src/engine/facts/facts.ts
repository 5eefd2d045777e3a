import { LociError } from '../../core/errors.ts';
import { closestWord } from '../../core/text/closest-word.ts';
import type { LociRecord, Passage, Timestamp } from '../../core/types.ts';
import { newDraft } from '../../ingest/record-draft.ts';
import { HISTORY_CATEGORIES } from '../../store/admin-model.ts';
import type { FactCategory, RecordDraft, RecordWrite } from '../../store/model.ts';
import { auditDraft, diffOf, newDiff } from '../audit/audit.ts';
import type { EngineContext } from '../context.ts';
import { embedWritten, type Embedded } from '../records/embed-written.ts';
import { assertWithinLimits } from '../records/limits.ts';
import { runOnce } from '../records/idempotency.ts';
import { assertMayOverrule } from '../access/permission.ts';
import { screenTexts } from '../records/screen.ts';

/** The category of facts that are stored without one. */
export const DEFAULT_CATEGORY = 'user_facts';
const HOUR = 3600;
const DAY = 24 * HOUR;
/** How long facts live (F2). */
export const TTL_SECONDS: { readonly min: number; readonly default: number; readonly max: number } = {
  min: HOUR,
  default: 90 * DAY,
  max: 365 * DAY,
};

export interface FactRequest {
  readonly key: string;
  readonly value: string;
  /** Default `user_facts`. */
  readonly category?: string;
  readonly tags?: readonly string[];
  /** 3,600 to 31,536,000. Default 90 days. */
  readonly ttlSeconds?: number;
  readonly idempotencyKey?: string;
}

export interface FactResponse extends Embedded {
  readonly id: number;
  readonly key: string;
  readonly category: string;
  readonly expiresAt: Timestamp;
  /** Whether it replaced an earlier value. */
  readonly replaced: boolean;
  readonly masked: readonly string[];
  readonly replayed: boolean;
}

/** How often a write is tried when another process stores the same key at the same time. */
const MAX_ATTEMPTS = 20;

/**
 * Stores a value under a key until it expires. It replaces the value that the key had in this category.
 * @throws LociError `invalid_input` for a reserved category, a lifetime out of bounds or an invalid text;
 *   `secret_refused`; `writes_disabled` when an agent may not change a fact of the operator
 */
export async function storeFact(context: EngineContext, request: FactRequest): Promise<FactResponse> {
  const { idempotencyKey, ...fact } = request;
  const category = fact.category ?? DEFAULT_CATEGORY;
  assertNotReserved(category);
  const ttl = fact.ttlSeconds ?? TTL_SECONDS.default;
  assertValidTtl(ttl);
  const { key, value, tags = [] } = fact;
  const given = { key, category, tags, title: key, content: value };
  assertWithinLimits({ key, category, tags, content: value });
  const { texts, masked } = await screenTexts(context, given);
  const vectors = await context.vectorsToFill();
  let draft = newDraft(factFields(context, texts, ttl), context.now());
  const chunking = await context.chunking();
  const passages = await chunking.cut(draft);
  let replaced = false;
  const { ids, replayed } = await runOnce(context, idempotencyKey, ['store', fact], async (only) => {
    for (let attempt = 1; ; attempt++) {
      const before = await findFact(context, texts.category, texts.key);
      if (before !== null) assertMayOverrule(context, [before]);
      draft = { ...draft, uuid: before?.uuid ?? draft.uuid };
      replaced = before !== null;
      try {
        return await commitFact(context, before, { draft, passages, chunking: chunking.signature }, only);
      } catch (error) {
        const conflict = error instanceof LociError && ['conflict', 'not_found'].includes(error.code);
        const isOurs =
          only.idempotencyKey !== undefined && (await isCommitted(context, only.idempotencyKey.key));
        if (!conflict || isOurs || attempt === MAX_ATTEMPTS) throw error;
        // The fact with this key may have expired: then it is removed before the next attempt.
        context.invalidateNextExpiry();
      }
    }
  });
  context.schedulePurge();
  const id = ids[0] ?? 0;
  const [stored] = await context.store.records.get(context.namespace, [id], 'any');
  const expiresAt = stored?.expiresAt ?? draft.expiresAt ?? 0;
  const state = await embedWritten(context, vectors, draft, passages);
  return { id, key: texts.key, category: texts.category, expiresAt, replaced, masked, replayed, ...state };
}

async function isCommitted({ store, namespace, now }: EngineContext, key: string): Promise<boolean> {
  return (await store.records.findIdempotentResult(namespace, key, now())) !== null;
}

async function commitFact(
  context: EngineContext,
  before: LociRecord | null,
  { draft, passages, chunking }: CutFact,
  only: object,
): Promise<number[]> {
  const write: RecordWrite = {
    id: before?.id ?? null,
    draft: { ...draft, updatedAt: Math.max(draft.updatedAt, (before?.updatedAt ?? 0) + 1) },
    passages,
    ...(before === null ? {} : { expected: before.updatedAt }),
  };
  const diff = before === null ? newDiff(draft) : diffOf(before, draft);
  return context.store.records.commit(context.namespace, {
    writes: [write],
    chunking,
    audit: [auditDraft(context, 'store', draft.uuid, diff)],
    ...only,
  });
}

interface CutFact {
  readonly draft: RecordDraft;
  readonly passages: readonly Passage[];
  /** The signature of the chunking. */
  readonly chunking: string;
}

function factFields(
  { config, caller, now }: EngineContext,
  texts: { key: string; category: string; tags: readonly string[]; content: string },
  ttl: number,
): Parameters<typeof newDraft>[0] {
  return {
    content: texts.content,
    // Searches find it by its key too.
    title: texts.key,
    project: config.project,
    origin: 'fact',
    source: caller.surface,
    trust: caller.trust,
    key: texts.key,
    category: texts.category,
    recordType: 'fact',
    tags: texts.tags,
    metadata: {},
    createdAt: now(),
    expiresAt: now() + ttl * 1000,
  };
}

/** @throws LociError `invalid_input` for a category in which the engine stores runs (F3) */
export function assertNotReserved(category: string): void {
  // Nobody should mistake `Pack_History` for the category of the engine.
  const visible = category.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
  const folded = visible.normalize('NFKC').trim().toLowerCase();
  if (!(HISTORY_CATEGORIES as readonly string[]).includes(folded)) return;
  throw new LociError('invalid_input', `the category ${category} is reserved for the engine`, {
    hint: `Use another category, such as ${DEFAULT_CATEGORY}.`,
  });
}

function assertValidTtl(seconds: number): void {
  if (Number.isInteger(seconds) && seconds >= TTL_SECONDS.min && seconds <= TTL_SECONDS.max) return;
  throw new LociError(
    'invalid_input',
    `ttlSeconds is ${String(seconds)}; a fact lives ${String(TTL_SECONDS.min)} (1 hour) to ${String(TTL_SECONDS.max)} (365 days)`,
  );
}

async function findFact(context: EngineContext, category: string, key: string): Promise<LociRecord | null> {
  await context.expire();
  const filter = { now: context.now(), origins: ['fact' as const], categories: [category], key };
  const [record] = await context.store.records.list(context.namespace, { filter }, { after: null, limit: 1 });
  return record ?? null;
}

/**
 * The fact with this key. Without a category, all are searched; if several have the key, `user_facts` wins.
 * @throws LociError `not_found`, `ambiguous`
 */
export async function recallFact(
  context: EngineContext,
  key: string,
  category?: string,
): Promise<LociRecord> {
  await context.expire();
  const categories = category === undefined ? {} : { categories: [category] };
  const filter = { now: context.now(), origins: ['fact' as const], key, ...categories };
  const found = await context.store.records.list(context.namespace, { filter }, { after: null, limit: 100 });
  const inDefault = found.find((record) => record.category === DEFAULT_CATEGORY);
  const [only] = found;
  if (only === undefined) throw await noSuchFact(context, key, category);
  if (found.length === 1 || inDefault !== undefined) return inDefault ?? only;
  const names = found.map((record) => record.category).toSorted();
  throw new LociError('ambiguous', `${JSON.stringify(key)} is in several categories: ${names.join(', ')}`, {
    hint: 'Name the category.',
  });
}

export interface FactsRequest {
  readonly category?: string;
  readonly prefix?: string;
  readonly tags?: readonly string[];
  readonly limit: number;
  /** `next` of the previous page. */
  readonly after?: number;
}

export interface FactsPage {
  readonly facts: readonly LociRecord[];
  readonly total: number;
  /** The id after which the next page begins; `null` on the last page. */
  readonly next: number | null;
}

/** The caller's facts, newest first. */
export async function listFacts(context: EngineContext, request: FactsRequest): Promise<FactsPage> {
  await context.expire();
  const { store, namespace } = context;
  const { limit, after = null } = request;
  const filter = factFilter(context, request);
  const facts = await store.records.list(namespace, { filter }, { after, limit });
  const last = facts.at(-1)?.id ?? null;
  const following =
    last === null ? [] : await store.records.list(namespace, { filter }, { after: last, limit: 1 });
  const total = await store.records.count(namespace, filter);
  return {
    facts,
    total,
    next: following.length > 0 ? last : null,
  };
}

/** The store's filter for facts. */
export function factFilter(
  { now }: EngineContext,
  { category, prefix, tags }: Partial<FactsRequest>,
): { now: Timestamp; origins: ['fact'] } & Record<string, unknown> {
  return {
    now: now(),
    origins: ['fact'],
    ...(category !== undefined && { categories: [category] }),
    ...(prefix !== undefined && { keyPrefix: prefix }),
    ...(tags !== undefined && { tags }),
  };
}

export async function factCategories(context: EngineContext, recent: number): Promise<FactCategory[]> {
  await context.expire();
  return context.store.records.factCategories(context.namespace, context.now(), recent);
}

/** How many keys of each category, stored last, are compared with a key that no fact has. */
const MAX_COMPARED_KEYS = 1000;

/** The error for a key that no fact has. Its hint names a similar key, or the category that has the key. */
async function noSuchFact(
  { store, namespace, now }: EngineContext,
  key: string,
  category?: string,
): Promise<LociError> {
  const categories = await store.records.factCategories(namespace, now(), MAX_COMPARED_KEYS);
  const searched = categories.filter(({ name }) => category === undefined || name === category);
  const similar = closestWord(
    key,
    searched.flatMap(({ recentKeys }) => recentKeys),
  );
  const other = categories.find(({ recentKeys }) => recentKeys.includes(key));
  const where = category === undefined ? '' : ` in ${category}`;
  const advice = [
    ...(other === undefined ? [] : [`The category ${other.name} has it.`]),
    ...(other !== undefined || similar === undefined ? [] : [`Did you mean ${JSON.stringify(similar)}?`]),
    '`memory_list` lists all keys.',
  ];
  return new LociError('not_found', `no fact has the key ${JSON.stringify(key)}${where}`, {
    hint: advice.join(' '),
  });
}

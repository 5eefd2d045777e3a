import type { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { closestWord } from '../../core/text/closest-word.ts';
import type { LociRecord, Metadata, Passage, Timestamp } from '../../core/types.ts';
import { newDraft } from '../../ingest/record-draft.ts';
import { idempotentResult } from '../../store/items/kinds.ts';
import type { FacetValue, RecordDraft, RecordWrite } from '../../store/model.ts';
import { firstOfPage, MAX_PAGE_CHARACTERS } from '../../store/rules/record-page.ts';
import { auditDraft, diffOf, newDiff } from '../audit/audit.ts';
import type { EngineContext } from '../context.ts';
import { embedWritten, runOnce } from '../records/write.ts';
import { assertWithinLimits, assertNotReserved, DEFAULT_CATEGORY } from '../fields/limits.ts';
import { expire, invalidateNextExpiry, schedulePurge, unshortened } from '../shared/retention.ts';
import { chunkingOf, vectorsToFill } from '../embedding/models.ts';
import { assertMayReplace } from '../access/permission.ts';
import { isoTime } from '../fields/times.ts';
import {
  DEFAULT_LIMIT,
  type Fact,
  type FactCategoriesOutput,
  type FactListOutput,
  type FactStoreOutput,
  formatFact,
  lifetimeOf,
  type listFactsInput,
  type recallFactInput,
  type storeFactInput,
  TTL_SECONDS,
  type FactForgetOutput,
  type forgetFactsInput,
  MAX_LISTED,
} from './fact-fields.ts';
import { screenTexts } from '../shared/screen.ts';

/** How often a write is tried when another process stores the same key at the same time. */
const MAX_ATTEMPTS = 20;

/**
 * Stores a value under a key until it expires. It replaces the value that the key, in this or another spelling, had in this category.
 * @throws LociError `invalid_input` for a reserved category, a lifetime out of bounds or an invalid text;
 *   `secret_refused`; `writes_disabled` when an agent may not change a fact of the operator
 */
export async function storeFact(
  context: EngineContext,
  request: z.infer<typeof storeFactInput> & { readonly metadata?: Metadata },
): Promise<FactStoreOutput> {
  const { idempotency_key, expires, metadata, ...fields } = request;
  const ttl = expires === undefined ? TTL_SECONDS.default : lifetimeOf(expires);
  // The hash of a request with an idempotency key is of these fields.
  const fact = { ...fields, ...(expires !== undefined && { ttlSeconds: ttl }) };
  const category = fact.category ?? DEFAULT_CATEGORY;
  assertNotReserved(category);
  const { key, value, tags = [] } = fact;
  const given = { key, category, tags, title: key, content: value };
  assertWithinLimits({ key, category, tags, content: value });
  const { texts: screened, masked } = await screenTexts(context, given);
  const spelling = await factIn(context, screened.key, [screened.category]);
  const texts = { ...screened, ...(spelling !== null && { key: spelling.key ?? screened.key }) };
  const vectors = await vectorsToFill(context);
  const now = context.now();
  let draft = newDraft({ ...factFields(context, texts, ttl, now), metadata: metadata ?? {} }, now);
  const chunking = await chunkingOf(context);
  const passages = await chunking.cut(draft);
  let replaced = false;
  const { ids, replayed } = await runOnce(context, idempotency_key, ['store', fact], async (only) => {
    for (let attempt = 1; ; attempt++) {
      const before = await factIn(context, texts.key, [texts.category]);
      if (before !== null) assertMayReplace(context, [before]);
      const uuid = before?.uuid ?? draft.uuid;
      draft = { ...draft, uuid, expiresAt: unshortened(context, before, now + ttl * 1000) };
      // To store the same value again prolongs a fact: where it came from stays known.
      if (metadata === undefined && before?.contentHash === draft.contentHash)
        draft = { ...draft, metadata: before.metadata };
      replaced = before !== null;
      try {
        return await commitFact(context, before, { draft, passages, chunking: chunking.signature }, only);
      } catch (error) {
        const conflict = error instanceof LociError && ['conflict', 'not_found'].includes(error.code);
        const isOurs =
          only.idempotencyKey !== undefined && (await isCommitted(context, only.idempotencyKey.key));
        if (!conflict || isOurs || attempt === MAX_ATTEMPTS) throw error;
        // The fact with this key may have expired: then it is removed before the next attempt.
        invalidateNextExpiry(context);
      }
    }
  });
  schedulePurge(context);
  const id = ids[0] ?? 0;
  const [stored] = await context.store.records.get(context.namespace, [id], 'any');
  const expires_at = isoTime(stored?.expiresAt ?? draft.expiresAt ?? 0);
  const state = await embedWritten(context, vectors, draft, passages);
  return { id, key: texts.key, category: texts.category, expires_at, replaced, masked, replayed, ...state };
}

async function isCommitted({ store, namespace, now }: EngineContext, key: string): Promise<boolean> {
  return (await idempotentResult(store.records, namespace, key, now())) !== null;
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
  { config, caller }: EngineContext,
  texts: { key: string; category: string; tags: readonly string[]; content: string },
  ttl: number,
  now: Timestamp,
): Omit<Parameters<typeof newDraft>[0], 'metadata'> {
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
    createdAt: now,
    expiresAt: now + ttl * 1000,
  };
}

/** The fact with this key, or else the one stored last whose key is the same but for case, spaces and underscores. */
async function factIn(
  context: EngineContext,
  key: string,
  categories: readonly string[],
): Promise<LociRecord | null> {
  return (await factsWithKey(context, key, categories))[0] ?? null;
}

/** The facts with this key in these categories, in all unless given; without any, those with the same key in another spelling. */
async function factsWithKey(
  context: EngineContext,
  key: string,
  categories?: readonly string[],
): Promise<LociRecord[]> {
  await expire(context);
  const { store, namespace, now } = context;
  const within = categories === undefined ? {} : { categories };
  const listed = (spelling: string): Promise<LociRecord[]> => {
    const filter = { now: now(), origins: ['fact' as const], key: spelling, ...within };
    return store.records.list(namespace, { filter }, { after: null, limit: 100 });
  };
  const found = await listed(key);
  if (found.length > 0) return found;
  const others = (await categoriesOf(context, MAX_COMPARED_KEYS, within)).flatMap(
    ({ newestKeys = [] }) => newestKeys.find((other) => plainKey(other) === plainKey(key)) ?? [],
  );
  return (await Promise.all([...new Set(others)].map(listed))).flat();
}

function plainKey(key: string): string {
  return key.replaceAll(/[\s_]/g, '').toLowerCase();
}

/**
 * The fact with this key. Without a category, all are searched; if several have the key, `user_facts` wins.
 * @throws LociError `not_found`, `ambiguous`
 */
export async function recallFact(
  context: EngineContext,
  given: z.infer<typeof recallFactInput>,
): Promise<Fact> {
  return formatFact(await factOfKey(context, given));
}

async function factOfKey(
  context: EngineContext,
  { key, category }: z.infer<typeof recallFactInput>,
): Promise<LociRecord> {
  const found = await factsWithKey(context, key, category === undefined ? undefined : [category]);
  const inDefault = found.find((record) => record.category === DEFAULT_CATEGORY);
  const [only] = found;
  if (only === undefined) throw await noSuchFact(context, key, category);
  if (found.length === 1 || inDefault !== undefined) return inDefault ?? only;
  const names = found.map((record) => record.category).toSorted();
  throw new LociError('ambiguous', `${JSON.stringify(key)} is in several categories: ${names.join(', ')}`, {
    hint: 'Name the category.',
  });
}

/** The caller's facts, newest first unless the request says otherwise. @throws LociError `not_found` for an `after` that is gone */
export async function listFacts(
  context: EngineContext,
  request: z.infer<typeof listFactsInput> = {},
): Promise<FactListOutput> {
  await expire(context);
  const { store, namespace } = context;
  const { limit = DEFAULT_LIMIT, after = null, sort = 'newest' } = request;
  const filter = factFilter(context, request);
  const pageAfter = (id: number | null, count: number): Promise<LociRecord[]> =>
    sort === 'newest'
      ? store.records.list(namespace, { filter }, { after: id, limit: count })
      : expiringAfter(context, filter, id, count);
  const facts = await pageAfter(after, limit);
  const last = facts.at(-1)?.id ?? null;
  const following = last === null ? [] : await pageAfter(last, 1);
  const total = await store.records.count(namespace, filter);
  return {
    facts: facts.map(formatFact),
    total,
    next: following.length > 0 ? last : null,
  };
}

/** Facts whose contents are read at once. */
const READ_AT_ONCE = 50;

/** Those that expire first, after a fact. */
async function expiringAfter(
  { store, namespace }: EngineContext,
  filter: ReturnType<typeof factFilter>,
  after: number | null,
  limit: number,
): Promise<LociRecord[]> {
  const [before] = after === null ? [] : await store.records.get(namespace, [after], 'any');
  if (after !== null && (before?.expiresAt ?? null) === null)
    throw new LociError('not_found', `the fact ${String(after)} is gone`, {
      hint: 'Begin with the first page.',
    });
  const place = before === undefined ? null : { value: before.expiresAt!, id: before.id };
  const request = { filter, sort: 'expires', descending: false } as const;
  const rows = await store.records.table(namespace, request, { after: place, limit });
  const ids = rows.map(({ record }) => record.id);
  const facts: LociRecord[] = [];
  // As in other lists, long values end a page early.
  for (let i = 0, room = MAX_PAGE_CHARACTERS; i < ids.length && room > 0; i += READ_AT_ONCE) {
    const some = await store.records.get(namespace, ids.slice(i, i + READ_AT_ONCE), 'any');
    const fitting = firstOfPage(some, (record) => record);
    facts.push(...fitting);
    if (fitting.length < some.length) break;
    room -= fitting.reduce((sum, { content }) => sum + content.length, 0);
  }
  return facts;
}

/** The store's filter for facts. */
function factFilter(
  { now }: EngineContext,
  { category, prefix, tags }: z.infer<typeof listFactsInput>,
): { now: Timestamp; origins: ['fact'] } & Record<string, unknown> {
  return {
    now: now(),
    origins: ['fact'],
    ...(category !== undefined && { categories: [category] }),
    ...(prefix !== undefined && { keyPrefix: prefix }),
    ...(tags !== undefined && { tags }),
  };
}

const RECENT_KEYS = 10;

/** By name, with the keys stored last. */
function categoriesOf(
  { store, namespace, now }: EngineContext,
  newestKeys: number,
  within: { readonly categories?: readonly string[] } = {},
): Promise<FacetValue[]> {
  const filter = { now: now(), origins: ['fact' as const], ...within };
  return store.records.facet(namespace, 'category', filter, newestKeys);
}

export async function factCategories(context: EngineContext): Promise<FactCategoriesOutput> {
  await expire(context);
  const categories = await categoriesOf(context, RECENT_KEYS);
  return {
    categories: categories.map(({ value: name, records: count, newestKeys = [] }) => ({
      name,
      count,
      recent_keys: [...newestKeys],
    })),
    note:
      categories.length === 0
        ? 'No facts are stored yet; `memory_store` stores one.'
        : '`memory_recall` reads one fact, `memory_list` lists a category, `memory_search` searches the values.',
  };
}

/** How many keys of each category, stored last, are compared with a key that no fact has. */
const MAX_COMPARED_KEYS = 1000;

/** Keys that the error for another key names. */
const MAX_SIMILAR_KEYS = 3;

/** The keys that begin with this one, then those that contain it: `wifi.guest` for `wifi`; else one that is spelt like it. */
function similarKeys(key: string, keys: readonly string[]): string[] {
  const given = key.toLowerCase();
  const places = [...new Set(keys)].map((each) => ({ each, place: each.toLowerCase().indexOf(given) }));
  const containing = places
    .filter(({ place }) => place >= 0)
    .sort((a, b) => Math.sign(a.place) - Math.sign(b.place));
  if (containing.length > 0) return containing.slice(0, MAX_SIMILAR_KEYS).map(({ each }) => each);
  const similar = closestWord(key, keys);
  return similar === undefined ? [] : [similar];
}

/** The error for a key that no fact has. Its hint names similar keys, or the category that has the key. */
async function noSuchFact(context: EngineContext, key: string, category?: string): Promise<LociError> {
  const categories = await categoriesOf(context, MAX_COMPARED_KEYS);
  const searched = categories.filter(({ value }) => category === undefined || value === category);
  const keys = searched.flatMap(({ newestKeys = [] }) => newestKeys);
  const similar = similarKeys(key, keys).map((each) => JSON.stringify(each));
  const other = categories.find(({ newestKeys }) => newestKeys?.includes(key));
  const where = category === undefined ? '' : ` in ${category}`;
  const advice = [
    ...(other === undefined ? [] : [`The category ${other.value} has it.`]),
    ...(other !== undefined || similar.length === 0 ? [] : [`Did you mean ${similar.join(' or ')}?`]),
    '`memory_list` lists all keys.',
  ];
  return new LociError('not_found', `no fact has the key ${JSON.stringify(key)}${where}`, {
    hint: advice.join(' '),
  });
}

const BATCH = 500;

/**
 * Deletes facts by key, by the beginning of their keys or by category; all given conditions must hold. They can be
 * undeleted by id until they expire or are purged.
 * @throws LociError `invalid_input` for a request without a condition, `not_found` for a key that no fact has;
 *   `writes_disabled` when an agent may not forget a fact of the operator
 */
export async function forgetFacts(
  context: EngineContext,
  request: z.infer<typeof forgetFactsInput>,
): Promise<FactForgetOutput> {
  const { key, prefix, category } = request;
  if (key === undefined && prefix === undefined && category === undefined) {
    throw new LociError('invalid_input', 'nothing says which facts to forget', {
      hint: 'Give a key, a prefix or a category.',
    });
  }
  if (category !== undefined) assertNotReserved(category);
  if (key !== undefined && prefix === undefined) {
    const given = { key, ...(category !== undefined && { category }) };
    return forgotten(await deleteFacts(context, [await factOfKey(context, given)]));
  }
  const pageAfter = async (after: number | null): Promise<LociRecord[]> => {
    await expire(context);
    const filter = { ...factFilter(context, request), ...(key !== undefined && { key }) };
    return context.store.records.list(context.namespace, { filter }, { after, limit: BATCH });
  };
  // Checks all facts before it deletes the first.
  for (let page = await pageAfter(null); page.length > 0; page = await pageAfter(page.at(-1)!.id))
    assertMayReplace(context, page);
  const facts: LociRecord[] = [];
  for (;;) {
    const page = await pageAfter(null);
    if (page.length === 0) return forgotten(facts);
    facts.push(...(await deleteFacts(context, page)));
  }
}

function forgotten(facts: readonly LociRecord[]): FactForgetOutput {
  return {
    forgotten: facts.length,
    facts: facts.slice(0, MAX_LISTED).map(({ id, key, category }) => ({ id, key: key ?? '', category })),
  };
}

/** Returns the deleted facts: none when another process deleted one of them first. */
async function deleteFacts(
  context: EngineContext,
  facts: readonly LociRecord[],
): Promise<readonly LociRecord[]> {
  assertMayReplace(context, facts);
  const at = context.now();
  try {
    await context.store.records.commit(context.namespace, {
      deletions: facts.map(({ id }) => ({ id, at })),
      audit: facts.map(({ uuid }) => auditDraft(context, 'forget', uuid)),
    });
    return facts;
  } catch (error) {
    if (!(error instanceof LociError) || error.code !== 'not_found') throw error;
    return [];
  }
}

import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';
import type { LociRecord } from '../../core/types.ts';
import type { EngineContext } from '../context.ts';
import { forgetFacts } from '../facts/forget-facts.ts';
import { storeFact } from '../facts/facts.ts';
import { nextPage, pageStart, recordId } from '../fields/record-fields.ts';
import { isoTime } from '../fields/times.ts';
import { assertWritesEnabled } from '../access/permission.ts';
import { expire } from '../shared/retention.ts';
import { type CapturedFact, keepFact, originOf, storedFact } from './captured-records.ts';
import { subjectOf } from './sentences/classify.ts';

/** The category of proposals, and their states as tags. One that was rejected stays until it expires, so that it is not made again. */
const PROPOSALS = 'proposals';
const WAITING = 'waiting';
const REJECTED = 'rejected';
const LIFETIME = '30d';

const DEFAULT_LIMIT = 50;

export const listProposalsInput = z.strictObject({
  limit: z
    .number()
    .int()
    .min(1)
    .max(500)
    .exactOptional()
    .describe(`The highest number of proposals; ${String(DEFAULT_LIMIT)} unless given.`),
  after: pageStart(),
});

const proposal = z.strictObject({
  id: recordId(),
  text: z.string().describe('What the owner said, in the same words.'),
  session: z.string().nullable().describe('The session in which it was said.'),
  proposed_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
});

export const listProposalsOutput = z.strictObject({
  proposals: z.array(proposal).describe('The last one first.'),
  total: z.number().int().nonnegative().describe('How many wait, on all pages.'),
  next: nextPage(),
});
export type ListProposalsOutput = z.infer<typeof listProposalsOutput>;

export const chosenProposals = z.strictObject({
  ids: z.array(recordId()).min(1).max(100).describe('The numbers of the proposals, as the list has them.'),
});

export const acceptProposalsOutput = z.strictObject({
  accepted: z.array(
    z.strictObject({ id: recordId(), text: z.string(), citation: z.string().describe('`get` reads it.') }),
  ),
});
export type AcceptProposalsOutput = z.infer<typeof acceptProposalsOutput>;

export const rejectProposalsOutput = z.strictObject({
  rejected: z.array(z.strictObject({ id: recordId(), text: z.string() })),
});
export type RejectProposalsOutput = z.infer<typeof rejectProposalsOutput>;

/** The namespace of the proposals for a namespace. No search includes it. */
export function proposalsNamespace(namespace: string): string {
  return `${namespace}:${PROPOSALS}`;
}

function proposalsOf(context: EngineContext): EngineContext {
  const namespace = proposalsNamespace(context.namespace);
  return context.as({ ...context.caller, namespace, isReviewed: true });
}

function filterOf(
  context: EngineContext,
  more: { readonly key?: string; readonly tags?: readonly string[] },
) {
  return { now: context.now(), origins: ['fact' as const], categories: [PROPOSALS], ...more };
}

/**
 * Proposes to remember a fact, for 30 days. Nothing happens if it is stored, or was proposed or rejected in the last 30 days.
 * Returns whether it is a new proposal.
 */
export async function propose(context: EngineContext, { text, origin }: CapturedFact): Promise<boolean> {
  const own = proposalsOf(context);
  // The same sentence in other cases and with other marks is the same proposal.
  const key = sha256(
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim(),
  ).slice(0, 32);
  await expire(own);
  const known = await own.store.records.count(own.namespace, filterOf(own, { key }));
  if (known > 0 || (await storedFact(context, text)) !== null) return false;
  await storeFact(own, {
    key,
    value: text,
    category: PROPOSALS,
    tags: [WAITING],
    expires: LIFETIME,
    metadata: { captured_from: { ...origin } },
  });
  return true;
}

/** How many facts were proposed or rejected since a time. */
export async function proposedSince(context: EngineContext, from: number): Promise<number> {
  const own = proposalsOf(context);
  return own.store.records.count(own.namespace, { ...filterOf(own, {}), from });
}

/** What waits for the owner. */
export async function listProposals(
  context: EngineContext,
  { limit = DEFAULT_LIMIT, after }: z.infer<typeof listProposalsInput>,
): Promise<ListProposalsOutput> {
  const own = proposalsOf(context);
  await expire(own);
  const filter = filterOf(own, { tags: [WAITING] });
  const found = await own.store.records.list(
    own.namespace,
    { filter },
    { after: after ?? null, limit: limit + 1 },
  );
  const listed = found.slice(0, limit);
  return {
    proposals: listed.map(({ id, content, metadata, createdAt, expiresAt }) => ({
      id,
      text: content,
      session: originOf(metadata)['session'] ?? null,
      proposed_at: isoTime(createdAt),
      expires_at: isoTime(expiresAt ?? 0),
    })),
    total: await own.store.records.count(own.namespace, filter),
    next: found.length > limit ? (listed.at(-1)?.id ?? null) : null,
  };
}

const PROPOSALS_AT_ONCE = 500;

/** All that wait, the last one first, with who said it where, as the audit log names them. */
export async function allProposals(context: EngineContext) {
  const own = proposalsOf(context);
  await expire(own);
  const filter = filterOf(own, { tags: [WAITING] });
  const found: LociRecord[] = [];
  for (;;) {
    const after = found.at(-1)?.id ?? null;
    const page = await own.store.records.list(own.namespace, { filter }, { after, limit: PROPOSALS_AT_ONCE });
    if (page.length === 0) break;
    found.push(...page);
  }
  return found.map(({ id, content: text, metadata, source: surface, createdAt, expiresAt }) => {
    const { agent = '', session } = originOf(metadata);
    return {
      id,
      text,
      proposed_at: isoTime(createdAt),
      expires_at: isoTime(expiresAt ?? 0),
      author: { actor: agent, surface, session: session === undefined || session === '' ? null : session },
    };
  });
}

/**
 * Writes proposals as records. One that would be refused, or does not wait, fails all of them.
 * @throws LociError `not_found`, `writes_disabled`
 */
export async function acceptProposals(
  context: EngineContext,
  { ids }: z.infer<typeof chosenProposals>,
): Promise<AcceptProposalsOutput> {
  assertWritesEnabled(context);
  const own = proposalsOf(context);
  const accepted: AcceptProposalsOutput['accepted'] = [];
  for (const { id, key, content: text, metadata, createdAt } of await waiting(own, ids)) {
    const fact = { text, subject: subjectOf(text), origin: originOf(metadata), saidAt: createdAt };
    const kept = await keepFact(context, fact);
    // A proposal that stays after a crash is accepted again, and then the record is there.
    await forgetFacts(own, { key: key ?? '', category: PROPOSALS });
    accepted.push({ id, text, citation: `record/${String(kept.id)}` });
  }
  return { accepted };
}

/** Rejects proposals: the same sentences are not proposed again within 30 days. @throws LociError `not_found` */
export async function rejectProposals(
  context: EngineContext,
  { ids }: z.infer<typeof chosenProposals>,
): Promise<RejectProposalsOutput> {
  const own = proposalsOf(context);
  const rejected: RejectProposalsOutput['rejected'] = [];
  for (const { id, key, content: text, metadata } of await waiting(own, ids)) {
    await storeFact(own, {
      key: key ?? '',
      value: text,
      category: PROPOSALS,
      tags: [REJECTED],
      expires: LIFETIME,
      metadata,
    });
    rejected.push({ id, text });
  }
  return { rejected };
}

/** @throws LociError `not_found` that names each id of which no proposal waits */
async function waiting(own: EngineContext, ids: readonly number[]): Promise<LociRecord[]> {
  await expire(own);
  const wanted = [...new Set(ids)];
  const found = (await own.store.records.get(own.namespace, wanted, { liveAt: own.now() })).filter(
    ({ category, tags }) => category === PROPOSALS && tags.includes(WAITING),
  );
  const missing = wanted.filter((id) => !found.some((record) => record.id === id));
  if (missing.length === 0) return found;
  throw new LociError('not_found', `no proposal waits with the number ${missing.join(', ')}`, {
    hint: '`capture list` shows the numbers of those that wait.',
  });
}

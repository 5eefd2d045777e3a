import { LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';
import type { Metadata } from '../../core/types.ts';
import { newDraft } from '../../ingest/record-draft.ts';
import { auditDraft, newDiff } from '../audit/audit.ts';
import type { EngineContext } from '../context.ts';
import { embedWritten, type Embedded } from './embed-written.ts';
import { assertNotReserved } from '../facts/facts.ts';
import { assertWithinLimits } from './limits.ts';
import { runOnce } from './idempotency.ts';
import { assertWritesEnabled } from '../access/permission.ts';
import { screened } from './screen.ts';

export interface WriteRequest {
  readonly content: string;
  readonly title?: string;
  readonly category?: string;
  readonly recordType?: string;
  readonly tags?: readonly string[];
  readonly project?: string;
  readonly metadata?: Metadata;
  /** Asked again with the same key within a day, the same record is answered and nothing is written. */
  readonly idempotencyKey?: string;
}

export interface WriteResponse extends Embedded {
  readonly id: number;
  readonly citation: string;
  /** The first earlier record of exactly the same content; it was written all the same. */
  readonly sameAs: number | null;
  /** Kinds of secrets that were masked before anything was stored. */
  readonly masked: readonly string[];
  /** Whether it was written before, under the same idempotency key. */
  readonly replayed: boolean;
}

/**
 * A new record: durable and found by text when this resolves. Without its embedding if the provider cannot answer
 * now; the next `index` catches up (R16).
 * @throws LociError `invalid_input` that names what is wrong with it; `writes_disabled`, `secret_refused`, `conflict`
 */
export async function write(context: EngineContext, request: WriteRequest): Promise<WriteResponse> {
  assertWritesEnabled(context);
  const { idempotencyKey, ...asked } = request;
  assertWithinLimits(asked);
  if (asked.category !== undefined) assertNotReserved(asked.category);
  const { texts, masked } = await screened(context, asked);
  const { store, namespace } = context;
  const now = context.now();
  const vectors = await context.vectorsToFill();
  const [sameAs = null] = await store.writtenWith(namespace, sha256(texts.content), now);
  const draft = newDraft(recordOf(context, texts), now);
  const { ids, replayed } = await runOnce(context, idempotencyKey, ['write', asked], async (only) => {
    const chunking = await context.chunking();
    const writes = [{ id: null, draft, passages: await chunking.cut(draft) }];
    const audit = [auditDraft(context, 'write', draft.uuid, newDiff(draft))];
    return store.commit(namespace, { writes, evictions: [], chunking: chunking.signature, audit, ...only });
  });
  context.tidy();
  const [id] = ids;
  if (id === undefined) throw new LociError('store_failed', 'the store answered no id');
  const written = { id, citation: `record/${String(id)}`, masked, replayed };
  return {
    ...written,
    sameAs: replayed ? null : sameAs,
    ...(await embedWritten(context, vectors, id, draft)),
  };
}

function recordOf(
  { config, caller, now }: EngineContext,
  texts: WriteRequest,
): Parameters<typeof newDraft>[0] {
  return {
    content: texts.content,
    title: texts.title ?? '',
    project: texts.project ?? config.project,
    origin: 'memory',
    source: caller.surface,
    trust: caller.trust,
    key: null,
    category: texts.category ?? 'general',
    recordType: texts.recordType ?? 'fact',
    tags: texts.tags ?? [],
    metadata: texts.metadata ?? {},
    createdAt: now(),
    expiresAt: null,
  };
}

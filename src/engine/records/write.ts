import type { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';
import type { Metadata, Timestamp } from '../../core/types.ts';
import { newDraft } from '../../ingest/record-draft.ts';
import { auditDraft, newDiff } from '../audit/audit.ts';
import type { EngineContext } from '../context.ts';
import { schedulePurge } from '../shared/retention.ts';
import { chunkingOf, vectorsToFill } from '../embedding/models.ts';
import { embedWritten } from './embed-written.ts';
import { assertNotReserved, assertWithinLimits, type WritableFields } from '../fields/limits.ts';
import { runOnce } from './idempotency.ts';
import { assertWritesEnabled } from '../access/permission.ts';
import type { writeInput, WriteOutput } from './record-schemas.ts';
import { screenTexts } from './screen.ts';

type WriteRequest = z.infer<typeof writeInput> & {
  readonly metadata?: Metadata;
};

/**
 * Writes a new record. When this resolves, the record is durable and full text finds it. If the embedding provider cannot
 * answer, the next `index` embeds it (R16).
 * @throws LociError `invalid_input`, `writes_disabled`, `secret_refused`, `conflict`
 */
export async function write(context: EngineContext, request: WriteRequest): Promise<WriteOutput> {
  assertWritesEnabled(context);
  const { idempotency_key, record_type, ...given } = request;
  const fields = { ...given, ...(record_type !== undefined && { recordType: record_type }) };
  assertWithinLimits(fields);
  if (fields.category !== undefined) assertNotReserved(fields.category);
  const { texts, masked } = await screenTexts(context, fields);
  const { store, namespace } = context;
  const now = context.now();
  const vectors = await vectorsToFill(context);
  const filter = { now, origins: ['memory' as const], contentHash: sha256(texts.content) };
  const page = { after: null, limit: 1 };
  const [duplicate] = await store.records.list(namespace, { filter, order: 'oldest' }, page);
  const sameAs = duplicate?.id ?? null;
  const draft = newDraft(recordInput(context, texts, now), now);
  const chunking = await chunkingOf(context);
  const passages = await chunking.cut(draft);
  const { ids, replayed } = await runOnce(context, idempotency_key, ['write', fields], async (once) => {
    const writes = [{ id: null, draft, passages }];
    const audit = [auditDraft(context, 'write', draft.uuid, newDiff(draft))];
    return store.records.commit(namespace, { writes, chunking: chunking.signature, audit, ...once });
  });
  schedulePurge(context);
  const [id] = ids;
  if (id === undefined) throw new LociError('store_failed', 'the store answered no id');
  const written = { id, citation: citationOf(id), masked, replayed };
  return {
    ...written,
    same_as: replayed ? null : sameAs,
    ...(await embedWritten(context, vectors, draft, passages)),
  };
}

function citationOf(id: number): string {
  return `record/${String(id)}`;
}

function recordInput(
  { config, caller }: EngineContext,
  texts: WritableFields & { readonly content: string },
  createdAt: Timestamp,
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
    createdAt,
    expiresAt: null,
  };
}

import type { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';
import type { Metadata, Timestamp, Passage } from '../../core/types.ts';
import { newDraft } from '../../ingest/record-draft.ts';
import { auditDraft, newDiff } from '../audit/audit.ts';
import type { EngineContext } from '../context.ts';
import { schedulePurge } from '../shared/retention.ts';
import { chunkingOf, vectorsToFill, UnembeddedWrites } from '../embedding/models.ts';
import { assertNotReserved, assertWithinLimits, type WritableFields } from '../fields/limits.ts';
import { assertWritesEnabled } from '../access/permission.ts';
import type { writeInput, WriteOutput } from './record-schemas.ts';
import { screenTexts } from '../shared/screen.ts';
import { DAY_MS } from '../../core/time/whole-day.ts';
import { idempotentResult } from '../../store/items/kinds.ts';
import type { IdempotencyKey } from '../../store/model.ts';
import { within } from '../../core/time/deadline.ts';
import { embedRecord } from '../../ingest/embed.ts';
import type { VectorIndexRef } from '../../search/run.ts';

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
  const filter = { now, origins: ['memory' as const], contentHash: sha256(texts.content) };
  const page = { after: null, limit: 1 };
  const [vectors, [duplicate]] = await Promise.all([
    vectorsToFill(context),
    store.records.list(namespace, { filter, order: 'oldest' }, page),
  ]);
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

const KEY_LIFETIME_MS = DAY_MS;
const KEY_FORMAT = /^[\x21-\x7e]{1,255}$/;

interface IdempotentOutcome {
  readonly ids: readonly number[];
  /** Whether an earlier request with the same key did it. */
  readonly replayed: boolean;
}

/** A request with a key. Only a hash of the key is stored, since callers may use a token or another secret. */
interface KeyedRequest {
  readonly key: string;
  readonly keyHash: string;
  readonly fingerprint: string;
}

/**
 * Does the work at most once for an idempotency key, over all processes; later requests get the ids of the first.
 * @param content identifies the request: the key must not be used with another
 * @throws LociError `invalid_input` for a malformed key, `conflict` for one that was used for another request
 */
export async function runOnce(
  context: EngineContext,
  key: string | undefined,
  content: unknown,
  work: (batch: { readonly idempotencyKey?: IdempotencyKey }) => Promise<readonly number[]>,
): Promise<IdempotentOutcome> {
  if (key === undefined) return { ids: await work({}), replayed: false };
  if (!KEY_FORMAT.test(key)) {
    const rule = 'must be 1 to 255 printable ASCII characters without spaces';
    throw new LociError('invalid_input', `the idempotency key ${JSON.stringify(key.slice(0, 60))} ${rule}`);
  }
  const fingerprint = sha256(JSON.stringify(content));
  const request = { key, keyHash: sha256(key), fingerprint };
  const before = await replay(context, request);
  if (before !== null) return before;
  const at = context.now();
  try {
    const ids = await work({
      idempotencyKey: { key: request.keyHash, fingerprint, at, expiresAt: at + KEY_LIFETIME_MS },
    });
    return { ids, replayed: false };
  } catch (error) {
    if (!(error instanceof LociError) || error.code !== 'conflict') throw error;
    // Another process may have done it meanwhile.
    const concurrent = await replay(context, request);
    if (concurrent === null) throw error;
    return concurrent;
  }
}

async function replay(
  { store, namespace, now }: EngineContext,
  { key, keyHash, fingerprint }: KeyedRequest,
): Promise<IdempotentOutcome | null> {
  const done = await idempotentResult(store.records, namespace, keyHash, now());
  if (done === null) return null;
  if (done.fingerprint === fingerprint) return { ids: done.records, replayed: true };
  throw new LociError('conflict', `the idempotency key ${JSON.stringify(key)} was used for another request`, {
    hint: 'Use a new key for each request, and the same key only to retry it.',
  });
}

export interface Embedded {
  /** Without an embedding, a record is found by its words only. */
  readonly embedded: boolean;
  /** Why it is not embedded. */
  readonly why: string | null;
}

/** A write does not wait longer for its embedding, which then goes on while the engine is open. */
const MAX_WAIT_MS = 10_000;

const STILL_EMBEDDING: Embedded = {
  embedded: false,
  why: 'its passages are still being embedded; until then, it is found by its words',
};

/**
 * Embeds the passages of a record that was just written. If the model cannot answer (R16), or if the engine closes before a long
 * text is embedded, the next `index` embeds them, or a server that runs.
 */
export async function embedWritten(
  context: EngineContext,
  vectors: VectorIndexRef | null,
  { title, metadata }: { readonly title: string; readonly metadata: Metadata },
  passages: readonly Passage[],
): Promise<Embedded> {
  if (vectors === null) return { embedded: false, why: 'no embedding provider is configured' };
  const record = { namespace: context.namespace, title, metadata };
  const embedding = embedRecord(context.store, vectors.embedder, vectors.generation, record, passages).then(
    () => ({ embedded: true, why: null }),
    (error: unknown) => {
      if (!(error instanceof LociError)) throw error;
      context.shared(UnembeddedWrites).count++;
      return { embedded: false, why: error.message };
    },
  );
  return within<Embedded>(embedding, MAX_WAIT_MS, () => STILL_EMBEDDING);
}

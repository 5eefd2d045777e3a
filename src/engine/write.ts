import { LociError } from '../core/errors.ts';
import { sha256 } from '../core/hash.ts';
import type { Json, Metadata } from '../core/types.ts';
import { embedRecord } from '../ingest/embed-record.ts';
import { remember } from '../ingest/remember.ts';
import type { EngineContext } from './context.ts';

export interface WriteRequest {
  readonly content: string;
  readonly title?: string;
  readonly category?: string;
  readonly recordType?: string;
  readonly tags?: readonly string[];
  readonly project?: string;
  readonly metadata?: Metadata;
}

export interface WriteResponse {
  readonly id: number;
  readonly citation: string;
  /** False when the record is found by text only for now; `why` says what kept it from being embedded. */
  readonly embedded: boolean;
  readonly why: string | null;
  /** The first earlier record of exactly the same content; it was written all the same. */
  readonly sameAs: number | null;
}

/** Longest content of a record, bytes of UTF-8. */
export const MAX_CONTENT_BYTES = 1_048_576;
/** Levels of metadata: some 1,700 are what threads can tell each other. */
const MAX_METADATA_DEPTH = 100;
/** Anything but tab and line ends; a carriage return only as a part of one. */
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\r(?!\n)/;

/**
 * A new record: durable and found by text when this resolves. Without its embedding if the provider cannot answer
 * now; the next `index` catches up (R16).
 * @throws LociError `invalid_input` that names what is wrong with it
 */
export async function write(context: EngineContext, request: WriteRequest): Promise<WriteResponse> {
  checkContent(request.content);
  checkDepth(request.metadata ?? {});
  const { config, store, namespace, caller } = context;
  const now = context.now();
  const record = {
    content: request.content,
    title: request.title ?? '',
    project: request.project ?? config.project,
    origin: 'memory' as const,
    source: caller.surface,
    trust: caller.trust,
    key: null,
    category: request.category ?? 'general',
    recordType: request.recordType ?? 'fact',
    tags: request.tags ?? [],
    metadata: request.metadata ?? {},
    createdAt: now,
    expiresAt: null,
  };
  const vectors = await context.vectorsToFill();
  const [sameAs = null] = await store.writtenWith(namespace, sha256(record.content), now);
  const [id] = await remember(store, namespace, [record], await context.chunking(), now);
  if (id === undefined) throw new LociError('store_failed', 'the store answered no id');
  const citation = `record/${String(id)}`;
  const written = { id, citation, sameAs };
  if (vectors === null) return { ...written, embedded: false, why: 'no embedding provider is configured' };
  try {
    const passages = (await store.passagesOf(namespace, [id])).get(id) ?? [];
    const described = { ...record, namespace };
    await embedRecord(store, vectors.embedder, vectors.generation, described, passages);
    return { ...written, embedded: true, why: null };
  } catch (error) {
    if (!(error instanceof LociError)) throw error;
    return { ...written, embedded: false, why: error.message };
  }
}

function checkContent(content: string): void {
  if (content.trim() === '') throw new LociError('invalid_input', 'content is empty');
  const bytes = Buffer.byteLength(content);
  if (bytes > MAX_CONTENT_BYTES) {
    throw new LociError(
      'invalid_input',
      `content has ${String(bytes)} bytes; at most ${String(MAX_CONTENT_BYTES)} fit`,
    );
  }
  const control = CONTROL.exec(content);
  if (control !== null) {
    const code = control[0].charCodeAt(0).toString(16).padStart(4, '0');
    throw new LociError(
      'invalid_input',
      `content has the control character U+${code} at offset ${String(control.index)}`,
    );
  }
}

/** Level by level: what is nested without end, or in itself, must not end the stack here either. */
function checkDepth(metadata: Metadata): void {
  let level: Json[] = [metadata];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_METADATA_DEPTH) {
      const most = String(MAX_METADATA_DEPTH);
      throw new LociError('invalid_input', `metadata is nested deeper than ${most} levels`);
    }
    const below = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values<Json>(value) : [],
    );
    level = [...new Set(below)];
  }
}

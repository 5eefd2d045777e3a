import type { Timestamp } from '../core/types.ts';
import { auditDraft } from './audit.ts';
import type { EngineContext } from './context.ts';
import { embedWritten, type Embedded } from './embed-written.ts';
import { changeable } from './held-record.ts';
import { refuseDisabledWrites } from './permission.ts';

const DAY = 24 * 60 * 60 * 1000;

export interface DeleteResponse {
  readonly id: number;
  readonly title: string;
  readonly deletedAt: Timestamp;
  /** Until then it can be brought back. */
  readonly purgedAfter: Timestamp;
}

/**
 * Takes a record out of every answer and every index. It stays for `retention.purgeAfterDays` and can be brought back
 * until then (R7).
 * @throws LociError `not_found`, `gone`, `invalid_input`, `writes_disabled`
 */
export async function deleteRecord(context: EngineContext, id: number): Promise<DeleteResponse> {
  const { uuid, title, expiresAt, origin } = await changeable(context, id, 'live');
  if (origin !== 'fact') refuseDisabledWrites(context);
  const at = context.now();
  await context.store.commit(context.namespace, {
    writes: [],
    evictions: [],
    deletions: [{ id, at }],
    chunking: '',
    audit: [auditDraft(context, 'delete', uuid)],
  });
  context.tidy();
  return { id, title, deletedAt: at, purgedAfter: Math.min(purgedAfter(context, at), expiresAt ?? Infinity) };
}

function purgedAfter({ config }: EngineContext, deletedAt: Timestamp): Timestamp {
  return deletedAt + config.retention.purgeAfterDays * DAY;
}

export interface UndeleteResponse extends Embedded {
  readonly id: number;
  readonly title: string;
  readonly citation: string;
}

/** @throws LociError `not_found`; `gone` for what was purged; `conflict` for a fact whose key is taken again */
export async function undeleteRecord(context: EngineContext, id: number): Promise<UndeleteResponse> {
  const record = await changeable(context, id, 'deleted');
  // Whoever may forget a fact may have it back.
  if (record.origin !== 'fact') refuseDisabledWrites(context);
  const vectors = await context.vectorsToFill();
  const chunking = await context.chunking();
  await context.store.commit(context.namespace, {
    writes: [],
    evictions: [],
    restorations: [{ id, passages: await chunking.cut(record) }],
    chunking: chunking.signature,
    audit: [auditDraft(context, 'undelete', record.uuid)],
  });
  const { title } = record;
  const state = await embedWritten(context, vectors, id, record);
  return { id, title, citation: `record/${String(id)}`, ...state };
}

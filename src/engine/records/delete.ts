import type { Timestamp } from '../../core/types.ts';
import { auditDraft } from '../audit/audit.ts';
import type { EngineContext } from '../context.ts';
import { embedWritten, type Embedded } from './embed-written.ts';
import { changeable } from './changeable-record.ts';
import { assertWritesEnabled, assertMayOverrule } from '../access/permission.ts';

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
  await refuseDisabled(context, id);
  const { uuid, title, expiresAt } = await changeable(context, id, 'live');
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

/** Whoever may overrule a fact may also forget it, and have it back. @throws LociError `writes_disabled` */
async function refuseDisabled(context: EngineContext, id: number): Promise<void> {
  const [held] = await context.store.heldRecords(context.namespace, [id]);
  if (held?.origin === 'fact') assertMayOverrule(context, [held]);
  else assertWritesEnabled(context);
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
  await refuseDisabled(context, id);
  const record = await changeable(context, id, 'deleted');
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

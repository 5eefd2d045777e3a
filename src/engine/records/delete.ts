import type { z } from 'zod';
import { DAY_MS } from '../../core/time/whole-day.ts';
import type { LociRecord } from '../../core/types.ts';
import { auditDraft } from '../audit/audit.ts';
import type { EngineContext } from '../context.ts';
import { embedWritten } from './write.ts';
import type { deleteInput, DeleteOutput, undeleteInput, UndeleteOutput } from './record-schemas.ts';
import { isoTime } from '../fields/times.ts';
import { schedulePurge } from '../shared/retention.ts';
import { chunkingOf, vectorsToFill } from '../embedding/models.ts';
import { changeableRecord } from './update.ts';
import { assertWritesEnabled, assertMayReplace } from '../access/permission.ts';

/**
 * Removes a record from all results and indexes. It can be restored for `retention.purgeAfterDays`, then it is purged
 * (R7).
 * @throws LociError `not_found`, `gone`, `invalid_input`, `writes_disabled`
 */
export async function deleteRecord(
  context: EngineContext,
  { id }: z.infer<typeof deleteInput>,
): Promise<DeleteOutput> {
  const { uuid, title, expiresAt } = await changeableRecord(context, id, 'live', mayDelete(context));
  const at = context.now();
  await context.store.records.commit(context.namespace, {
    deletions: [{ id, at }],
    audit: [auditDraft(context, 'delete', uuid)],
  });
  schedulePurge(context);
  const purged = Math.min(at + context.config.retention.purgeAfterDays * DAY_MS, expiresAt ?? Infinity);
  return { id, title, deleted_at: isoTime(at), purged_after: isoTime(purged) };
}

/** Facts follow the rule for overwriting them, also where other writes are disabled. @throws LociError `writes_disabled` */
function mayDelete(context: EngineContext): (record: LociRecord | undefined) => void {
  return (record) => {
    if (record?.origin === 'fact') assertMayReplace(context, [record]);
    else assertWritesEnabled(context);
  };
}

/** @throws LociError `not_found`; `gone` for a purged record; `conflict` for a fact whose key has a new value */
export async function undelete(
  context: EngineContext,
  { id }: z.infer<typeof undeleteInput>,
): Promise<UndeleteOutput> {
  const record = await changeableRecord(context, id, 'deleted', mayDelete(context));
  const vectors = await vectorsToFill(context);
  const chunking = await chunkingOf(context);
  const passages = await chunking.cut(record);
  await context.store.records.commit(context.namespace, {
    restorations: [{ id, at: context.now(), passages }],
    chunking: chunking.signature,
    audit: [auditDraft(context, 'undelete', record.uuid)],
  });
  const { title } = record;
  const state = await embedWritten(context, vectors, record, passages);
  return { id, title, citation: `record/${String(id)}`, ...state };
}

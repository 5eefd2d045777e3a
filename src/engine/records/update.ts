import type { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';
import type { LociRecord, Metadata } from '../../core/types.ts';
import { samePassages } from '../../ingest/passages.ts';
import type { RecordDraft } from '../../store/model.ts';
import { auditDraft, diffOf } from '../audit/audit.ts';
import type { EngineContext } from '../context.ts';
import { schedulePurge } from '../shared/retention.ts';
import { chunkingOf, vectorsOf, vectorsToFill } from '../embedding/models.ts';
import { embedWritten, type Embedded } from './write.ts';
import { assertNotReserved, assertWithinLimits, type WritableFields } from '../fields/limits.ts';
import { lowerTrust, assertWritesEnabled } from '../access/permission.ts';
import type { updateInput, UpdateOutput } from './record-schemas.ts';
import { screenTexts } from '../shared/screen.ts';
import { formatAge } from '../../core/time/age.ts';

/**
 * Changes the given fields. The record is embedded again only if its text changes (R6).
 * @throws LociError `invalid_input`, `not_found`, `gone`, `writes_disabled`, `secret_refused`; `conflict` for a record that
 *   was changed meanwhile
 */
export async function update(
  context: EngineContext,
  {
    id,
    record_type,
    if_updated_at: expected,
    ...given
  }: z.infer<typeof updateInput> & { readonly metadata?: Metadata },
): Promise<UpdateOutput> {
  assertWritesEnabled(context);
  const fields = { ...given, ...(record_type !== undefined && { recordType: record_type }) };
  if (Object.keys(fields).length === 0) {
    throw new LociError('invalid_input', `nothing to change in record ${String(id)}`, {
      hint: 'Give at least one field: content, title, category, record_type, tags, project.',
    });
  }
  assertWithinLimits(fields);
  if (fields.category !== undefined) assertNotReserved(fields.category);
  const { texts, masked } = await screenTexts(context, fields);
  const before = await changeableRecord(context, id, 'live');
  if (before.origin !== 'memory') throw factError(before);
  if (expected !== undefined && Date.parse(expected) !== before.updatedAt)
    throw new LociError('conflict', `record ${String(id)} was changed meanwhile`, {
      hint: 'Read it again, and apply your change to what it has now.',
    });
  const draft = changedDraft(context, before, texts);
  const changed = diffOf(before, draft);
  const response = { id, citation: `record/${String(id)}`, changed: Object.keys(changed), masked };
  if (response.changed.length === 0)
    return { ...response, reembedded: false, ...(await embeddedState(context)) };
  const reembedded = !samePassages(before, draft);
  const chunking = await chunkingOf(context);
  const passages = reembedded ? await chunking.cut(draft) : 'keep';
  await context.store.records.commit(context.namespace, {
    writes: [{ id, draft, passages, expected: before.updatedAt }],
    chunking: chunking.signature,
    audit: [auditDraft(context, 'update', before.uuid, changed)],
  });
  schedulePurge(context);
  const state =
    passages === 'keep'
      ? await embeddedState(context)
      : await embedWritten(context, await vectorsToFill(context), draft, passages);
  return { ...response, reembedded, ...state };
}

/** The state of a record whose text did not change. */
async function embeddedState(context: EngineContext): Promise<Embedded> {
  const vectors = await vectorsOf(context);
  return vectors === null
    ? { embedded: false, why: 'no embedding provider is configured' }
    : { embedded: true, why: null };
}

function changedDraft(
  { caller, now }: EngineContext,
  before: LociRecord,
  texts: WritableFields,
): RecordDraft {
  const { namespace: _namespace, id: _id, deletedAt: _deletedAt, ...rest } = before;
  const content = texts.content ?? before.content;
  return {
    ...rest,
    ...texts,
    content,
    contentHash: sha256(content),
    trust: lowerTrust(before.trust, caller.trust),
    // Two changes in the same millisecond need different times.
    updatedAt: Math.max(now(), before.updatedAt + 1),
  };
}

function factError({ id, key }: LociRecord): LociError {
  return new LociError('invalid_input', `record ${String(id)} is the fact ${JSON.stringify(key)}`, {
    hint: 'Store the fact again with the same key.',
  });
}

/**
 * Returns a record of the caller that can be updated, deleted or undeleted.
 * @param assertAllowed is called with what was found before anything else is said about it
 * @throws LociError `not_found` for an unknown id, or a record in the other state; `gone` for one that was purged or has
 *   expired; `invalid_input` for a record of a vault or source
 */
export async function changeableRecord(
  context: EngineContext,
  id: number,
  state: 'live' | 'deleted',
  assertAllowed: (record: LociRecord | undefined) => void = () => undefined,
): Promise<LociRecord> {
  const [found] = await context.store.records.get(context.namespace, [id], 'any');
  assertAllowed(found);
  const record = found ?? (await failUnknown(context, id));
  assertNotFromSource(record);
  const { deletedAt, expiresAt } = record;
  if (expiresAt !== null && expiresAt <= context.now()) throw goneError(id, 'has expired');
  if (state === 'live' && deletedAt !== null) {
    throw new LociError(
      'not_found',
      `record ${String(id)} was deleted ${formatAge(deletedAt, context.now())}`,
      {
        hint: `\`memory_undelete ${String(id)}\` restores it.`,
      },
    );
  }
  if (state === 'deleted' && deletedAt === null)
    throw new LociError('not_found', `record ${String(id)} is not deleted`, {
      hint: 'It needs no undelete.',
    });
  return record;
}

async function failUnknown({ store, namespace }: EngineContext, id: number): Promise<never> {
  if (id <= (await store.records.bounds(namespace)).highestId)
    throw goneError(id, 'is gone: it was purged, or its vault or source was forgotten');
  throw new LociError('not_found', `there is no record ${String(id)}`, {
    hint: 'Search for the record: its citation has the number, as in `record/12`.',
  });
}

function goneError(id: number, reason: string): LociError {
  return new LociError('gone', `record ${String(id)} ${reason}`);
}

function assertNotFromSource({ id, origin, source, key }: LociRecord): void {
  if (origin !== 'vault' && origin !== 'source') return;
  const kind = origin === 'vault' ? 'a note of the vault' : 'a document of the source';
  throw new LociError('invalid_input', `record ${String(id)} is ${kind} ${source} (${key ?? ''})`, {
    hint: 'Change it in its vault or source, then run `loci index`.',
  });
}

import { formatAge } from '../../core/time/age.ts';
import { LociError } from '../../core/errors.ts';
import type { LociRecord } from '../../core/types.ts';
import type { EngineContext } from '../context.ts';

/**
 * Returns a record of the caller that can be updated, deleted or undeleted.
 * @throws LociError `not_found` for an unknown id, or a record in the other state; `gone` for one that was purged or has
 *   expired; `invalid_input` for a record of a vault or source
 */
export async function changeableRecord(
  context: EngineContext,
  id: number,
  state: 'live' | 'deleted',
): Promise<LociRecord> {
  const record = await recordInAnyState(context, id);
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

async function recordInAnyState(context: EngineContext, id: number): Promise<LociRecord> {
  const { store, namespace } = context;
  const [record] = await store.records.get(namespace, [id], 'any');
  if (record !== undefined) return record;
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

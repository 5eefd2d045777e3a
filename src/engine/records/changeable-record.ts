import { formatAge } from '../../core/time/age.ts';
import { LociError } from '../../core/errors.ts';
import type { LociRecord } from '../../core/types.ts';
import type { EngineContext } from '../context.ts';

/**
 * A record of the caller's that may be changed by its number.
 * @throws LociError `not_found` for a number that was never given, or a record that is not in this state; `gone` for
 *   one that was purged; `invalid_input` for what a vault or a source brought
 */
export async function changeable(
  context: EngineContext,
  id: number,
  state: 'live' | 'deleted',
): Promise<LociRecord> {
  const record = await held(context, id);
  refuseSourced(record);
  const { deletedAt, expiresAt } = record;
  if (expiresAt !== null && expiresAt <= context.now()) throw gone(id, 'has expired');
  if (state === 'live' && deletedAt !== null) {
    throw new LociError(
      'not_found',
      `record ${String(id)} was deleted ${formatAge(deletedAt, context.now())}`,
      {
        hint: `\`memory_undelete ${String(id)}\` brings it back.`,
      },
    );
  }
  if (state === 'deleted' && deletedAt === null)
    throw new LociError('not_found', `record ${String(id)} is not deleted`, {
      hint: 'There is nothing to undo.',
    });
  return record;
}

async function held(context: EngineContext, id: number): Promise<LociRecord> {
  const { store, namespace } = context;
  const [record] = await store.heldRecords(namespace, [id]);
  if (record !== undefined) return record;
  if (id <= (await store.highestId(namespace))) throw gone(id, 'was purged: its time was over');
  throw new LociError('not_found', `there is no record ${String(id)}`, {
    hint: 'Search for it: a record is cited by its number, as `record/12`.',
  });
}

function gone(id: number, what: string): LociError {
  return new LociError('gone', `record ${String(id)} ${what}`);
}

function refuseSourced({ id, origin, source, key }: LociRecord): void {
  if (origin !== 'vault' && origin !== 'source') return;
  const what = origin === 'vault' ? 'a note of the vault' : 'a document of the source';
  throw new LociError('invalid_input', `record ${String(id)} is ${what} ${source} (${key ?? ''})`, {
    hint: 'Change it where it comes from; the next `loci index` follows.',
  });
}

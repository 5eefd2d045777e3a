import { LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';
import { type UnseenChange, unseenChanges } from '../../store/items/kinds.ts';
import type { EngineContext } from '../context.ts';
import type { KeepRequest } from './inbox-fields.ts';

/** What an agent did in a session. */
export type Author = Pick<UnseenChange, 'actor' | 'surface' | 'session'>;

const ID_DIGITS = 12;

export function groupIdOf({ actor, surface, session }: Author): string {
  return sha256(JSON.stringify([actor, surface, session])).slice(0, ID_DIGITS);
}

/**
 * The changes of the inbox that a request names, the last one first.
 * @throws LociError `invalid_input` for a request that names none, or several kinds; `not_found` for what is not in the inbox
 */
export async function chosenChanges(
  { store, namespace }: EngineContext,
  { changes, group, up_to: upTo = Infinity, until, all }: KeepRequest,
): Promise<{ readonly chosen: readonly UnseenChange[]; readonly unseen: readonly UnseenChange[] }> {
  const given = [changes, group, until, all].filter((each) => each !== undefined);
  if (given.length !== 1)
    throw new LociError('invalid_input', 'a request names either changes, or a group, or all of them', {
      hint: '`loci inbox` lists the numbers of changes and the ids of groups.',
    });
  const unseen = await unseenChanges(store.records, namespace);
  const wanted = new Set(changes);
  const chosen = unseen.filter(
    (change) =>
      change.entry <= upTo &&
      (changes === undefined || wanted.has(change.entry)) &&
      (group === undefined || groupIdOf(change) === group) &&
      (until === undefined || change.at < until),
  );
  const found = new Set(chosen.map(({ entry }) => entry));
  const missing = [...wanted].filter((entry) => !found.has(entry));
  if (missing.length > 0)
    throw new LociError(
      'not_found',
      `not in the inbox: ${missing.map((entry) => `change ${String(entry)}`).join(', ')}`,
      {
        hint: 'They were kept or undone already. `loci inbox` lists what is there.',
      },
    );
  if (group !== undefined && chosen.length === 0)
    throw new LociError('not_found', `the inbox has no group ${group}`, {
      hint: 'Its changes were kept or undone already. `loci inbox` lists what is there.',
    });
  return { chosen, unseen };
}

/** The changes and all later ones of the same session to the same records: an earlier one cannot be undone alone. */
export function withLater(chosen: readonly UnseenChange[], unseen: readonly UnseenChange[]): UnseenChange[] {
  const nameOf = (change: UnseenChange): string => JSON.stringify([groupIdOf(change), change.subject]);
  const first = new Map(chosen.map((change) => [nameOf(change), change.entry]));
  const isChosen = new Set(chosen.map(({ entry }) => entry));
  return unseen.filter(
    (change) =>
      isChosen.has(change.entry) ||
      (change.subject !== null && change.entry > (first.get(nameOf(change)) ?? Infinity)),
  );
}

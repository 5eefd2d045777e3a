import { unseenRemoval } from '../../store/items/kinds.ts';
import type { EngineContext } from '../context.ts';
import type { KeepOutput, KeepRequest } from './inbox-fields.ts';
import { chosenChanges } from './unseen.ts';

/** Takes changes out of the inbox. Nothing else changes. @throws LociError `invalid_input`, `not_found` */
export async function keepChanges(context: EngineContext, request: KeepRequest): Promise<KeepOutput> {
  const { chosen, unseen } = await chosenChanges(context, request);
  const items = chosen.map(({ entry }) => unseenRemoval(entry));
  if (items.length > 0) await context.store.records.commit(context.namespace, { items });
  return { kept: chosen.length, left: unseen.length - chosen.length };
}

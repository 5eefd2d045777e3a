import { LociError } from '../../core/errors.ts';
import type { Operation, Scope } from '../../operations/operation.ts';

/**
 * Before a verb runs, by whatever name it was asked for: a tool, an address or a prompt.
 * @throws LociError `forbidden`
 */
export function refuseBeyond(
  scopes: ReadonlySet<Scope>,
  { scope }: Pick<Operation, 'scope'>,
  asked: string,
): void {
  if (scopes.has(scope)) return;
  throw new LociError('forbidden', `${asked} needs the scope ${scope}`);
}

import { LociError } from '../../core/errors.ts';
import type { Operation, Scope } from '../../operations/operation.ts';

/** What somebody may do. */
export interface Permission {
  readonly scopes: ReadonlySet<Scope>;
  /** What to do about a verb that is beyond it, where asking for a token is no way. */
  readonly hintBeyond?: (operation: Operation) => string;
}

/**
 * Before a verb runs, by whatever name it was asked for: a tool, an address or a prompt.
 * @throws LociError `forbidden`
 */
export function assertPermitted(
  { scopes, hintBeyond }: Permission,
  operation: Operation,
  asked: string,
): void {
  if (scopes.has(operation.scope)) return;
  const hint = hintBeyond?.(operation);
  throw new LociError('forbidden', `${asked} needs the scope ${operation.scope}`, {
    ...(hint !== undefined && { hint }),
  });
}

import { LociError } from '../../core/errors.ts';
import { type LociRecord, TRUST, type Trust } from '../../core/types.ts';
import type { EngineContext } from '../context.ts';

/** The operator may always write; agents may if `writes.enabled` is true (R5). @throws LociError `writes_disabled` */
export function assertWritesEnabled({ caller, config }: EngineContext): void {
  if (caller.trust === 'operator' || config.writes.enabled) return;
  throw new LociError(
    'writes_disabled',
    'agents may not write records here: the setting writes.enabled is false',
  );
}

/** Agents may store facts, but may change those of the operator only if `writes.enabled` is true (R5). */
export function assertMayReplace(
  { caller, config }: EngineContext,
  facts: readonly Pick<LociRecord, 'key' | 'trust'>[],
): void {
  if (caller.trust === 'operator' || config.writes.enabled) return;
  const fact = facts.find(({ trust }) => trust === 'operator');
  if (fact === undefined) return;
  throw new LociError(
    'writes_disabled',
    `the operator stored ${JSON.stringify(fact.key)}, which agents may not change here: the setting writes.enabled is false`,
  );
}

/** The lower of two levels of trust. A record that an agent changed is trusted as an agent's. */
export function lowerTrust(a: Trust, b: Trust): Trust {
  return TRUST.indexOf(a) > TRUST.indexOf(b) ? a : b;
}

import { LociError } from '../../core/errors.ts';
import { type LociRecord, TRUST, type Trust } from '../../core/types.ts';
import type { EngineContext } from '../context.ts';

/** The operator's own hand may always write, agents where the settings say so (R5). @throws LociError `writes_disabled` */
export function assertWritesEnabled({ caller, config }: EngineContext): void {
  if (caller.trust === 'operator' || config.writes.enabled) return;
  throw new LociError(
    'writes_disabled',
    'agents may not write records here: the setting writes.enabled is false',
  );
}

/** Facts are for agents to keep, but what the operator said is changed by agents only where they may write (R5). */
export function assertMayOverrule(
  { caller, config }: EngineContext,
  facts: readonly Pick<LociRecord, 'key' | 'trust'>[],
): void {
  if (caller.trust === 'operator' || config.writes.enabled) return;
  const said = facts.find(({ trust }) => trust === 'operator');
  if (said === undefined) return;
  throw new LociError(
    'writes_disabled',
    `the operator said ${JSON.stringify(said.key)}; agents may not change that here: the setting writes.enabled is false`,
  );
}

/** Of two classes the one that is trusted less: what an agent touched is no longer the operator's word alone. */
export function lowerTrust(a: Trust, b: Trust): Trust {
  return TRUST.indexOf(a) > TRUST.indexOf(b) ? a : b;
}

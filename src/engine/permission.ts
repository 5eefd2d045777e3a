import { LociError } from '../core/errors.ts';
import { TRUST, type Trust } from '../core/types.ts';
import type { EngineContext } from './context.ts';

/** The operator's own hand may always write, agents where the settings say so (R5). @throws LociError `writes_disabled` */
export function refuseDisabledWrites({ caller, config }: EngineContext): void {
  if (caller.trust === 'operator' || config.writes.enabled) return;
  throw new LociError(
    'writes_disabled',
    'agents may not write records here: the setting writes.enabled is false',
  );
}

/** Of two classes the one that is trusted less: what an agent touched is no longer the operator's word alone. */
export function lowerTrust(a: Trust, b: Trust): Trust {
  return TRUST.indexOf(a) > TRUST.indexOf(b) ? a : b;
}

import { label } from '../../config/values.ts';
import type { EngineContext } from '../../engine/context.ts';
import type { OperationContext } from '../operation.ts';

/** The field with which the operator of this machine names another namespace. */
export const namespaceField = () =>
  label()
    .exactOptional()
    .describe('Another namespace than the configured one, such as that of an OpenClaw agent: agent:main.');

/** The engine of the caller, in another namespace if the operator names one. */
export async function lociIn(
  context: OperationContext,
  namespace: string | undefined,
): Promise<EngineContext> {
  const loci = await context.loci();
  return namespace === undefined ? loci : loci.as({ ...loci.caller, namespace });
}

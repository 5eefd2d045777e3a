import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import type { LocalIo, Operation, OperationContext } from '../operation.ts';

/**
 * This machine's files and streams: the one way to them for a verb that takes a path.
 * @throws LociError `forbidden` for whoever calls from elsewhere
 */
export function requireLocalIo({ machine }: OperationContext, field: string): LocalIo {
  if (machine !== undefined) return machine;
  throw new LociError('forbidden', `${field} names a file of the machine that Loci runs on`, {
    hint: 'Only the command line there may give it.',
  });
}

/** A verb as those know it who call from elsewhere: without the fields that name files. `null` for one that needs them. */
export function remoteOperation(operation: Operation): Operation | null {
  const { local, localFields = [], input } = operation;
  if (local === true) return null;
  if (localFields.length === 0 || !(input instanceof z.ZodObject)) return operation;
  const fields = Object.entries(input.shape).filter(([name]) => !localFields.includes(name));
  const examples = operation.examples.filter(
    (example) => !localFields.some((field) => field in example.input),
  );
  return { ...operation, input: z.strictObject(Object.fromEntries(fields)), examples };
}

import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import type { LocalIo, Operation, OperationContext } from '../operation.ts';

/**
 * Files and streams of this machine. An operation that takes a path must call this first.
 * @throws LociError `forbidden` unless the caller is the command line
 */
export function requireLocalIo({ machine }: OperationContext, field: string): LocalIo {
  if (machine !== undefined) return machine;
  throw new LociError('forbidden', `${field} names a file of the machine on which Loci runs`, {
    hint: 'Only the command line of that machine may use this field.',
  });
}

/** An operation as remote callers see it: without the fields that name files. `null` if it is only for the command line. */
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

import { LociError } from '../../core/errors.ts';

/** A value in the output of a command, numbered from 1; or why it could not be read. */
export type OutputValue =
  { readonly index: number; readonly value: unknown } | { readonly index: number; readonly problem: string };

/** All documents of one run of a command, or of one call of a function, as JSON. */
export const MAX_OUTPUT_BYTES = 10_000_000;
const MAX_DOCUMENTS = 10_000;
/** Objects and lists within each other. */
export const MAX_NESTING = 100;

/** @throws LociError `source_failed` for more documents than a source may have, including bad ones */
export function assertDocumentLimit(documents: number, subject = 'the command printed'): void {
  if (documents <= MAX_DOCUMENTS) return;
  throw new LociError('source_failed', `${subject} more than ${String(MAX_DOCUMENTS)} documents`, {
    hint: 'Leave some out, for example completed items, or those that are older than a few months.',
  });
}

import { LociError } from '../../core/errors.ts';

/** A value in the output of a command, numbered from 1; or why it could not be read. */
export type OutputValue =
  { readonly index: number; readonly value: unknown } | { readonly index: number; readonly problem: string };

const MAX_DOCUMENTS = 10_000;
/** Objects and lists within each other. */
export const MAX_NESTING = 100;

/** @throws LociError `source_failed` for more documents than a command may print, including bad ones */
export function assertDocumentLimit(documents: number): void {
  if (documents <= MAX_DOCUMENTS) return;
  throw new LociError('source_failed', `the command printed more than ${String(MAX_DOCUMENTS)} documents`, {
    hint: 'Let it print fewer, for example only open items, or those of the last months.',
  });
}

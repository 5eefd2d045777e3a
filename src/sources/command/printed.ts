import { LociError } from '../../core/errors.ts';

/** One value of what a command printed, from 1 in the order printed; or why it could not be read. */
export type PrintedValue =
  { readonly index: number; readonly value: unknown } | { readonly index: number; readonly problem: string };

/** Bytes that a command may print. */
export const MOST_BYTES = 10_000_000;
/** Documents that it may print, bad ones included. */
const MOST_DOCUMENTS = 10_000;
/** Objects and lists within each other. */
export const MOST_LEVELS = 100;

/** @throws LociError `source_failed` for more documents than a command may print */
export function assertDocumentLimit(documents: number): void {
  if (documents <= MOST_DOCUMENTS) return;
  throw new LociError('source_failed', `the command printed more than ${String(MOST_DOCUMENTS)} documents`, {
    hint: 'Let it print fewer: what is open, or of the last months.',
  });
}

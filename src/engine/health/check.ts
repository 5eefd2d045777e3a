import { LociError } from '../../core/errors.ts';

export interface Check {
  readonly name: string;
  readonly result: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  /** What to run next. */
  readonly hint: string | null;
}

/** The result of a check. A hint replaces the usual one of the check. */
export type Finding = Pick<Check, 'result' | 'detail'> & { readonly hint?: string };

/** Whether the check was stopped by its caller, and found nothing out. */
export function isAbort(error: unknown): boolean {
  return error instanceof LociError && error.code === 'aborted';
}

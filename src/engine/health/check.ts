export interface Check {
  readonly name: string;
  readonly result: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  /** What to run next. */
  readonly hint: string | null;
}

/** What a look found; the hint only where it is not the usual one. */
export type Finding = Pick<Check, 'result' | 'detail'> & { readonly hint?: string };

/** The table of errors: each code with its HTTP status, its exit code and a hint that says what to do next. */

export type ErrorCode =
  | 'invalid_input'
  | 'invalid_config'
  | 'secret_refused'
  | 'unauthorized'
  | 'forbidden'
  | 'writes_disabled'
  | 'rate_limited'
  | 'too_large'
  | 'method_not_allowed'
  | 'unsupported_media_type'
  | 'request_timeout'
  | 'not_found'
  | 'gone'
  | 'ambiguous'
  | 'conflict'
  | 'store_not_found'
  | 'store_newer'
  | 'store_older'
  | 'store_corrupt'
  | 'store_busy'
  | 'store_full'
  | 'quota_exceeded'
  | 'store_unavailable'
  | 'store_failed'
  | 'embedding_mismatch'
  | 'embedding_unavailable'
  | 'unreadable'
  | 'not_approved'
  | 'source_failed'
  | 'aborted'
  | 'timed_out'
  | 'unsupported_runtime'
  | 'internal';

interface ErrorEntry {
  readonly status: number;
  readonly exit: number;
  readonly hint: string;
}

export const ERROR_TABLE: Readonly<Record<ErrorCode, ErrorEntry>> = {
  invalid_input: { status: 400, exit: 2, hint: 'Correct the named value and try again.' },
  invalid_config: {
    status: 500,
    exit: 3,
    hint: 'Correct loci.yaml; docs/configuration.md lists every key.',
  },
  secret_refused: {
    status: 422,
    exit: 2,
    hint: 'Leave the secret out, or set `writes.secrets: mask` in loci.yaml.',
  },
  unauthorized: {
    status: 401,
    exit: 10,
    hint: 'Send `Authorization: Bearer TOKEN`. `loci serve token create` makes a token.',
  },
  forbidden: { status: 403, exit: 10, hint: 'Ask the operator of Loci for a token with this scope.' },
  writes_disabled: {
    status: 403,
    exit: 10,
    hint: 'The operator of Loci can allow writes: `loci config set writes.enabled true`.',
  },
  rate_limited: { status: 429, exit: 10, hint: 'Wait for the time in Retry-After, then try again.' },
  too_large: { status: 413, exit: 2, hint: 'Send less at once.' },
  method_not_allowed: { status: 405, exit: 2, hint: 'Use a method that `Allow` lists.' },
  unsupported_media_type: { status: 415, exit: 2, hint: 'Send JSON with `Content-Type: application/json`.' },
  request_timeout: { status: 408, exit: 6, hint: 'Send the whole request at once.' },
  not_found: { status: 404, exit: 4, hint: 'Search again for a current citation.' },
  gone: {
    status: 410,
    exit: 4,
    hint: 'The record cannot be restored. Write it again.',
  },
  ambiguous: { status: 409, exit: 4, hint: 'Add the source: SOURCE:PATH.' },
  conflict: { status: 409, exit: 5, hint: 'Read the current state, then try again.' },
  store_not_found: { status: 503, exit: 6, hint: 'Run `loci config init`, or `loci index PATH`.' },
  store_newer: {
    status: 503,
    exit: 6,
    hint: 'Update Loci: a newer version wrote this store. Nothing was changed.',
  },
  store_older: {
    status: 503,
    exit: 6,
    hint: 'Export it with the version that wrote it: `loci export --to FILE`. Then move the store away, and run `loci import FILE`.',
  },
  store_corrupt: { status: 503, exit: 6, hint: 'Run `loci doctor`. Backups are in the folder of the store.' },
  store_busy: { status: 503, exit: 6, hint: 'Another process is writing to the store. Try again.' },
  store_full: {
    status: 507,
    exit: 6,
    hint: 'Free some disk space. Everything that was confirmed before is safe.',
  },
  quota_exceeded: {
    status: 507,
    exit: 10,
    hint: 'Delete what is not needed. The operator of Loci can raise the limit: `loci status set-quota`.',
  },
  store_unavailable: {
    status: 503,
    exit: 6,
    hint: 'Check that the server of the store runs, and lets Loci in.',
  },
  store_failed: { status: 500, exit: 6, hint: 'Run `loci doctor`.' },
  embedding_mismatch: {
    status: 503,
    exit: 7,
    hint: 'Run `loci embed backfill`; or set the previous provider again.',
  },
  embedding_unavailable: {
    status: 503,
    exit: 7,
    hint: 'Try the embedding provider with `loci embed test`.',
  },
  unreadable: { status: 422, exit: 8, hint: 'Check that the path exists and that you may read it.' },
  not_approved: {
    status: 403,
    exit: 10,
    hint: '`loci sources list` shows the commands; `loci sources approve ID` allows one to run.',
  },
  source_failed: {
    status: 502,
    exit: 8,
    hint: '`loci sources test ID` runs it once and shows its output.',
  },
  aborted: {
    status: 499,
    exit: 130,
    hint: 'Committed changes are kept. Run the same command again to continue.',
  },
  timed_out: { status: 504, exit: 6, hint: 'Try again.' },
  unsupported_runtime: { status: 500, exit: 9, hint: 'Run Loci with Node 24 or newer.' },
  internal: { status: 500, exit: 1, hint: 'This is a bug in Loci. Run `loci doctor` and report it.' },
};

/** A failure that a caller can act on. The message names what is wrong. */
export class LociError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;
  /** When to try again after `rate_limited`, in seconds, if that is known. */
  declare readonly retryAfterS?: number;

  constructor(
    code: ErrorCode,
    message: string,
    options: { hint?: string; cause?: unknown; retryAfterS?: number } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'LociError';
    this.code = code;
    this.hint = options.hint ?? ERROR_TABLE[code].hint;
    if (options.retryAfterS !== undefined) this.retryAfterS = options.retryAfterS;
  }

  get status(): number {
    return ERROR_TABLE[this.code].status;
  }

  get exitCode(): number {
    return ERROR_TABLE[this.code].exit;
  }
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_TABLE, code);
}

/** The message of a thrown value of any kind. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
